"""The second proof: the server answers everything where there is no network at all."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from .namespaces import needs_namespaces, without_network
from .places import Place
from .sessions import PATIENCE
from .surfaces import SURFACES

pytestmark = pytest.mark.traced


@needs_namespaces
def test_every_surface_answers_without_a_network(tmp_path, annotated_sample):
    place = Place(tmp_path / "run").make()
    place.library.parent.mkdir(parents=True)
    shutil.copy(annotated_sample, place.library)
    shutil.copytree(f"{annotated_sample}.index", f"{place.library}.index")
    command = [*without_network(), sys.executable, "-m", "tests.traced.namespace_session", str(place.root)]
    done = subprocess.run(command, env=place.environment(), capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout) == (0, f"{sum(map(len, SURFACES.values()))}\n"), done.stderr
