-- The long texts of messages that the user took out of all prompts.
CREATE INDEX messages_hidden ON messages (resource) WHERE hidden = 1;

-- Which sessions may have turns: each isolated run has a session, and few of them keep their turns.
ALTER TABLE sessions ADD COLUMN has_turns INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET has_turns = 1 WHERE id IN (SELECT session FROM session_turns);
CREATE INDEX sessions_with_turns ON sessions (agent, kind, backend) WHERE has_turns = 1;
