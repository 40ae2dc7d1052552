-- What a permission is about, what is the same question, who waits for its answer by itself, and
-- the message by which the answer went to an asker that did not wait any more.
ALTER TABLE questions ADD COLUMN tool TEXT;
ALTER TABLE questions ADD COLUMN digest BLOB;               -- of what was asked
ALTER TABLE questions ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;
ALTER TABLE questions ADD COLUMN message INTEGER;

CREATE INDEX questions_of_agent ON questions (agent, digest, id);
CREATE INDEX questions_by_message ON questions (message) WHERE message IS NOT NULL;
CREATE INDEX questions_of_run ON questions (run) WHERE waits = 1;
CREATE INDEX questions_due ON questions (expires_at)
    WHERE answered_at IS NULL AND expired_because IS NULL;
