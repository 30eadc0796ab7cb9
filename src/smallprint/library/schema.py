"""The tables, as numbered migrations: a library of any earlier version is brought up to date when it is opened."""

from __future__ import annotations

# Never change a migration that was released; add the next one. The number of migrations is the schema's version.
MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

    -- What arrived, byte by byte, under the first half of its SHA-256.
    CREATE TABLE pages (
        page_id TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        charset TEXT,
        bytes INTEGER NOT NULL,
        content BLOB NOT NULL
    );

    -- Texts, policies' and whole pages', under the first half of their SHA-256: the same text is held once.
    CREATE TABLE texts (
        text_id TEXT PRIMARY KEY,
        characters INTEGER NOT NULL,
        content BLOB NOT NULL
    );

    CREATE TABLE policies (
        policy_id TEXT PRIMARY KEY,
        url TEXT NOT NULL,
        domain TEXT NOT NULL,
        current_version TEXT REFERENCES versions (version_id) DEFERRABLE INITIALLY DEFERRED,
        copy_of TEXT REFERENCES policies (policy_id),
        folded_under TEXT REFERENCES policies (policy_id)
    ) WITHOUT ROWID;
    CREATE INDEX policies_by_domain ON policies (domain);

    -- A version is a distinct text of a policy; what is said of it comes from its earliest capture.
    CREATE TABLE versions (
        version_id TEXT PRIMARY KEY,
        policy_id TEXT NOT NULL REFERENCES policies (policy_id),
        text_id TEXT NOT NULL REFERENCES texts (text_id),
        page_text_id TEXT NOT NULL REFERENCES texts (text_id),
        page_id TEXT NOT NULL REFERENCES pages (page_id),
        title TEXT NOT NULL,
        p_policy REAL NOT NULL,
        effective_on TEXT,
        updated_on TEXT,
        words INTEGER NOT NULL,
        cleaner INTEGER NOT NULL,
        UNIQUE (policy_id, text_id)
    ) WITHOUT ROWID;
    CREATE INDEX versions_by_text ON versions (text_id);

    -- Every time a policy was seen.
    CREATE TABLE captures (
        policy_id TEXT NOT NULL REFERENCES policies (policy_id),
        captured_at TEXT NOT NULL,
        version_id TEXT NOT NULL REFERENCES versions (version_id),
        page_id TEXT NOT NULL REFERENCES pages (page_id),
        asked_url TEXT NOT NULL,
        source TEXT NOT NULL,
        PRIMARY KEY (policy_id, captured_at, version_id)
    ) WITHOUT ROWID;

    CREATE TABLE segments (
        version_id TEXT NOT NULL REFERENCES versions (version_id),
        ordinal INTEGER NOT NULL,
        kind TEXT NOT NULL,
        start INTEGER NOT NULL,
        "end" INTEGER NOT NULL,
        headings TEXT NOT NULL,
        lead_in TEXT,
        sentences TEXT NOT NULL,
        PRIMARY KEY (version_id, ordinal)
    ) WITHOUT ROWID;

    CREATE TABLE rejections (
        source TEXT NOT NULL,
        url TEXT NOT NULL,
        captured_at TEXT NOT NULL,
        reason TEXT NOT NULL,
        detail TEXT NOT NULL,
        PRIMARY KEY (source, url, captured_at)
    ) WITHOUT ROWID;
    CREATE INDEX rejections_by_reason ON rejections (reason);

    -- Near-duplicates: the bands of every policy text, which texts were compared, and the pairs found alike.
    CREATE TABLE bands (
        hash INTEGER NOT NULL,
        text_id TEXT NOT NULL REFERENCES texts (text_id),
        PRIMARY KEY (hash, text_id)
    ) WITHOUT ROWID;
    CREATE INDEX bands_by_text ON bands (text_id);
    CREATE TABLE banded (
        text_id TEXT PRIMARY KEY REFERENCES texts (text_id),
        shingles INTEGER NOT NULL,
        compared INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE INDEX banded_not_compared ON banded (text_id) WHERE compared = 0;
    CREATE TABLE alike (
        one TEXT NOT NULL REFERENCES texts (text_id),
        other TEXT NOT NULL REFERENCES texts (text_id),
        jaccard REAL NOT NULL,
        PRIMARY KEY (one, other)
    ) WITHOUT ROWID;

    -- How far each source was read: a stopped run goes on from there.
    CREATE TABLE ingests (
        fingerprint TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        position INTEGER NOT NULL,
        finished INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;

    CREATE TABLE frontier (
        place INTEGER PRIMARY KEY,
        url TEXT NOT NULL UNIQUE,
        home INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        not_before REAL NOT NULL DEFAULT 0,
        outcome TEXT,
        etag TEXT,
        last_modified TEXT
    );
    CREATE INDEX frontier_due ON frontier (place) WHERE outcome IS NULL;

    CREATE TABLE popularity (
        domain TEXT PRIMARY KEY,
        pagerank REAL NOT NULL,
        value REAL NOT NULL,
        estimated INTEGER NOT NULL
    ) WITHOUT ROWID;
    """,
    """
    -- Who stands behind a domain, from a list that was imported; of several, the one with the most staff.
    CREATE TABLE companies (
        domain TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        industry TEXT,
        sector TEXT,
        founded INTEGER,
        size TEXT,
        country TEXT,
        staff INTEGER NOT NULL
    ) WITHOUT ROWID;

    -- All that a model says of a version, compressed; the tables after it hold what is filtered by.
    CREATE TABLE annotations (
        version_id TEXT NOT NULL REFERENCES versions (version_id),
        kind TEXT NOT NULL,
        model TEXT NOT NULL,
        model_version TEXT NOT NULL,
        content BLOB NOT NULL,
        PRIMARY KEY (version_id, kind)
    ) WITHOUT ROWID;
    CREATE TABLE measures (
        version_id TEXT PRIMARY KEY REFERENCES versions (version_id),
        grade REAL,
        sentences INTEGER,
        candidates INTEGER,
        vague INTEGER,
        sector TEXT,
        sector_probability REAL
    ) WITHOUT ROWID;
    CREATE TABLE mentioned (
        version_id TEXT NOT NULL REFERENCES versions (version_id),
        name TEXT NOT NULL,
        places INTEGER NOT NULL,
        PRIMARY KEY (version_id, name)
    ) WITHOUT ROWID;
    CREATE INDEX mentioned_by_name ON mentioned (name);
    -- The labels that hold for at least one segment of a version: for how many, and how likely at best.
    CREATE TABLE practised (
        version_id TEXT NOT NULL REFERENCES versions (version_id),
        label TEXT NOT NULL,
        segments INTEGER NOT NULL,
        probability REAL NOT NULL,
        PRIMARY KEY (version_id, label)
    ) WITHOUT ROWID;
    CREATE INDEX practised_by_label ON practised (label);
    """,
    """
    CREATE INDEX policies_by_leader ON policies (folded_under) WHERE folded_under IS NOT NULL;
    """,
    """
    -- What readers said of answers. Nothing tells who they are; a question over many policies is of no single one.
    CREATE TABLE feedback (
        place INTEGER PRIMARY KEY,
        given_at TEXT NOT NULL,
        verdict TEXT NOT NULL CHECK (verdict IN ('right', 'wrong', 'missing')),
        policy_id TEXT,
        version_id TEXT,
        question TEXT NOT NULL,
        state TEXT NOT NULL,
        line TEXT NOT NULL,
        places TEXT NOT NULL,
        note TEXT NOT NULL
    );
    """,
    """
    -- A version that was replaced when its page was read again names its successor. It has no captures any more, but
    -- its text and segments stay readable, since evidence may cite them.
    ALTER TABLE versions ADD COLUMN successor TEXT REFERENCES versions (version_id);
    ALTER TABLE versions ADD COLUMN replaced_at TEXT;
    CREATE INDEX versions_by_successor ON versions (successor) WHERE successor IS NOT NULL;
    -- The cleaner that would turn a stored version away, and why; it is kept as an earlier cleaner read it.
    ALTER TABLE versions ADD COLUMN turned_away_by INTEGER;
    ALTER TABLE versions ADD COLUMN turned_away_for TEXT;
    -- To tell quickly whether anybody still needs a page or a text.
    CREATE INDEX versions_by_page ON versions (page_id);
    CREATE INDEX versions_by_page_text ON versions (page_text_id);

    -- What is needed to read a page again as it was read at first: the title that its source gave it, empty if it gave
    -- none; NULL if it was stored before titles were kept.
    ALTER TABLE captures ADD COLUMN given_title TEXT;
    ALTER TABLE rejections ADD COLUMN page_id TEXT REFERENCES pages (page_id);
    ALTER TABLE rejections ADD COLUMN final_url TEXT;
    ALTER TABLE rejections ADD COLUMN given_title TEXT;
    -- The compressed size of its page, and the cleaner that judged it; both only where the page is kept.
    ALTER TABLE rejections ADD COLUMN kept_bytes INTEGER;
    ALTER TABLE rejections ADD COLUMN cleaner INTEGER;
    CREATE INDEX rejections_by_page ON rejections (page_id, kept_bytes) WHERE page_id IS NOT NULL;
    CREATE INDEX captures_by_page ON captures (page_id);

    -- Versions that could not be annotated, why, and by which annotators: they are left out until those change or
    -- somebody asks for them.
    CREATE TABLE set_aside (
        version_id TEXT PRIMARY KEY REFERENCES versions (version_id),
        reason TEXT NOT NULL,
        detail TEXT NOT NULL,
        annotators TEXT NOT NULL
    ) WITHOUT ROWID;
    """,
    """
    -- The day on which an annotation was made; NULL if it was stored before days were noted.
    ALTER TABLE annotations ADD COLUMN made_on TEXT;
    """,
    """
    -- The links of a version as [start, end, address]; NULL if it was read before links were kept ('reread' adds them).
    ALTER TABLE versions ADD COLUMN links TEXT;
    """,
    """
    -- An ISO 639 code. All that was stored before languages were noted is English.
    ALTER TABLE versions ADD COLUMN language TEXT NOT NULL DEFAULT 'en';
    ALTER TABLE captures ADD COLUMN language TEXT NOT NULL DEFAULT 'en';
    """,
    """
    -- What a version says on the questions of the card, by their codes, and how sure that is.
    CREATE TABLE verdicts (
        version_id TEXT NOT NULL REFERENCES versions (version_id),
        code TEXT NOT NULL,
        verdict TEXT NOT NULL,
        confidence REAL NOT NULL,
        PRIMARY KEY (version_id, code)
    ) WITHOUT ROWID;
    CREATE INDEX verdicts_by_code ON verdicts (code, verdict);
    """,
    """
    -- The other legal documents on a version's page as [kind, title]; NULL if it was read before pages were cut.
    ALTER TABLE versions ADD COLUMN documents TEXT;
    """,
)
APPLICATION_ID = 0x536D5072  # "SmPr"
