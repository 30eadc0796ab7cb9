"""What all tests share: no network but loopback, no settings of whoever runs them, a library, the sample, real data."""

from __future__ import annotations

import ipaddress
import os
import shutil
import socket
import sys
import tempfile
from pathlib import Path

import hypothesis
import pytest

DATA_DIR = "SMALLPRINT_DATA_DIR"
HOMES = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")
sys.path.insert(0, str(Path(__file__).parent))  # where processes find worker_stand_ins
# Every home is an empty folder before anything of ours is imported, since defaults are fixed then; and the conftest of
# a folder that is named on the command line is imported right after this one, before pytest is configured.
HOME = Path(tempfile.mkdtemp(prefix="smallprint-tests-"))
for _name in [name for name in os.environ if name.startswith("SMALLPRINT_") and name != DATA_DIR]:
    del os.environ[_name]
os.environ.update({name: str(HOME / name.lower()) for name in HOMES})
# A process a core is enough: what numpy and torch share out among threads here is so small that these mostly wait for
# each other, and waiting takes processor time. tests/train/test_combiner.py took 28 s of it, and takes 3 s so.
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
# A machine may be busy: examples are counted, not timed.
hypothesis.settings.register_profile(
    "any machine",
    hypothesis.settings(),
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("any machine")


def pytest_unconfigure():
    shutil.rmtree(HOME, ignore_errors=True)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """Tell a process that xdist starts where the shared folder is."""
    node.workerinput["shared_folder"] = str(HOME / "shared")


def pytest_collection_modifyitems(config, items):
    """Leave the tests of a night out of an ordinary run: `make nightly` asks for them by their marker."""
    if "nightly" in config.getoption("markexpr"):
        return
    config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("nightly")])
    items[:] = [item for item in items if not item.get_closest_marker("nightly")]


def pytest_make_parametrize_id(val):
    """Name bytes by their number: written out they are unreadable, and those of gzip change with the time."""
    return f"{len(val)} bytes" if isinstance(val, bytes) else None


class NetworkUsed(AssertionError):
    """A test tried to reach a network."""


@pytest.fixture(scope="session", autouse=True)
def only_loopback():
    """Close sockets to all but loopback, and names to all but numbers and localhost."""
    connect, connect_ex, lookup = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def checked(self, address):
        if self.family in {socket.AF_INET, socket.AF_INET6} and not _is_loopback(address[0]):
            raise NetworkUsed(f"a test tried to connect to {address}; tests run offline")

    def guarded_connect(self, address):
        checked(self, address)
        return connect(self, address)

    def guarded_connect_ex(self, address):
        checked(self, address)
        return connect_ex(self, address)

    def guarded_lookup(host, *rest, **named):
        name = host.decode() if isinstance(host, bytes) else host
        if name and name != "localhost" and not _is_number(name):
            raise socket.gaierror(socket.EAI_NONAME, f"tests run offline: {name} is not looked up")
        return lookup(host, *rest, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded_connect)
        patch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
        patch.setattr(socket, "getaddrinfo", guarded_lookup)
        yield


@pytest.fixture
def library(tmp_path):
    """Give an empty library."""
    from smallprint.library import Library

    with Library(tmp_path / "library.db", create=True) as library:
        yield library


@pytest.fixture(scope="session")
def shared_folder(request):
    """Give a folder that all processes of a test run share, and that is removed when it ends."""
    folder = Path(getattr(request.config, "workerinput", {}).get("shared_folder", HOME / "shared"))
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session", autouse=True)
def model_cache(shared_folder):
    """Let the transformers compute once in a run what many tests ask of them; give the method without the cache."""
    from smallprint.models.towers import Tower

    from .sharing import cached_logits

    compute = Tower.logits
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tower, "logits", cached_logits(compute, shared_folder / "logits"))
        yield compute


@pytest.fixture(scope="session")
def sample_library(shared_folder, tmp_path_factory):
    """Give the library of the sample, made once, to be read only."""
    from smallprint import sample
    from smallprint.library import Library
    from smallprint.library.directory import import_ranks, replace_companies
    from smallprint.library.likeness import settle
    from smallprint.pipeline.ingest import ingest_pages
    from smallprint.settings import Settings
    from smallprint.sources.companies import Companies

    from .sharing import make_once

    def fill(folder):
        settings = Settings(workers=1)
        with Library(folder / "sample.db", create=True) as library:
            import_ranks(library, Path(str(sample.POPULARITY)))
            replace_companies(library, Companies(Path(str(sample.COMPANIES))))
            ingest_pages(library, sample.pages(), settings)
            settle(library, settings.near_duplicate)

    folder = tmp_path_factory.mktemp("sample")
    shutil.copytree(make_once(shared_folder, "sample", fill), folder, dirs_exist_ok=True)
    with Library(folder / "sample.db") as library:
        yield library


