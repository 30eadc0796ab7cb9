"""Every error that a user can meet: its message is one line and says what to do next."""

from __future__ import annotations


class SmallprintError(Exception):
    """Something the user can fix; shown as one line, without a traceback."""


class OutOfTime(Exception):
    """Work on one document was interrupted. No TimeoutError: those are OSErrors, which whoever reads a file catches."""


class BadSetting(SmallprintError):
    """A setting is unknown, or its value is not allowed."""


class BadSource(SmallprintError):
    """A source does not exist, cannot be opened, or is of an unknown kind."""


class BadAddress(SmallprintError):
    """A URL is malformed or may not be fetched."""


class NotFetched(SmallprintError):
    """A page could not be fetched."""


class LibraryError(SmallprintError):
    """The library file cannot be used."""


class NotALibrary(LibraryError):
    """The file is not a Smallprint library."""


class DamagedLibrary(NotALibrary):
    """The file cannot be read as a database: it is damaged, or was never one."""


class BadBackup(SmallprintError):
    """A backup cannot be made or restored."""


class LibraryTooNew(LibraryError):
    """The library was written by a newer Smallprint."""


class LibraryBusy(LibraryError):
    """Another process is writing to the library."""


class TooManyExports(LibraryBusy):
    """Too many exports are running."""


class ReadOnlyLibrary(LibraryError):
    """The library is on storage that cannot be written to."""


class LibraryFull(LibraryError):
    """The disk is full."""


class DamagedText(LibraryError):
    """A stored text, page or annotation is damaged."""


class NoSuchPolicy(LibraryError):
    """The library has no policy of that name, or several."""


class NotConfirmed(SmallprintError):
    """Something that cannot be undone was not confirmed."""


class BadIndex(SmallprintError):
    """The search index cannot be used."""


class BadQuery(SmallprintError):
    """A filter, range or ranking does not exist."""


class BadConversation(BadQuery):
    """The conversation to continue cannot be read."""


class BadFeedback(BadQuery):
    """Feedback on an answer is malformed or too long."""


class NotFromAlexa(BadQuery):
    """A request to the voice endpoint is malformed, or Alexa has not just made it for this skill."""


class TokenInAddress(BadQuery):
    """The server's token was sent in an address, where browsers and proxies store it."""


class NoSuchPaste(SmallprintError):
    """There is no such pasted text, or no longer."""


class FetchingIsOff(SmallprintError):
    """Pages are to be fetched by a server that may not."""


class NotSignedIn(SmallprintError):
    """A request to write has no token, or a wrong or expired one."""


class TooManyTries(SmallprintError):
    """Too many wrong tokens came from one client."""


class NoSuchExport(BadQuery):
    """The id of an export to repeat is not an export's id."""


class LibraryChanged(SmallprintError):
    """The library has changed since the export that is to be repeated."""


class TooSlow(SmallprintError):
    """An answer took too long."""


class ClientGone(SmallprintError):
    """The client left before the answer was ready."""


class TooBusy(SmallprintError):
    """Too many jobs are waiting."""


class JobFailed(SmallprintError):
    """A job failed, or crashed its process."""


class TooLargeJob(JobFailed):
    """A job took too much memory."""


class NoSuchVersion(NoSuchPolicy):
    """A policy has no such version, or none to compare it with."""


class OurChange(NoSuchVersion):
    """Two ids mean one version, which an earlier cleaner read differently: the policy did not change."""


class NoSuchSegment(NoSuchPolicy):
    """A version has no passage with that number."""


class NoModel(SmallprintError):
    """Model weights are missing or are not the ones expected."""


class NoData(SmallprintError):
    """Data needed for training or evaluation is missing or in another layout."""


class MissingExtra(SmallprintError):
    """A command needs an optional dependency that is not installed."""
