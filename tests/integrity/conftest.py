import pytest

from ..cli.running import Runner


@pytest.fixture
def run(capsys):
    """Give the command as a function."""
    return Runner(capsys)
