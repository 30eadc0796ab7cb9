"""Every error that a user can meet: its message is one line and says what to do next."""

from __future__ import annotations


class SmallprintError(Exception):
    """Something the user can mend; shown as one line, without a traceback."""


class BadSetting(SmallprintError):
    """A setting is unknown or its value cannot be read."""


class BadSource(SmallprintError):
    """A source is not there, cannot be opened, or is of no known kind."""


class BadAddress(SmallprintError):
    """A URL is malformed or may not be fetched."""


class NotFetched(SmallprintError):
    """A page could not be fetched."""


class LibraryError(SmallprintError):
    """The library file cannot be used."""


class NotALibrary(LibraryError):
    """The file is something other than a library of ours."""


class DamagedLibrary(NotALibrary):
    """The file cannot be read as a database: it is damaged, or was never one."""


class BadBackup(SmallprintError):
    """A backup cannot be made or restored."""


class LibraryTooNew(LibraryError):
    """The library was written by a newer Smallprint."""


class LibraryBusy(LibraryError):
    """Another process is writing to the library."""


class TooManyExports(LibraryBusy):
    """As many exports are being made as may be at once."""


class ReadOnlyLibrary(LibraryError):
    """The library is on storage that cannot be written to."""


class LibraryFull(LibraryError):
    """There is no room left on the disk."""


class DamagedText(LibraryError):
    """A stored text, page or annotation is not what was stored."""


class NoSuchPolicy(LibraryError):
    """No policy of that name is in the library, or several are."""


class NotConfirmed(SmallprintError):
    """What cannot be undone was asked for, but not confirmed."""


class BadIndex(SmallprintError):
    """The search index cannot be used."""


class BadQuery(SmallprintError):
    """A filter, range or ranking was asked for that does not exist."""


class BadConversation(BadQuery):
    """A conversation was to be resumed, but what was handed in is none."""


class BadFeedback(BadQuery):
    """What was said of an answer is not of the form that pages send, or is too much."""


class NotFromAlexa(BadQuery):
    """A request to the voice endpoint is not one that Alexa has just made for this skill, or is in no form it has."""


class TokenInAddress(BadQuery):
    """The token of a server was sent in an address, where browsers and proxies keep it."""


class NoSuchPaste(SmallprintError):
    """A pasted text is not kept, or not any more."""


class NotSignedIn(SmallprintError):
    """A request to write came without the server's token, or with a wrong or expired one."""


class TooManyTries(SmallprintError):
    """Too many wrong tokens came from one client."""


class NoSuchExport(BadQuery):
    """An export was to be made again, but its id is none."""


class LibraryChanged(SmallprintError):
    """An export was to be made again, but the library has changed since."""


class TooSlow(SmallprintError):
    """An answer took longer than it may."""


class ClientGone(SmallprintError):
    """Whoever asked has left before the answer was there."""


class TooBusy(SmallprintError):
    """As many jobs are waiting as may."""


class JobFailed(SmallprintError):
    """A job failed in its process, or took the process down with it."""


class TooLargeJob(JobFailed):
    """A job takes more memory than it may."""


class NoSuchVersion(NoSuchPolicy):
    """A policy has no such version, or none to compare it with."""


class OurChange(NoSuchVersion):
    """Two ids mean one version, which an earlier cleaner read differently: the policy did not change."""


class NoSuchSegment(NoSuchPolicy):
    """A version has no passage of that number."""


class NoModel(SmallprintError):
    """Model weights are missing or are not the ones expected."""


class NoData(SmallprintError):
    """Data needed for training or evaluation is missing or in another layout."""


class MissingExtra(SmallprintError):
    """A command needs an optional dependency that is not installed."""
