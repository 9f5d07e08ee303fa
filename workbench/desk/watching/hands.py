"""What a watch needs of the desk."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.corpus.records import Audit
from workbench.desk.changes import Changes
from workbench.desk.conditions import Conditions
from workbench.desk.forecast import Offer
from workbench.desk.history import History
from workbench.desk.library import Library
from workbench.desk.maps import Maps
from workbench.desk.project import Project
from workbench.desk.records import AskRequest
from workbench.desk.staleness import Ageing

if TYPE_CHECKING:
    from workbench.desk.asking import LiveRun
    from workbench.runs.reserve import Reserve


@dataclass(frozen=True, slots=True)
class Hands:
    """The desk's own hands, as a watch takes them."""

    project: Project
    library: Library
    history: History
    conditions: Conditions
    changes: Changes
    maps: Maps
    staleness: Ageing
    select: Callable[[tuple[str, ...]], tuple[Audit, ...]]
    ask: "Callable[[AskRequest, Reserve], LiveRun]"
    offer: Callable[[AskRequest], Offer]
