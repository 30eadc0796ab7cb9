"""A word through Alexa's own service while an answer is being made.

https://developer.amazon.com/en-US/docs/alexa/custom-skills/send-the-user-a-progressive-response.html
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping

from smallprint.errors import NotFetched, NotFromAlexa
from smallprint.voice.addresses import progress_address
from smallprint.voice.requests import VoiceRequest
from smallprint.voice.speech import ssml

STILL_LOOKING = "I am still looking."
Send = Callable[[str, Mapping[str, str], bytes], None]
_log = logging.getLogger("smallprint.voice")


def tell_progress(request: VoiceRequest, send: Send) -> None:
    """Say that the answer is on its way, if the request lets us; what goes wrong with it is no harm to the answer."""
    if request.progress is None:
        return
    message = {
        "header": {"requestId": request.request_id},
        "directive": {"type": "VoicePlayer.Speak", "speech": ssml((STILL_LOOKING,))},
    }
    headers = {"Authorization": f"Bearer {request.progress.token}", "Content-Type": "application/json"}
    try:
        send(progress_address(request.progress.endpoint), headers, json.dumps(message).encode())
    except (NotFetched, NotFromAlexa) as error:
        _log.warning("smallprint: progress was not told (%s)", type(error).__name__)
