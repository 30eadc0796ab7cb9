"""Whether a request is of now, for this skill, and the first of its kind."""

from __future__ import annotations

import threading
from collections import OrderedDict
from datetime import datetime, timedelta

from smallprint import limits
from smallprint.errors import NotFromAlexa
from smallprint.voice.requests import VoiceRequest

# Amazon's own limit, in both directions.
WINDOW = timedelta(seconds=150)


def check_time(request: VoiceRequest, now: datetime) -> None:
    """Refuse what is older than the window, or comes from as far in the future."""
    if abs(now - request.timestamp) > WINDOW:
        raise NotFromAlexa(f"the request is not of the last {WINDOW.seconds} seconds")


def check_skill(request: VoiceRequest, skill_id: str) -> None:
    """Refuse what is meant for another skill."""
    if request.skill_id != skill_id:
        raise NotFromAlexa("the request is for another skill")


class Seen:
    """The ids of the requests of the last minutes; one that comes again was recorded and is being played back.

    An id is forgotten when its timestamp alone is enough to refuse it.
    """

    def __init__(self, most: int = limits.MAX_SEEN_REQUESTS) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._until: OrderedDict[str, datetime] = OrderedDict()

    def __len__(self) -> int:
        return len(self._until)

    def check(self, request: VoiceRequest, now: datetime) -> None:
        """Refuse what was seen before; remember what was not."""
        with self._lock:
            while self._until and now > next(iter(self._until.values())):
                self._until.popitem(last=False)
            if request.request_id in self._until:
                raise NotFromAlexa("the request was answered before")
            if len(self._until) >= self._most:
                self._until.popitem(last=False)
            self._until[request.request_id] = now + 2 * WINDOW
