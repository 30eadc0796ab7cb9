"""The tracer itself: what it must see, seen; what happens without the variable, shown."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .namespaces import needs_namespaces, without_network
from .places import Place, faults, row
from .sessions import LINGER, PATIENCE
from .strace import read_events, traced

pytestmark = pytest.mark.traced

# Connecting a datagram socket sends nothing. 192.0.2.0/24 and 2001:db8::/32 are for documentation.
LEAKS = """
import contextlib, os, pathlib, socket
for family, host, port in ((socket.AF_INET, "192.0.2.1", 53), (socket.AF_INET, "192.0.2.1", 443),
                           (socket.AF_INET6, "2001:db8::1", 443)):
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as leak:
        leak.connect((host, port))
with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as resolver:
    resolver.connect("/var/run/nscd/socket")
with contextlib.suppress(OSError):
    open("/etc/resolv.conf").close()
home = pathlib.Path.home()
(home / ".cache").mkdir()
os.chdir(home)
with open(".cache/deviceid", "w"):
    pass
os.rename(".cache/deviceid", ".cache/renamed")
"""
REPORTING = """
import onnxruntime, time
from smallprint.models.towers import Base
Base().states([101, 102])
time.sleep(float({seconds}))
"""


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path / "run").make()


def trace(place, code, *, prefix=()):
    log = place.logs / "log"
    environment = place.environment()
    environment.pop("ORT_DISABLE_TELEMETRY")
    command = [*prefix, *traced([sys.executable, "-c", code], log)]
    done = subprocess.run(command, env=environment, timeout=PATIENCE, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return row("code", read_events(log), place)


def test_what_must_not_happen_is_seen(place):
    assert faults(trace(place, LEAKS)) == [
        "code connects to 192.0.2.1:443",
        "code connects to [2001:db8::1]:443",
        "code looks up names: /etc/resolv.conf",
        "code looks up names: /var/run/nscd/socket",
        "code looks up names: 192.0.2.1:53",
        "code writes .cache/deviceid",
        "code writes .cache/renamed",
        "code writes ~/.cache",
        "code writes ~/.cache/deviceid",
    ]


def test_what_children_do_is_seen(place):
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {LEAKS!r}], check=True)"
    assert len(faults(trace(place, code))) == 9


@needs_namespaces
def test_onnxruntime_reports_unless_it_is_told_not_to(place):
    seen = trace(place, REPORTING.format(seconds=LINGER), prefix=without_network())
    assert any("/.cache/Microsoft/" in file and file.endswith("onnxruntime.db") for file in seen.files)
    assert any(lookup.endswith(":53") for lookup in seen.lookups)
