"""How each command is run when it is traced. A new command needs a case here: `make test` says so."""

from __future__ import annotations

from dataclasses import dataclass

BANK, CHAT = "tidemarkbank.example", "kitegram.example"


@dataclass(frozen=True, slots=True)
class Case:
    """A command's arguments, in which {names} stand for the paths and addresses of the run.

    A case that makes what others read, or changes it, runs before them, in the order of the list (`builds`); one that
    works on what the server left behind runs after it (`follows`). A command that loads the models stays for a while
    after its end (`lingers`), since telemetry waits before it speaks.
    """

    command: str
    arguments: str
    builds: bool = False
    follows: bool = False
    lingers: bool = False

    @property
    def words(self) -> list[str]:
        """The whole command line; an argument with blanks is written with underscores."""
        return [*self.command.split(), *(word.replace("_", " ") for word in self.arguments.split())]


# These are traced in sessions of their own, since somebody has to talk with them, or they take hours: see sessions.py.
TALKING = ("serve", "mcp", "chat", "train")
CASES = (
    Case("ingest", "--sample --workers 2", builds=True),
    Case("import popularity", "{popularity}", builds=True),
    Case("import companies", "{companies}", builds=True),
    Case("crawl", "{site}/privacy --allow-private", builds=True),
    Case("add", "{site}/policy --allow-private --quality none --library {small}", builds=True),
    Case("annotate", "--quality full --workers 2 --library {small}", builds=True),
    Case("reread", "--workers 2 --library {small}", builds=True),
    Case("remove", "{site}/policy --yes --library {small}", builds=True),
    Case("index", "--anew", builds=True),
    Case("check", "", builds=True),
    Case("backup", "{outputs}/backup.db", builds=True),
    Case("restore", "{outputs}/backup.db --library {outputs}/restored.db", builds=True),
    Case("forget", "--all", follows=True),
    Case("search", "location --facets --explain"),
    Case("export", "cookies --to {outputs}/export.parquet"),
    Case("ask", f"{BANK} Do_you_sell_my_data?", lingers=True),
    Case("card", f"{BANK} sells ai", lingers=True),
    Case("feedback", "--out {outputs}/feedback.csv"),
    Case("status", "--digest"),
    Case("statistics", ""),
    Case("show", f"{BANK} --says"),
    Case("diff", f"{BANK} 2021-12-31 2025-12-31"),
    Case("compare", f"{BANK} {CHAT}"),
    Case("evidence", f"{BANK} 3 4"),
    Case("rejections", ""),
    Case("settings", ""),
    Case("alexa-model", ""),
    Case("evaluate", "is-policy --data {pages} --predictions {outputs}/predictions.jsonl"),
)
