from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

from smallprint.errors import BadSetting
from smallprint.settings import PREFIX, Settings, described, load, public_values, settings_file

DEFAULTS = Settings()


@pytest.fixture
def write(tmp_path):
    """Write a settings file, and give an environment that names it."""

    def write_file(text: str, **environ: str) -> dict[str, str]:
        path = tmp_path / "settings.toml"
        path.write_text(text, encoding="utf-8")
        return {PREFIX + "SETTINGS": str(path), **{PREFIX + name.upper(): value for name, value in environ.items()}}

    return write_file


@pytest.fixture
def environ(tmp_path):
    """Give an environment without a settings file."""
    return {"XDG_CONFIG_HOME": str(tmp_path)}


def test_defaults(environ):
    assert load(environ) == DEFAULTS


def test_the_environment_goes_before_the_file_and_the_file_before_the_default(write):
    found = load(write('min_words = 70\nworkers = 3\ncandidates = "any"\n', min_words="80", crawl_delay="0.5"))
    assert found == replace(DEFAULTS, min_words=80, workers=3, candidates="any", crawl_delay=0.5)


def test_overrides_go_before_all_unless_they_are_none(write):
    found = load(write("min_words = 70\nworkers = 3\n", min_words="80"), min_words=90, workers=None)
    assert found == replace(DEFAULTS, min_words=90, workers=3)


def test_an_empty_variable_says_nothing(write):
    assert load(write("min_words = 70\n", min_words="")) == replace(DEFAULTS, min_words=70)


def test_other_variables_are_none_of_ours(environ):
    assert load({**environ, "MIN_WORDS": "1", "HOME": "/nowhere"}) == DEFAULTS


def test_kinds_of_values(write):
    environ = write('library = "~/x.db"\ncrawl_timeout = 3\ncrawl_private = true\nmin_words = "60"\n')
    home = Path.home() / "x.db"
    found = load(environ)
    assert found == replace(DEFAULTS, library=home, crawl_timeout=3.0, crawl_private=True, min_words=60)
    assert isinstance(found.crawl_timeout, float)


@pytest.mark.parametrize(
    ("word", "value"), [("1", True), ("Yes", True), (" on ", True), ("0", False), ("FALSE", False)]
)
def test_flags(environ, word, value):
    assert load({**environ, PREFIX + "CRAWL_PRIVATE": word}) == replace(DEFAULTS, crawl_private=value)


def test_where_the_file_is_looked_for():
    assert settings_file({"XDG_CONFIG_HOME": "/etc/me"}) == Path("/etc/me/smallprint/settings.toml")
    assert settings_file({}) == Path.home() / ".config/smallprint/settings.toml"
    assert settings_file({"XDG_CONFIG_HOME": "/etc/me", PREFIX + "SETTINGS": "/my.toml"}) == Path("/my.toml")


