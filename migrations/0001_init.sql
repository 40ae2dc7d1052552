-- The whole schema. Times are milliseconds since 1970 (UTC) in columns named `…_at`, `…_since`,
-- `not_before` or `end_by`; nothing is ordered by them. A released column never changes its
-- meaning, and later migrations only add.
--
-- What a row must be by itself is a CHECK, what it refers to in its own scope a FOREIGN KEY with
-- that scope; the doctor looks for the rest. Whatever hangs on a workflow goes with it. SQLite
-- removes rows of later tables first, and looks for what refers to a removed row by an index only
-- if there is one: so what refers to messages, which has none, has no FOREIGN KEY.

CREATE TABLE daemon_state (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A scope is a row here, `global:main` too. Rows elsewhere name it by id, so that `--fresh` can
-- archive a scope under another tag by changing one row.
CREATE TABLE workflows (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    name             TEXT    NOT NULL,
    tag              TEXT    NOT NULL,
    mode             TEXT    NOT NULL CHECK (mode IN ('run', 'start')),
    state            TEXT    NOT NULL CHECK (state IN ('created', 'setting_up', 'running',
                         'completed', 'failed', 'stopped', 'stalled')),
    generation       INTEGER NOT NULL DEFAULT 0,
    kicked_off       INTEGER NOT NULL DEFAULT 0,   -- the generation whose kickoff was sent
    config_yaml      TEXT,
    folder           TEXT,
    path_env         TEXT,
    home             TEXT,
    params           TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(params)),
    timezone         TEXT,
    document_owner   TEXT,
    limits           TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(limits)),
    setup            TEXT,                         -- the step that runs
    outcome          TEXT,
    outcome_reason   TEXT,
    tokens_used      INTEGER NOT NULL DEFAULT 0,
    cost_used        INTEGER NOT NULL DEFAULT 0,   -- millionths of a dollar
    runs_used        INTEGER NOT NULL DEFAULT 0,
    duration_used    INTEGER NOT NULL DEFAULT 0,   -- ms in `running`, up to `running_since`
    running_since    INTEGER,
    created_at       INTEGER NOT NULL,
    started_at       INTEGER,
    ended_at         INTEGER,
    is_archived      INTEGER NOT NULL DEFAULT 0,   -- `--fresh` has put it away: it stays as it ended, and needs nobody
    UNIQUE (name, tag),
    CHECK (kicked_off <= generation),
    CHECK (setup IS NULL OR state = 'setting_up'),
    CHECK ((state = 'running') = (running_since IS NOT NULL)),
    CHECK (iif(state IN ('completed', 'failed', 'stopped', 'stalled'),
        outcome IS state AND ended_at IS NOT NULL, outcome IS NULL))
) STRICT;

CREATE TABLE agents (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    scope             INTEGER NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
    name              TEXT    NOT NULL,
    kind              TEXT    NOT NULL CHECK (kind IN ('agent', 'person', 'external')),
    origin            TEXT    NOT NULL CHECK (origin IN ('file', 'new', 'system')),
    model             TEXT,
    backend           TEXT,
    system            TEXT,
    role              TEXT,
    display_name      TEXT,
    parent            INTEGER,
    depth             INTEGER NOT NULL DEFAULT 0,
    config            TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(config)),
    permissions       TEXT,
    home              TEXT,
    wanted            TEXT    NOT NULL DEFAULT 'active' CHECK (wanted IN ('active', 'paused', 'stopped')),
    paused_reason     TEXT,
    paused_at         INTEGER,
    not_before        INTEGER,
    unavailable_since INTEGER,                     -- the first of its runs in a row that found its model away
    unavailable_count INTEGER NOT NULL DEFAULT 0,
    forgiven_run      INTEGER,                     -- its newest run that was over when it was last made active again
    woken             INTEGER NOT NULL DEFAULT 0,  -- a run was asked for without due mail
    status            TEXT,
    task              TEXT,
    unread            INTEGER NOT NULL DEFAULT 0,  -- kept by triggers on deliveries
    held              INTEGER NOT NULL DEFAULT 0,
    dead              INTEGER NOT NULL DEFAULT 0,
    tokens_used       INTEGER NOT NULL DEFAULT 0,  -- by all its runs
    cost_used         INTEGER,                     -- millionths of a dollar, as far as they are known
    created_at        INTEGER NOT NULL,
    removed_at        INTEGER,
    FOREIGN KEY (scope, parent) REFERENCES agents (scope, id),
    CHECK ((wanted = 'paused') = (paused_reason IS NOT NULL)),
    CHECK ((wanted = 'paused') = (paused_at IS NOT NULL)),
    CHECK (woken = 0 OR removed_at IS NOT NULL
        OR (woken = 1 AND wanted = 'active' AND kind = 'agent'))
) STRICT;
CREATE UNIQUE INDEX agents_of_scope ON agents (scope, id);
CREATE UNIQUE INDEX agents_live ON agents (scope, name) WHERE removed_at IS NULL;

