-- Which version of a document a member has read that works without runs: only that may its tools
-- write over.
CREATE TABLE member_doc_reads (
    agent    INTEGER NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    scope    INTEGER NOT NULL,
    path_key TEXT    NOT NULL,
    version  INTEGER NOT NULL CHECK (version > 0),
    PRIMARY KEY (agent, scope, path_key)
) STRICT, WITHOUT ROWID;

-- What the user wrote after the last message it has read: no more unread than that.
ALTER TABLE group_members ADD COLUMN own_later INTEGER NOT NULL DEFAULT 0;
UPDATE group_members SET own_later = (
    SELECT count(*) FROM messages AS m
    WHERE m.group_id = group_members.group_id AND m.seq > last_read_seq
        AND m.sender_agent = group_members.agent)
WHERE agent IN (SELECT id FROM agents WHERE kind = 'person');
