import pytest


@pytest.fixture
def shelf(annotated_sample):
    """Give the annotated sample and its index without page furniture."""
    from smallprint.library import Library
    from smallprint.pipeline.indexing import open_index

    with Library(annotated_sample) as library:
        yield library, open_index(annotated_sample)