-- The token of a member that works outside, by its hash.
CREATE TABLE member_tokens (
    agent      INTEGER PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
    hash       BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE groups (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    scope         INTEGER NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
    kind          TEXT    NOT NULL CHECK (kind IN ('channel', 'group', 'direct')),
    name          TEXT    NOT NULL,                -- channel, team-a, alice+user
    wake          TEXT    NOT NULL DEFAULT 'mentions' CHECK (wake IN ('all', 'mentions')),
    messages      INTEGER NOT NULL DEFAULT 0,      -- kept by a trigger on messages
    last_seq      INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL,
    closed_at     INTEGER                          -- a member was removed; a new one of its name begins anew
) STRICT;
CREATE UNIQUE INDEX groups_of_scope ON groups (scope, id);
CREATE UNIQUE INDEX groups_live ON groups (scope, name) WHERE closed_at IS NULL;

CREATE TABLE group_members (
    group_id      INTEGER NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    agent         INTEGER NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    last_read_seq INTEGER NOT NULL DEFAULT 0,
    read_messages INTEGER NOT NULL DEFAULT 0,
    joined_at     INTEGER NOT NULL,
    left_at       INTEGER,
    PRIMARY KEY (group_id, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX group_members_of ON group_members (agent);

CREATE TABLE messages (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    scope        INTEGER NOT NULL,
    group_id     INTEGER NOT NULL,
    generation   INTEGER NOT NULL,
    sender       TEXT    NOT NULL,
    sender_kind  TEXT    NOT NULL,                 -- agent | person | external | system
    sender_agent INTEGER,
    run          INTEGER,
    content      TEXT    NOT NULL,                 -- of a long text the first part; `resource` has the whole
    data_spans   TEXT,                             -- JSON [[from, to], …] in bytes of the whole text:
                                                   -- values, not words of the sender
    content_type TEXT    NOT NULL DEFAULT 'text',
    resource     INTEGER,
    kind         TEXT    NOT NULL,                 -- message | system
    intent       TEXT    NOT NULL,                 -- request | inform
    mentions     TEXT    NOT NULL,                 -- JSON {resolved, unresolved, ignored}
    bytes        INTEGER NOT NULL,                 -- of the whole text
    digest       BLOB    NOT NULL,                 -- of the whole text
    likeness     BLOB,                             -- of what an agent says in a run, without regard to case
                                                   -- and white space: the loop guard finds by it what is
                                                   -- said again under one root
    hidden       INTEGER NOT NULL DEFAULT 0,       -- the user took it out of all prompts
    hop          INTEGER NOT NULL,
    root         INTEGER NOT NULL,
    reply_to     INTEGER,
    created_at   INTEGER NOT NULL,
    FOREIGN KEY (scope, group_id) REFERENCES groups (scope, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX messages_of_group ON messages (group_id, seq);
CREATE INDEX messages_of_run ON messages (run, seq) WHERE run IS NOT NULL;
CREATE INDEX messages_alike ON messages (root, likeness) WHERE likeness IS NOT NULL;

CREATE TABLE deliveries (
    agent        INTEGER NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    seq          INTEGER NOT NULL,
    group_id     INTEGER NOT NULL,
    sender_agent INTEGER,
    sender_kind  TEXT    NOT NULL,
    reason       TEXT    NOT NULL,                 -- mention | to | all | group | reply | schedule | proposal | answer
    wakes        INTEGER NOT NULL,
    solo         INTEGER NOT NULL DEFAULT 0,
    state        TEXT    NOT NULL,                 -- pending | leased | waiting | held | dead | acked | dropped
    run          INTEGER,
    attempts     INTEGER NOT NULL DEFAULT 0,
    lost_count   INTEGER NOT NULL DEFAULT 0,
    marked_at    INTEGER,
    marked_by    INTEGER,                          -- the run that marked it
    not_before   INTEGER,
    held_reason  TEXT,
    released     INTEGER NOT NULL DEFAULT 0,       -- the person let it through: the limit of runs holds it no more
    last_error   TEXT,
    bytes        INTEGER NOT NULL,
    hop          INTEGER NOT NULL,
    root         INTEGER NOT NULL,
    sent_at      INTEGER NOT NULL,
    PRIMARY KEY (agent, seq),
    CHECK ((state = 'held') = (held_reason IS NOT NULL)),
    CHECK (not_before IS NULL OR state = 'waiting'),
    CHECK (state <> 'waiting' OR (wakes = 1 AND attempts > 0)),
    CHECK (state <> 'dead' OR (last_error IS NOT NULL AND attempts > 0)),
    CHECK ((marked_by IS NULL) = (marked_at IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_open ON deliveries (agent, wakes, seq) WHERE state IN ('pending', 'waiting');
-- What may be leased together with other mail of its conversation.
CREATE INDEX deliveries_leasable ON deliveries (agent, group_id, seq)
    WHERE state = 'pending' AND solo = 0 AND (wakes = 0 OR (attempts = 0 AND lost_count = 0));
CREATE INDEX deliveries_waiting ON deliveries (not_before) WHERE state = 'waiting';
CREATE INDEX deliveries_leased ON deliveries (run, seq) WHERE state = 'leased';
CREATE INDEX deliveries_kept ON deliveries (agent, seq) WHERE state IN ('held', 'dead');

CREATE TRIGGER messages_counted AFTER INSERT ON messages
BEGIN
    UPDATE groups SET messages = messages + 1, last_seq = NEW.seq WHERE id = NEW.group_id;
END;

CREATE TRIGGER deliveries_counted_in AFTER INSERT ON deliveries
BEGIN
    UPDATE agents SET
        unread = unread + (NEW.state IN ('pending', 'waiting')),
        held = held + (NEW.state = 'held'),
        dead = dead + (NEW.state = 'dead')
    WHERE id = NEW.agent;
END;

CREATE TRIGGER deliveries_counted_on AFTER UPDATE OF state ON deliveries WHEN OLD.state <> NEW.state
BEGIN
    UPDATE agents SET
        unread = unread + (NEW.state IN ('pending', 'waiting')) - (OLD.state IN ('pending', 'waiting')),
        held = held + (NEW.state = 'held') - (OLD.state = 'held'),
        dead = dead + (NEW.state = 'dead') - (OLD.state = 'dead')
    WHERE id = NEW.agent;
END;

CREATE TABLE documents (
    scope      INTEGER NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
    path_key   TEXT    NOT NULL,                   -- NFC, case-folded
    path       TEXT    NOT NULL,
    owner      TEXT,
    version    INTEGER NOT NULL,
    content    TEXT    NOT NULL,
    author     TEXT    NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (scope, path_key)
) STRICT;

CREATE TABLE document_versions (
    scope      INTEGER NOT NULL,
    path_key   TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    content    TEXT    NOT NULL,
    author     TEXT    NOT NULL,
    run        INTEGER,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (scope, path_key, version),
    FOREIGN KEY (scope, path_key) REFERENCES documents (scope, path_key) ON DELETE CASCADE
) STRICT;

CREATE TABLE resources (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    scope      INTEGER NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
    group_id   INTEGER,                            -- whose members may read it; none: the whole scope
    type       TEXT    NOT NULL CHECK (type IN ('text', 'markdown', 'json', 'diff')),
    content    TEXT    NOT NULL,
    bytes      INTEGER NOT NULL CHECK (bytes = octet_length(content)),
    created_by TEXT    NOT NULL,
    run        INTEGER,
    created_at INTEGER NOT NULL,
    FOREIGN KEY (scope, group_id) REFERENCES groups (scope, id)
) STRICT;
CREATE INDEX resources_of_scope ON resources (scope, id);

CREATE TABLE proposals (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    scope        INTEGER NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
    type         TEXT    NOT NULL CHECK (type IN ('election', 'decision', 'approval', 'assignment')),
    title        TEXT    NOT NULL,
    description  TEXT,
    options      TEXT    NOT NULL CHECK (json_type(options) = 'array'),
    resolution   TEXT    NOT NULL DEFAULT 'plurality' CHECK (resolution IN ('plurality', 'majority', 'unanimous')),
    binding      INTEGER NOT NULL DEFAULT 1,
    quorum       INTEGER,
    tie_break    TEXT    NOT NULL DEFAULT 'none' CHECK (tie_break IN ('none', 'first', 'creator')),
    sets_owner   TEXT,
    status       TEXT    NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'resolved', 'expired',
                     'cancelled')),
    creator      TEXT    NOT NULL,
    run          INTEGER,
    newest_agent INTEGER NOT NULL DEFAULT 0,       -- when it was made: an agent that came later is not whom a name in it means
    hop          INTEGER NOT NULL DEFAULT 0,
    root         INTEGER,
    outcome      TEXT,
    result       TEXT,
    expires_at   INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    resolved_at  INTEGER,
    CHECK ((status = 'active') = (outcome IS NULL)),
    CHECK ((status = 'active') = (resolved_at IS NULL)),
    CHECK ((outcome IS 'won') = (result IS NOT NULL))
) STRICT;
CREATE INDEX proposals_open ON proposals (scope, id) WHERE status = 'active';

CREATE TABLE proposal_electors (
    proposal INTEGER NOT NULL REFERENCES proposals (id) ON DELETE CASCADE,
    agent    INTEGER NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    PRIMARY KEY (proposal, agent)
) STRICT, WITHOUT ROWID;

CREATE TABLE votes (
    proposal   INTEGER NOT NULL,
    agent      INTEGER NOT NULL,
    choice     TEXT    NOT NULL,
    reason     TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (proposal, agent),
    FOREIGN KEY (proposal, agent) REFERENCES proposal_electors (proposal, agent) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    agent       INTEGER NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    kind        TEXT    NOT NULL CHECK (kind IN ('main', 'isolated', 'chat')),
    backend     TEXT    NOT NULL,
    external_id TEXT,
    title       TEXT,
    anew        INTEGER NOT NULL DEFAULT 0,        -- the next run keeps only a summary of it and begins a new one
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX sessions_of_agent ON sessions (agent, id);

CREATE TABLE session_turns (
    session    INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    n          INTEGER NOT NULL,
    run        INTEGER,
    role       TEXT    NOT NULL,
    content    TEXT    NOT NULL,
    tokens     INTEGER,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (session, n)
) STRICT;

CREATE TABLE runs (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    scope            INTEGER NOT NULL,
    agent            INTEGER NOT NULL,
    generation       INTEGER NOT NULL,
    kind             TEXT    NOT NULL CHECK (kind IN ('mention', 'direct', 'ask', 'scheduled',
                         'heartbeat', 'wake', 'external')),
    group_id         INTEGER NOT NULL,             -- the conversation of its mail
    cause            INTEGER,                      -- the message that started it
    attempt          INTEGER NOT NULL,
    retry_of         INTEGER,                      -- the run that had its mail before
    solo             INTEGER NOT NULL DEFAULT 0,   -- it leases nothing more
    lease_seq        INTEGER NOT NULL DEFAULT 0,   -- the newest message when mail was last leased to it
    was_full         INTEGER NOT NULL DEFAULT 1,   -- it had no room for all that was pending
    hop              INTEGER NOT NULL DEFAULT 0,   -- of its mail: what it sends is one further from a person
    root             INTEGER,                      -- of its mail
    state            TEXT    NOT NULL CHECK (state IN ('starting', 'running', 'ending', 'succeeded',
                         'failed', 'timed_out', 'cancelled', 'lost', 'over_budget')),
    class            TEXT    CHECK (class IN ('transient', 'timed_out', 'unavailable', 'overflow',
                         'permanent', 'lost', 'over_budget', 'cancelled')),
    error            TEXT,
    retry_after      INTEGER,                      -- ms, as the model's service said
    end_by           INTEGER,                      -- when the daemon will end it
    end_class        TEXT,                         -- what it will have ended with then
    end_error        TEXT,
    token_hash       BLOB    CHECK (length(token_hash) = 32),
    pid              INTEGER,
    pid_started      INTEGER,
    last_heartbeat   INTEGER,
    spoke_at         INTEGER,                      -- when it last said anything
    is_silent        INTEGER NOT NULL DEFAULT 0,   -- that is longer ago than `runs.silent`
    away             TEXT,                         -- its model, while it cannot be reached: since when, the
                                                   -- next try and its time, as JSON
    activity         TEXT,
    model            TEXT,
    backend          TEXT,
    cwd              TEXT,
    exit             INTEGER,
    signal           INTEGER,
    stderr           TEXT,
    input_tokens     INTEGER CHECK (input_tokens >= 0),
    output_tokens    INTEGER CHECK (output_tokens >= 0),
    cache_read       INTEGER CHECK (cache_read >= 0),
    cache_write      INTEGER CHECK (cache_write >= 0),
    reasoning_tokens INTEGER CHECK (reasoning_tokens >= 0),
    cost             INTEGER CHECK (cost >= 0),    -- millionths of a dollar
    result           TEXT,
    session          INTEGER,
    question         INTEGER,
    turn             INTEGER,                      -- the turn of its script that the mock backend chose
    started_at       INTEGER NOT NULL,
    ended_at         INTEGER,
    FOREIGN KEY (scope, agent) REFERENCES agents (scope, id) ON DELETE CASCADE,
    FOREIGN KEY (scope, group_id) REFERENCES groups (scope, id),
    FOREIGN KEY (agent, session) REFERENCES sessions (agent, id),
    CHECK ((kind = 'external') = (token_hash IS NULL)),
    CHECK (state <> 'ending' OR end_class IS NOT NULL),
    CHECK (iif(state IN ('starting', 'running', 'ending'),
        ended_at IS NULL AND class IS NULL AND result IS NULL,
        ended_at IS NOT NULL AND activity IS NULL AND end_by IS NULL AND is_silent = 0)),
    CHECK (state IN ('starting', 'running', 'ending') OR state = CASE
        WHEN class IS NULL THEN 'succeeded'
        WHEN class IN ('transient', 'unavailable', 'overflow', 'permanent') THEN 'failed'
        ELSE class END),
    CHECK (state IN ('starting', 'running', 'ending') OR (class IS NULL) = (error IS NULL))
) STRICT;
CREATE UNIQUE INDEX runs_live ON runs (agent) WHERE state IN ('starting', 'running', 'ending');
CREATE INDEX runs_live_of_scope ON runs (scope) WHERE state IN ('starting', 'running', 'ending');
CREATE UNIQUE INDEX runs_of_agent ON runs (agent, id);
CREATE INDEX runs_of_scope ON runs (scope, id);
CREATE UNIQUE INDEX runs_by_token ON runs (token_hash) WHERE token_hash IS NOT NULL;

-- The mail that was ever leased to a run, and the message that each goes back to.
CREATE TABLE run_roots (
    run   INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq   INTEGER NOT NULL,
    root  INTEGER NOT NULL,
    wakes INTEGER NOT NULL DEFAULT 1,              -- the limit of runs counts what wakes alone
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_roots_by_root ON run_roots (root, run);
CREATE INDEX run_roots_waking ON run_roots (root, run) WHERE wakes = 1;

CREATE TABLE run_output (
    run        INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    n          INTEGER NOT NULL,
    kind       TEXT    NOT NULL CHECK (kind IN ('system', 'prompt', 'text', 'thinking', 'tool_call',
                   'tool_result', 'notice', 'error')),
    state      TEXT    NOT NULL CHECK (state IN ('open', 'done', 'cut')),
    name       TEXT,
    text       TEXT    NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER,
    PRIMARY KEY (run, n)
) STRICT;

CREATE TABLE doc_reads (
    run      INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    scope    INTEGER NOT NULL,
    path_key TEXT    NOT NULL,
    version  INTEGER NOT NULL CHECK (version > 0),
    PRIMARY KEY (run, scope, path_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE schedules (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    scope          INTEGER NOT NULL,
    agent          INTEGER NOT NULL,
    name           TEXT    NOT NULL,
    maker          TEXT    NOT NULL,
    spec           TEXT    NOT NULL,
    prompt         TEXT,
    context        TEXT    CHECK (context IN ('main', 'isolated')),
    timezone       TEXT,
    only_if_unread INTEGER NOT NULL DEFAULT 0,
    overlap        TEXT    NOT NULL DEFAULT 'skip' CHECK (overlap IN ('skip', 'queue')),
    missed         TEXT    NOT NULL DEFAULT 'once' CHECK (missed IN ('skip', 'once', 'all')),
    anchor_at      INTEGER NOT NULL,
    next_due       INTEGER,
    state          TEXT    NOT NULL CHECK (state IN ('active', 'paused', 'completed')),
    max_fires      INTEGER,
    fires          INTEGER NOT NULL DEFAULT 0,
    hop            INTEGER NOT NULL DEFAULT 0,
    root           INTEGER,
    created_at     INTEGER NOT NULL,
    FOREIGN KEY (scope, agent) REFERENCES agents (scope, id) ON DELETE CASCADE,
    CHECK (fires <= max_fires),
    CHECK (next_due IS NULL OR state = 'active')
) STRICT;
CREATE INDEX schedules_due ON schedules (next_due) WHERE state = 'active';

CREATE TABLE schedule_fires (
    schedule INTEGER NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    due_at   INTEGER NOT NULL,
    outcome  TEXT    NOT NULL CHECK (outcome IN ('ran', 'skipped')),
    reason   TEXT    NOT NULL CHECK (reason <> ''),
    run      INTEGER,
    fired_at INTEGER NOT NULL,
    PRIMARY KEY (schedule, due_at)
) STRICT, WITHOUT ROWID;
-- Which schedule a message comes of.
CREATE INDEX schedule_fires_of_message ON schedule_fires (reason) WHERE outcome = 'ran';

CREATE TABLE questions (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    scope           INTEGER NOT NULL,
    agent           INTEGER NOT NULL,
    run             INTEGER,
    kind            TEXT    NOT NULL CHECK (kind IN ('question', 'permission')),
    tool            TEXT,                          -- that the permission is for
    text            TEXT    NOT NULL CHECK (text <> ''),
    digest          BLOB,                          -- of what was asked: the same question has the same
    waits           INTEGER NOT NULL DEFAULT 0,    -- the asker waits for the answer by itself
    options         TEXT    CHECK (json_valid(options)),
    default_answer  TEXT,
    expires_at      INTEGER NOT NULL,
    answer          TEXT,
    answered_by     TEXT,
    answered_at     INTEGER,
    expired_because TEXT,
    message         INTEGER,                       -- by which the answer went to an asker that did not wait any more
    created_at      INTEGER NOT NULL,
    FOREIGN KEY (scope, agent) REFERENCES agents (scope, id) ON DELETE CASCADE,
    FOREIGN KEY (agent, run) REFERENCES runs (agent, id),
    CHECK ((kind = 'permission') = (tool IS NOT NULL)),
    CHECK (kind = 'question' OR run IS NOT NULL),
    CHECK ((answer IS NULL) = (answered_by IS NULL)),
    CHECK ((answer IS NULL) = (answered_at IS NULL)),
    CHECK (answer IS NULL OR expired_because IS NULL)
) STRICT;
CREATE INDEX questions_open ON questions (scope, id) WHERE answered_at IS NULL AND expired_because IS NULL;
CREATE INDEX questions_of_agent ON questions (agent, digest, id);
CREATE INDEX questions_by_message ON questions (message) WHERE message IS NOT NULL;
CREATE INDEX questions_of_run ON questions (run) WHERE waits = 1;
CREATE INDEX questions_due ON questions (expires_at)
    WHERE answered_at IS NULL AND expired_because IS NULL;

CREATE TABLE idempotency (
    principal  TEXT    NOT NULL,
    key        TEXT    NOT NULL,
    request    BLOB    NOT NULL CHECK (length(request) = 32), -- a hash of the operation and its arguments
    answer     TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (principal, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (created_at);

CREATE TABLE events (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    scope   TEXT    NOT NULL,
    kind    TEXT    NOT NULL,
    subject TEXT    NOT NULL,
    run     INTEGER,
    actor   TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    body    TEXT    NOT NULL
) STRICT;
CREATE INDEX events_of_scope ON events (scope, seq);

-- What can be found by its words: messages, documents and resources, each a row of the index under
-- the number of its entry. The index keeps no text. `words` has words, and each sign of writing
-- that puts no spaces between words; `pairs` has every two such signs that follow each other, so
-- that words of two signs and more are found as fast as others; `facts` has what qualifiers and
-- the right to read ask for.
CREATE VIRTUAL TABLE search USING fts5(
    words, pairs, facts,
    content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

-- What is newer has a higher number, which no other entry had before; a document that changes gets
-- a new one. Up to the mark `indexed` in `daemon_state`, their words are in the index.
CREATE TABLE search_entries (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    scope    INTEGER NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
    kind     TEXT    NOT NULL,                     -- message | system | document | resource
    number   INTEGER,                              -- of the message or the resource
    path_key TEXT,                                 -- of the document
    at       INTEGER NOT NULL
) STRICT;
CREATE INDEX search_entries_of_scope ON search_entries (scope);
CREATE UNIQUE INDEX search_documents ON search_entries (scope, path_key)
    WHERE path_key IS NOT NULL;
