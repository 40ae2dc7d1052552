-- The chat that a question belongs to, where that is not the agent's main session.
CREATE TABLE chat_messages (
    message INTEGER PRIMARY KEY REFERENCES messages (seq) ON DELETE CASCADE,
    session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX chat_messages_of_session ON chat_messages (session);

-- What a session was asked and answered.
CREATE INDEX runs_of_session ON runs (session, id) WHERE session IS NOT NULL;
-- Sessions that a person looks at. Each time of a schedule may begin one of its own.
CREATE INDEX sessions_kept ON sessions (agent, id) WHERE kind <> 'isolated';
