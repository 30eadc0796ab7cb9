"""Programs run in a network namespace of their own, whose only interface is loopback."""

from __future__ import annotations

import fcntl
import shutil
import socket
import struct
import subprocess

import pytest

_SET_FLAGS, _UP_AND_RUNNING = 0x8914, 0x41


def without_network() -> list[str]:
    """Return the command that runs what follows it without any network."""
    return ["unshare", "--map-root-user", "--net", "--"]


def bring_loopback_up() -> None:
    """Let programs of this namespace talk with each other: a new one has its loopback switched off."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP_AND_RUNNING))


def _are_allowed() -> bool:
    tool = shutil.which("unshare")
    return tool is not None and subprocess.run([*without_network(), "true"], capture_output=True).returncode == 0


needs_namespaces = pytest.mark.skipif(not _are_allowed(), reason="this kernel lets us make no network namespace")
