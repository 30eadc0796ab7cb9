from __future__ import annotations

import pytest

from smallprint.errors import BadIndex
from smallprint.index.opening import Engines, delete_indexes, open_engine
from smallprint.index.tree import Query
from smallprint.library import Library
from smallprint.pipeline.indexing import bring_up_to_date
from smallprint.settings import Settings


def test_an_index_is_opened_once_and_follows_what_is_written(library):
    from smallprint.library.writing import save

    from ..library.making import capture

    engines = Engines(Settings(library=library.path))
    with pytest.raises(BadIndex):
        engines.engine()
    bring_up_to_date(library, open_engine(Settings(library=library.path), create=True), "policy")
    first = engines.engine()
    assert engines.engine("policy") is first
    assert first.counts([Query()])[0] == 0
    with library.transaction() as db:
        save(db, [capture()])
    bring_up_to_date(library, open_engine(Settings(library=library.path)), "policy")
    assert first.counts([Query()])[0] == 1
    with pytest.raises(BadIndex):
        engines.engine("page")
    assert engines.engine("page", create=True) is engines.engine("page")


def test_an_index_made_anew_is_found_again(library):
    engines = Engines(Settings(library=library.path))
    engines.engine(create=True)
    delete_indexes(Settings(library=library.path))
    with pytest.raises(BadIndex):
        engines.engine().counts([Query()])[0]
    with Library(library.path) as again:
        bring_up_to_date(again, open_engine(Settings(library=library.path), create=True), "policy")
    assert engines.engine().counts([Query()])[0] == 0
