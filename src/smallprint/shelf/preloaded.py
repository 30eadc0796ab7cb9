"""What reading and answering take, loaded once in the process that forks a server's workers: they share its memory.

A worker then holds some 30 MB of its own instead of 350 MB, and answers its first question at once. Sessions of
onnxruntime with one thread can be forked; texts are given one at a time, so that no thread is there when it forks.
"""

from __future__ import annotations

from contextlib import suppress

from smallprint.ask.model_set import kit
from smallprint.errors import SmallprintError
from smallprint.models.reader import Read
from smallprint.pipeline import preloaded
from smallprint.settings import Settings
from smallprint.shelf import questions
from smallprint.view.glance import glance, pasted

TEXT = "We collect your name and share it with our partners. You can ask us to delete your data at any time. "

with suppress(SmallprintError):  # weights that are missing are told of by the job that needs them
    glance(pasted(TEXT * 5), Settings())
    models = kit()
    (vector,) = models.finder.vectors([TEXT])
    models.reader.read(TEXT, [Read(TEXT)])
    models.mapper.map_vector(vector, TEXT)
    models.labeller.labels([TEXT])
    models.words.nearest("share", 1)
    assert models.combiner

__all__ = ["preloaded", "questions"]
