"""The interaction model that is uploaded for the skill, one a locale: what Alexa listens for.

https://developer.amazon.com/en-US/docs/alexa/smapi/interaction-model-schema.html
"""

from __future__ import annotations

from typing import Any

from smallprint.errors import BadSetting
from smallprint.voice.intents import BUILT_IN, CARRIERS, PHRASES, SLOT

LOCALES = ("en-US", "en-GB")
INVOCATION = "small print"
# What is said in one country only.
_LOCAL = {
    "en-US": {"AskIntent": ("look up",), "MoreIntent": ("keep going",)},
    "en-GB": {"AskIntent": ("have a look for",), "MoreIntent": ("carry on",)},
}


def interaction_model(locale: str) -> dict[str, Any]:
    """Give the model to upload."""
    if locale not in LOCALES:
        raise BadSetting(f"there is no voice for {locale!r}; choose {' or '.join(LOCALES)}")
    local = _LOCAL[locale]
    asking = [
        {
            "name": name,
            "slots": [{"name": SLOT, "type": "AMAZON.SearchQuery"}],
            "samples": [f"{phrase} {{{SLOT}}}" for phrase in (*carrier.phrases, *local.get(name, ()))],
        }
        for name, carrier in CARRIERS.items()
    ]
    phrases = [
        {"name": name, "slots": [], "samples": [*said, *local.get(name, ())]} for name, (_, said) in PHRASES.items()
    ]
    built_in = [{"name": name, "samples": []} for name in BUILT_IN]
    return {
        "interactionModel": {
            "languageModel": {
                "invocationName": INVOCATION,
                "intents": [*built_in, *phrases, *asking],
                "types": [],
            }
        }
    }
