-- Which version of a document a member has read that works without runs: only that may its tools
-- write over.
CREATE TABLE member_doc_reads (
    agent    INTEGER NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    scope    INTEGER NOT NULL,
    path_key TEXT    NOT NULL,
    version  INTEGER NOT NULL CHECK (version > 0),
    PRIMARY KEY (agent, scope, path_key)
) STRICT, WITHOUT ROWID;