@pytest.fixture(scope="session")
def annotated_folder(sample_library, shared_folder):
    """Give the folder of the sample's library, annotated in fast quality and indexed; only ever copied."""
    from smallprint.index.opening import WHICH, open_engine
    from smallprint.library import Library
    from smallprint.pipeline.indexing import bring_up_to_date
    from smallprint.pipeline.refresh import annotate_library
    from smallprint.settings import Settings

    from .sharing import make_once

    def fill(folder):
        path = folder / "sample.db"
        sample_library.db.execute("VACUUM INTO ?", (str(path),))
        with Library(path) as library:
            annotate_library(library, Settings(workers=1), "fast")
            for which in WHICH:
                bring_up_to_date(library, open_engine(Settings(library=path), which, create=True), which)

    return make_once(shared_folder, "annotated", fill)


@pytest.fixture(scope="session")
def annotated_library(annotated_folder, tmp_path_factory):
    """Give the library of the sample, annotated in fast quality, to be read only."""
    from smallprint.library import Library

    path = tmp_path_factory.mktemp("annotated") / "sample.db"
    shutil.copy(annotated_folder / path.name, path)
    with Library(path) as library:
        yield library


@pytest.fixture(scope="session")
def annotated_sample(annotated_folder, tmp_path_factory):
    """Give the path of the sample's library, annotated and indexed, to be read only."""
    folder = tmp_path_factory.mktemp("annotated")
    shutil.copytree(annotated_folder, folder, dirs_exist_ok=True)
    return folder / "sample.db"


@pytest.fixture(scope="session")
def copy_sample(annotated_sample):
    """Give a function that copies the annotated sample with its indexes into a folder, to be written to."""
    import shutil

    from smallprint.library import Library

    def copy(folder):
        path = folder / "copy.db"
        with Library(annotated_sample) as library:
            library.db.execute("VACUUM INTO ?", (str(path),))
        shutil.copytree(f"{annotated_sample}.index", f"{path}.index")
        return path

    return copy


@pytest.fixture
def data_dir(request):
    """Give the folder of research data; the marker names what a test needs: `real_data("exclude.txt")`.

    Where it is not at hand the test is skipped, but in continuous integration it fails.
    """
    return _data(request.node)


@pytest.fixture(scope="module")
def data_folder(request):
    """Give the same to what a whole module shares; what is needed is named by the markers of any of its tests."""
    return _data(request.node, *request.session.items)


def _data(*nodes):
    folder = os.environ.get(DATA_DIR)
    needed = [name for node in nodes for marker in node.iter_markers("real_data") for name in marker.args]
    if not folder:
        missing = f"{DATA_DIR} is not set; point it at the research data"
    else:
        absent = [name for name in needed or ["."] if not (Path(folder) / name).exists()]
        missing = f"{Path(folder) / absent[0]} is not there; {DATA_DIR} must hold it" if absent else ""
    if missing and os.environ.get("CI") == "true":
        pytest.fail(missing)
    if missing:
        pytest.skip(missing)
    return Path(folder)


def _is_loopback(host):
    return host == "localhost" or (_is_number(host) and ipaddress.ip_address(host.partition("%")[0]).is_loopback)


def _is_number(name):
    """Tell whether a host is an address in any spelling the system reads without asking anyone: "127.1", "0x7f.1"."""
    for family, read in ((socket.AF_INET6, socket.inet_pton), (socket.AF_INET, lambda _, host: socket.inet_aton(host))):
        try:
            read(family, name.partition("%")[0])
        except (OSError, UnicodeError):
            continue
        return True
    return False


@pytest.fixture(scope="session")
def served_jobs():
    """Give the processes that all sites of the tests share, started with the first job."""
    from smallprint.processes.jobs import Jobs
    from smallprint.web.app import PRELOAD

    with Jobs(2, preload=PRELOAD) as jobs:
        yield jobs


@pytest.fixture
def forked(monkeypatch):
    """Let workers be forks of this process, so that they have what a test put in the place of something."""
    import multiprocessing

    from smallprint.pipeline import preloaded
    from smallprint.processes import worker

    assert preloaded  # loaded here, so that no fork has to
    fork = multiprocessing.get_context("fork")
    monkeypatch.setattr(worker.multiprocessing, "get_context", lambda name: fork)


class Settled:
    """A job that is done."""

    def __init__(self, result):
        self._result = result

    async def finished(self):
        return self._result

    def cancel(self):
        return


@pytest.fixture
def settled():
    """Give a function that makes a job whose result is known, to be put in the place of a real one."""
    return Settled
