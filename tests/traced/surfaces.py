"""What is asked of the server when it is traced, surface by surface: every page, every endpoint of the API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from smallprint import sample

POLICY, OTHER = "tidemarkbank.example-b32cf374", "kitegram.example-bfbe2fa6"
FOLDED = "brightwithy-ashford.example-e8eaea73"  # two near-duplicates are folded under it
QUESTION, OVER_LIBRARY = "Do you sell my data?", "Which policies share my location with advertisers?"
PASTED = next(sample.pages()).content.decode()


@dataclass(frozen=True, slots=True)
class Request:
    """A request to the server and the status of its answer; one with a form or a body is sent by POST."""

    path: str
    query: Mapping[str, str | tuple[str, ...]] | None = None
    form: Mapping[str, str] | None = None
    body: Mapping[str, str] | None = None
    status: int = 200

    @property
    def method(self) -> str:
        return "GET" if self.form is None and self.body is None else "POST"


SURFACES: dict[str, tuple[Request, ...]] = {
    "pages": (
        Request("/"),
        Request("/search", {"q": "location advertisers"}),
        Request("/search/alike", {"group": FOLDED}),
        Request(f"/policies/{POLICY}"),
        Request(f"/policies/{POLICY}/text"),
        Request(f"/policies/{POLICY}/page"),
        Request(f"/policies/{POLICY}/diff"),
        Request(f"/policies/{POLICY}/evidence", {"s": "3"}),
        Request("/compare", {"policy": (POLICY, OTHER)}),
        Request("/statistics"),
        Request("/rejections"),
        *(Request(path, status=301) for path in ("/policy", f"/policy/{POLICY}", "/corpus", "/corpus/x")),
        Request("/about"),
        Request("/privacy"),
        Request("/help"),
        Request("/static/smallprint.css"),
    ),
    "a policy pasted on /read": (
        Request("/read", form={"given": PASTED}, status=303),
        Request("/read/{paste_id}"),
        Request("/read/{paste_id}/forget", form={}),
        Request("/keep", form={"address": "https://shop.example/privacy"}, status=404),
    ),
    "questions on a policy": (
        Request(f"/policies/{POLICY}/ask", {"q": QUESTION}),
        Request("/ask", {"q": QUESTION, "policy": POLICY}),
    ),
    "conversation page": (Request("/ask", form={"said": QUESTION}), Request("/ask", form={"said": "and my location?"})),
    "questions over the library": (Request("/ask", {"q": OVER_LIBRARY}),),
    "feedback": (
        Request(
            "/feedback", form={"verdict": "right", "question": QUESTION, "state": "yes", "line": "Yes."}, status=303
        ),
    ),
    "signing in": (
        Request("/sign-in"),
        Request("/sign-in", form={"token": "a token that is wrong"}, status=401),
        Request("/sign-out", form={}, status=303),
    ),
    "API": (
        Request("/api/v1/openapi.json"),
        Request("/api/v1/search", {"q": "location"}),
        Request("/api/v1/facets", {"q": "location"}),
        Request(f"/api/v1/policies/{POLICY}"),
        Request(f"/api/v1/policies/{POLICY}/text"),
        Request(f"/api/v1/policies/{POLICY}/segments"),
        Request(f"/api/v1/policies/{POLICY}/annotations"),
        Request(f"/api/v1/policies/{POLICY}/diff"),
        Request(f"/api/v1/policies/{POLICY}/evidence"),
        Request("/api/v1/policies", body={"address": "https://shop.example/privacy"}, status=403),
        Request("/api/v1/compare", {"policy": (POLICY, OTHER)}),
        Request("/api/v1/rejections"),
        Request("/api/v1/statistics"),
        Request("/api/v1/ask", {"question": QUESTION, "policy": POLICY}),
        Request("/api/v1/ask", body={"question": QUESTION, "policy": POLICY}),
        Request("/api/v1/chat", body={"said": QUESTION}),
    ),
    "export": (
        Request("/api/v1/export", {"q": "cookies", "format": "csv"}),
        Request("/api/v1/export", {"q": "cookies", "format": "parquet"}),
        Request("/api/v1/export/{export_id}"),
    ),
}
