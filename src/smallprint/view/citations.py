"""The version of a policy that somebody names, as it is cited: a replaced one with its own text and its successor."""

from __future__ import annotations

from dataclasses import dataclass

from smallprint.errors import NoSuchVersion
from smallprint.library.file import Library
from smallprint.library.reading import PolicyEntry, VersionEntry
from smallprint.library.successors import replaced_version, successors
from smallprint.view.revisions import choose, is_named


@dataclass(frozen=True, slots=True)
class CitedVersion:
    """A version whose text is cited.

    `successor` is how the same page reads today, where the version was replaced by a newer cleaner's; else None.
    """

    version: VersionEntry
    successor: VersionEntry | None = None


def cited_version(library: Library, entry: PolicyEntry, wanted: str | None = None) -> CitedVersion:
    """Find a version as `choose` does, but return a replaced one as it was; by default the current one."""
    if not wanted:
        return CitedVersion(entry.current)
    version = choose(library, entry, wanted)
    if is_named(version.version_id, wanted):
        return CitedVersion(version)
    replaced = [old for old, new in successors(library, entry.policy_id).items() if is_named(old, wanted)]
    if not replaced:  # it was named by a date
        return CitedVersion(version)
    if len(replaced) > 1:
        raise NoSuchVersion(f"{len(replaced)} versions that were replaced begin with {wanted!r}; give the whole id")
    return CitedVersion(replaced_version(library, replaced[0], version), version)


def in_words(cited: CitedVersion) -> str:
    """Say that a text is of an earlier reading, and what the page reads as today; empty where it is not."""
    if cited.successor is None:
        return ""
    return (
        "This text was read by an earlier version of our cleaner; the same page reads today as "
        f"{cited.successor.version_id}."
    )
