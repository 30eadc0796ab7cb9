from __future__ import annotations

import hashlib

import zstandard

from smallprint.library import Library
from smallprint.library.dump import LEFT_OUT, digest, logical_dump
from smallprint.library.packing import CLEANER, compress
from smallprint.library.writing import note_progress, save

from .making import capture, prose, rejection


def test_every_column_of_every_table_is_dumped_or_left_out_on_purpose(library):
    assert {
        "ingests": {"fingerprint"}, "frontier": {"place", "not_before"}, "feedback": {"place", "given_at"},
        "versions": {"replaced_at"}, "annotations": {"made_on"},
    } == LEFT_OUT  # fmt: skip
    for table, columns in LEFT_OUT.items():
        assert columns <= {row["name"] for row in library.db.execute(f"PRAGMA table_info({table})")}


def test_a_dump_line_by_line(library):
    with library.transaction() as db:
        save(db, [capture("https://a.example/privacy", "We keep it.", "2024-05-06T07:08:09Z"), rejection("urn:x")])
        note_progress(db, "print of the file", "jsonl:x", 2, finished=True)
    new = capture("https://a.example/privacy", "We keep it.")
    texts = sorted([(new.text_id, "We keep it."), (new.page_text_id, "Menu\nWe keep it.")])
    sha = {name: hashlib.sha256(content.encode()).hexdigest() for name, content in texts}
    page = hashlib.sha256(b"<p>We keep it.</p>").hexdigest()
    assert list(logical_dump(library)) == [
        f'pages ["{new.page_id}", "html", null, 18, "{page}"]',
        *(f'texts ["{name}", {len(content)}, "{sha[name]}"]' for name, content in texts),
        f'policies ["{new.policy_id}", "https://a.example/privacy", "a.example", "{new.version_id}", null, null]',
        f'versions ["{new.version_id}", "{new.policy_id}", "{new.text_id}", "{new.page_text_id}", "{new.page_id}", '
        f'"Privacy policy", 0.9, null, null, 3, {CLEANER}, null, null, null, "[]", "en", "[]"]',
        f'captures ["{new.policy_id}", "2024-05-06", "{new.version_id}", "{new.page_id}", "https://a.example/privacy", '
        '"test", "", "en"]',
        f'segments ["{new.version_id}", 0, "paragraph", 0, 11, "[\\"Data\\"]", null, "[[0,11]]"]',
        'rejections ["test", "urn:x", "2024-01-01", "too short", "because it is too short", '
        "null, null, null, null, null]",
        *(f'bands [{band}, "{new.text_id}"]' for band in sorted(new.bands)),
        f'banded ["{new.text_id}", 1, 0]',
        'ingests ["jsonl:x", 2, 1]',
    ]


def test_the_digest_is_of_the_content_and_not_of_how_it_is_packed(library, tmp_path):
    new = capture("https://a.example/privacy", prose(1))
    other = capture("https://a.example/privacy", prose(2))
    digests = []
    for number, results in enumerate(([new], [new], [other])):
        with Library(tmp_path / f"{number}.db", create=True) as one, one.transaction() as db:
            save(db, results)
            if number == 1:
                packed = zstandard.ZstdCompressor(level=19).compress(prose(1).encode())
                assert packed != compress(prose(1).encode())
                db.execute("UPDATE texts SET content = ? WHERE text_id = ?", (packed, new.text_id))
            digests.append(digest(one))
    assert digests[0] == digests[1] != digests[2]
    lines = "".join(f"{line}\n" for line in logical_dump(library))
    assert digest(library) == hashlib.sha256(lines.encode()).hexdigest()
