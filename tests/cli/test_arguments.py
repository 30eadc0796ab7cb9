from __future__ import annotations

import os
import subprocess
import sys

import pytest

from smallprint.cli.app import fault

LATIN = "caf\udce9"  # how Python hands over "café" in Latin-1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", "café"], ""),
        (["show", LATIN], r"'caf\udce9' is not written in UTF-8; check the encoding of the terminal (see 'locale')"),
        (["show", f"--version={LATIN}"], r"'caf\udce9' is not written in UTF-8; "),
        (["ask", "a.example", LATIN * 1_000], r"'caf\udce9caf"),
    ],
)
def test_what_is_no_utf8_is_told(arguments, message):
    assert fault(arguments).startswith(message)
    assert bool(fault(arguments)) == bool(message)
    assert len(fault(arguments)) < 2_000


def test_a_file_may_have_any_name(tmp_path):
    path = tmp_path / f"{LATIN}.html"
    path.touch()
    assert fault(["ingest", str(path)]) == ""


def run_in(locale: dict[str, str], *arguments: str | bytes, cwd) -> subprocess.CompletedProcess[bytes]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    return subprocess.run(
        [sys.executable, "-m", "smallprint", *arguments], env=environment | locale, cwd=cwd, capture_output=True
    )


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}])
def test_accents_in_the_c_locale(tmp_path, locale):
    from smallprint import sample

    folder = tmp_path / "café"
    folder.mkdir()
    (folder / "crème.html").write_bytes(next(iter(sample.pages())).content)
    done = run_in(locale, "ingest", "café", "-w", "1", "--quality", "none", "--library", "é.db", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines()[1].startswith("In é.db: ")
    assert (tmp_path / "é.db").is_file()
    searched = run_in(locale, "search", "café", "--library", "é.db", "--json", cwd=tmp_path)
    assert searched.returncode == 0
    named = run_in(locale, "show", "café", "--library", "é.db", cwd=tmp_path)
    assert (named.returncode, named.stderr.decode()) == (
        1, "smallprint: the library has no policy 'café'; give an id, an address or a domain\n"
    )  # fmt: skip
    latin = run_in(locale, "show", b"caf\xe9", "--library", "é.db", cwd=tmp_path)
    assert latin.returncode == 2
    assert latin.stderr.decode().startswith(r"smallprint: 'caf\udce9' is not written in UTF-8; ")


@pytest.mark.parametrize("name", ["a" * 60_000, "https://a.example/" + "a" * 60_000, "a" * 60_000 + ".example"])
@pytest.mark.parametrize("command", [["show"], ["diff"], ["ask"], ["compare", "a.example"]])
def test_names_of_any_length_are_one_short_line(run, sample_library, command, name):
    arguments = [*command, name, *(["Do you sell my data?"] if command == ["ask"] else [])]
    done = run(*arguments, "--library", sample_library.path)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("smallprint: ")
    assert "the library has no policy '" in done.err or "an address has 16,000 at most" in done.err
    assert done.err.count("\n") == 1
    assert len(done.err) < 400
