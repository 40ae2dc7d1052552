-- Whether a delivery wakes the run that has it: the limit of runs counts those alone.
ALTER TABLE run_roots ADD COLUMN wakes INTEGER NOT NULL DEFAULT 1;
UPDATE run_roots SET wakes = coalesce(
    (SELECT d.wakes FROM runs AS r JOIN deliveries AS d ON d.agent = r.agent AND d.seq = run_roots.seq
     WHERE r.id = run_roots.run), 1);
CREATE INDEX run_roots_waking ON run_roots (root, run) WHERE wakes = 1;

-- Whether a run left pending deliveries behind because it had no room for them.
ALTER TABLE runs ADD COLUMN was_full INTEGER NOT NULL DEFAULT 1;

-- When a run last said anything, and whether that is longer ago than `runs.silent`.
ALTER TABLE runs ADD COLUMN spoke_at INTEGER;
ALTER TABLE runs ADD COLUMN is_silent INTEGER NOT NULL DEFAULT 0;

-- Whether `--fresh` has put a workflow away: it stays as it ended, and needs nobody.
ALTER TABLE workflows ADD COLUMN is_archived INTEGER NOT NULL DEFAULT 0;

-- A hash of what an agent says in a run, without regard to case and white space: the loop guard
-- finds by it what is said again under one root.
ALTER TABLE messages ADD COLUMN likeness BLOB;
CREATE INDEX messages_alike ON messages (root, likeness) WHERE likeness IS NOT NULL;

-- The model of a live run, while it cannot be reached: since when, the next try and its time, as JSON.
ALTER TABLE runs ADD COLUMN away TEXT;

-- Whether the next run keeps only a summary of the session and begins a new one.
ALTER TABLE sessions ADD COLUMN anew INTEGER NOT NULL DEFAULT 0;

-- Whether the user took the message out of all prompts.
ALTER TABLE messages ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;

-- The token of a member that works outside, by its hash.
CREATE TABLE member_tokens (
    agent      INTEGER PRIMARY KEY REFERENCES agents (id),
    hash       BLOB    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;

-- What all runs of an agent have used: tokens, and millionths of a dollar as far as they are known.
ALTER TABLE agents ADD COLUMN tokens_used INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agents ADD COLUMN cost_used INTEGER;
UPDATE agents SET
    tokens_used = CAST((SELECT min(9223372036854775807.0,
        total(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)))
        FROM runs WHERE runs.agent = agents.id) AS INTEGER),
    cost_used = (SELECT CASE WHEN count(cost) > 0
            THEN CAST(min(9223372036854775807.0, total(cost)) AS INTEGER) END
        FROM runs WHERE runs.agent = agents.id);
