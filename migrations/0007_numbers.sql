-- Each send writes to these tables, and with AUTOINCREMENT each row of theirs looks up and writes its
-- table's last number. Now the writer counts, and notes the last numbers here once for each
-- transaction (`rows/numbers.rs`). Their rows are stored in the same way with AUTOINCREMENT and
-- without.
INSERT INTO daemon_state (key, value) VALUES ('numbers', json_object(
    'message', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'messages'), 0),
    'event', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0),
    'entry', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'search_entries'), 0)));
DELETE FROM sqlite_sequence WHERE name IN ('messages', 'events', 'search_entries');
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, ' AUTOINCREMENT', '')
    WHERE type = 'table' AND name IN ('messages', 'events', 'search_entries');
PRAGMA writable_schema = RESET;

-- What messages and runs change of a member. A change of a row writes it whole, and a member's holds
-- its system prompt and its configuration.
CREATE TABLE agent_counts (
    agent       INTEGER PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
    unread      INTEGER NOT NULL DEFAULT 0,        -- of its deliveries: `rows/delivery/changing.rs` counts
    held        INTEGER NOT NULL DEFAULT 0,
    dead        INTEGER NOT NULL DEFAULT 0,
    tokens_used INTEGER NOT NULL DEFAULT 0,        -- by all its runs
    cost_used   INTEGER,                           -- millionths of a dollar, as far as they are known
    status      TEXT,                              -- what it says of itself
    task        TEXT
) STRICT;
INSERT INTO agent_counts
    SELECT id, unread, held, dead, tokens_used, cost_used, status, task FROM agents;
ALTER TABLE agents DROP COLUMN unread;
ALTER TABLE agents DROP COLUMN held;
ALTER TABLE agents DROP COLUMN dead;
ALTER TABLE agents DROP COLUMN tokens_used;
ALTER TABLE agents DROP COLUMN cost_used;
ALTER TABLE agents DROP COLUMN status;
ALTER TABLE agents DROP COLUMN task;

-- The file of a workflow, whose row each run changes.
CREATE TABLE workflow_files (
    workflow INTEGER PRIMARY KEY REFERENCES workflows (id) ON DELETE CASCADE,
    yaml     TEXT NOT NULL
) STRICT;
INSERT INTO workflow_files
    SELECT id, config_yaml FROM workflows WHERE config_yaml IS NOT NULL;
ALTER TABLE workflows DROP COLUMN config_yaml;
