import pytest


@pytest.fixture
def shelf(annotated_sample):
    """Give the annotated sample and its index without page furniture."""
    from smallprint.index.opening import open_engine
    from smallprint.library import Library
    from smallprint.settings import Settings

    with Library(annotated_sample) as library:
        yield library, open_engine(Settings(library=annotated_sample))
