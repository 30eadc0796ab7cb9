import pytest

from .running import Runner


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Give the command as a function; it works in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Runner(capsys)