def test_the_file_in_its_usual_place_is_read(environ, tmp_path):
    (tmp_path / "smallprint").mkdir()
    (tmp_path / "smallprint" / "settings.toml").write_text("workers = 7\n", encoding="utf-8")
    assert load(environ) == replace(DEFAULTS, workers=7)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("min_wrods", "1", r"^'min_wrods' in the environment is not a setting; 'smallprint settings' lists them$"),
        ("workers", "many", r"^workers = 'many' in the environment is not a whole number$"),
        ("workers", "2.7", r"^workers = '2.7' in the environment is not a whole number$"),
        ("workers", "-1", r"^workers = -1: choose a number that is not negative$"),
        ("crawl_delay", "-0.5", r"^crawl_delay = -0.5: choose a number from 0 to 3,600 \(seconds\)$"),
        ("crawl_delay", "nan", r"^crawl_delay = nan: choose a number"),
        ("crawl_delay", "inf", r"^crawl_delay = inf: choose a number"),
        ("policy_threshold", "1.5", r"^policy_threshold = 1.5: choose a number from 0 to 1$"),
        ("serve_port", "65536", r"^serve_port = 65536: choose a port up to 65535$"),
        ("alexa_seconds", "8", r"^alexa_seconds = 8\.0: choose a number from 0\.1 to 7\.5 \(seconds\)$"),
        ("near_duplicate", "-0.1", r"^near_duplicate = -0.1: choose a number from 0 to 1$"),
        ("near_duplicate", "nan", r"^near_duplicate = nan: choose a number from 0 to 1$"),
        ("candidates", "all", r"^candidates = 'all': choose 'auto', 'url' or 'any'$"),
        ("crawl_private", "maybe", r"^crawl_private = 'maybe' in the environment is not true or false$"),
        ("library", "~nobody-here/x.db", r"^library = '~nobody-here/x.db' in the environment is not a path$"),
    ],
)
def test_bad_values_in_the_environment(environ, name, value, message):
    with pytest.raises(BadSetting, match=message):
        load({**environ, PREFIX + name.upper(): value})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("min_wrods = 1", r"^'min_wrods' in the settings file is not a setting"),
        ("[crawl]\ndelay = 1", r"^'crawl' in the settings file is not a setting"),
        ("workers = 2.7", r"^workers = 2.7 in the settings file is not a whole number$"),
        ("workers = inf", r"^workers = inf in the settings file is not a whole number$"),
        ("workers = true", r"^workers = True in the settings file is not a whole number$"),
        ("workers = [1]", r"^workers = \[1\] in the settings file is not a whole number$"),
        ("workers = -1", r"^workers = -1: choose a number that is not negative$"),
        ("crawl_delay = false", r"^crawl_delay = False in the settings file is not a number$"),
        ("crawl_delay = nan", r"^crawl_delay = nan: choose a number"),
        ("workers = ", r"settings\.toml is not valid TOML \(.*\); correct it or move it away$"),
    ],
)
def test_bad_values_in_the_file(write, text, message):
    with pytest.raises(BadSetting, match=message):
        load(write(text))


def test_a_file_that_is_no_text(write, tmp_path):
    environ = write("")
    (tmp_path / "settings.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadSetting, match="not valid TOML"):
        load(environ)


def test_a_file_that_is_named_must_be_there(tmp_path):
    with pytest.raises(BadSetting, match="which is not a file"):
        load({PREFIX + "SETTINGS": str(tmp_path / "none.toml")})
    with pytest.raises(BadSetting, match="which is not a file"):
        load({PREFIX + "SETTINGS": str(tmp_path)})


def test_a_bad_override(environ):
    with pytest.raises(BadSetting, match="policy_threshold = 2: choose a number from 0 to 1"):
        load(environ, policy_threshold=2)


def test_every_setting_says_what_it_is():
    listed = described()
    assert [name for name, _, _ in listed] == [f.name for f in fields(Settings)]
    assert [default for _, default, _ in listed] == [getattr(DEFAULTS, f.name) for f in fields(Settings)]
    assert [name for name, _, text in listed if len(text.split()) < 4 or not text.endswith(".")] == []


@pytest.mark.parametrize(
    "token", ["short", "fifteen-letters", "with blanks in it, though long", "umlauts-äöü-0123456789"]
)
def test_a_token_that_is_too_weak_is_refused_and_not_shown(environ, token):
    with pytest.raises(BadSetting) as raised:
        load({**environ, "SMALLPRINT_SERVE_TOKEN": token})
    assert str(raised.value) == "serve_token: choose at least 16 ASCII characters without blanks"


def test_of_a_secret_only_that_it_is_set_is_shown(environ):
    settings = load({**environ, "SMALLPRINT_SERVE_TOKEN": "sixteen-letters!"})
    assert settings.serve_token == "sixteen-letters!"
    assert public_values(settings)["serve_token"] == "(set)"
    assert public_values(Settings())["serve_token"] == ""
    assert "sixteen" not in repr(settings)
