"""The records that operations take and return, and the words of these, for pages, API, voice, MCP and commands.

Edges import this and `Shelf`, and nothing that stands below: what a record is made of may move without them.
"""

from smallprint.annotate.links import by_kind
from smallprint.annotate.mentions import Name, names
from smallprint.ask.answer.answering import SUMMARY, Answer
from smallprint.ask.answer.decision import State
from smallprint.ask.dialogue.conversation import Conversation, from_json
from smallprint.assistant.desk import MOST_PASSAGES
from smallprint.assistant.replies import OF_LIBRARY, OF_POLICY, Compared, NamedCitation, Reply, Spoken
from smallprint.index.engine import Explanation
from smallprint.index.fields import FACETS, KEYED, RANGES, Field, site_name
from smallprint.index.tree import Ranking
from smallprint.library.annotations import SetAsideVersion
from smallprint.library.backups import Manifest
from smallprint.library.feedback import MOST_PLACES, VERDICTS, Feedback, Place, Verdict
from smallprint.library.findable import PolicySummary
from smallprint.library.pastes import Pastes
from smallprint.library.reading import PolicyEntry, VersionEntry
from smallprint.library.soundness import Fault
from smallprint.library.statistics import BINS, Distribution, LibraryRates, Spread, Statistics
from smallprint.pipeline.ingest import Outcome, fetch_page
from smallprint.pipeline.refresh import AnnotatedVersions
from smallprint.pipeline.workers import OnProgress, Progress, Tally
from smallprint.search.exports import Format, Heading, without_paging
from smallprint.search.language import ParsedQuery, parse_query
from smallprint.search.request import MOST_SIZE, PAGE_SIZE, Range, Request, read_request, request_of
from smallprint.search.results import Counted, FacetCounts, RangeCounts, Result, Results, as_plain
from smallprint.search.snippets import Snippet, lacking, telling_places
from smallprint.view.card import Card, CardAnswer
from smallprint.view.changes import Change, Summary
from smallprint.view.comparison import FEWEST, MOST, Cell, Comparison, Row
from smallprint.view.evidence import EvidenceSheet
from smallprint.view.glance import Glance, glance, pasted
from smallprint.view.labels import UNTOLD, chance
from smallprint.view.policy import PolicyRecord, PolicyView, Sayings, SegmentSaid
from smallprint.view.revisions import CitedVersion, Paragraph, Revision
from smallprint.view.revisions import in_words as citation_in_words
from smallprint.view.unusual import HIGH, LEAST_POLICIES, LOW, SILENCE, Unusual, in_words
