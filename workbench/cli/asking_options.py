"""Options by which commands say whom to ask and under which limits; they mean the same in each."""

from typing import Annotated

import typer

BoxOption = Annotated[str | None, typer.Option("--box", help="Ask in this folder; box audits only.")]
DevOption = Annotated[bool, typer.Option("--dev", help="Ask only audits of the developer surface.")]
EngineOption = Annotated[
    str, typer.Option("--engine", help="Which agent, and a yes to its costs; default: audit, corpus, box, project.")
]
ModelOption = Annotated[str, typer.Option("--model", help="Which model of it.")]
RehearseOption = Annotated[bool, typer.Option("--rehearse", help="Let the reader answer as its model: free.")]
CommandOption = Annotated[str, typer.Option("--command", help="The command of an ACP agent.")]
PiDevKeyOption = Annotated[bool, typer.Option("--pi-dev-key", help="Give pi the developer's own key.")]
TrialsOption = Annotated[int, typer.Option("--trials", min=1, help="How often each audit is asked.")]
ParallelOption = Annotated[int, typer.Option("--parallel", min=0, help="Trials at once; 0: as configured.")]
TimeoutOption = Annotated[float, typer.Option("--timeout", min=0, help="Seconds for one trial; 0: as configured.")]
MaxCostOption = Annotated[
    float, typer.Option("--max-cost", min=0, metavar="USD", help="Ask no more once that is spent; 0: as configured.")
]
ResumeOption = Annotated[str, typer.Option("--resume", metavar="RUN", help="Go on with a run: its id or `latest`.")]
ChangedOption = Annotated[
    str, typer.Option("--changed", metavar="[REV]", help="Only what changes since REV can touch; alone: since HEAD.")
]
