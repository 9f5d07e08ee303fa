"""Which files of a box are guidance at a commit, as an engine's agent that starts in some folder meets them."""

from workbench.boxes.disposal import passing_folder
from workbench.boxes.location import BoxError
from workbench.boxes.revisions import take_at
from workbench.desk.records import DeskError
from workbench.guidance.layers import layers
from workbench.guidance.snapshot_tree import SnapshotTree
from workbench.host.git import GitError
from workbench.runs.plan import Question


def guides_at(question: Question, commit: str, rules: str) -> frozenset[str]:
    """Box-relative paths of everything but what is outside: loaded, on condition or always, named by that, documents.

    DeskError where the box cannot be read at that commit.
    """
    settings, audit = question.settings, question.audit
    try:
        with passing_folder() as folder:
            taken = take_at(question.box, commit, folder, deny=settings.deny, answer_key=settings.answer_key)
            found = layers(SnapshotTree(taken), audit.context_dir or ".", rules, settings.guidance)
    except (BoxError, GitError) as error:
        raise DeskError(str(error)) from error
    return frozenset(file.path for file in found.files if file.layer != "outside")
