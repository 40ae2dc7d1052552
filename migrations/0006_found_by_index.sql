-- The long texts of messages that the user took out of all prompts.
CREATE INDEX messages_hidden ON messages (resource) WHERE hidden = 1;

-- Which sessions may have turns: each isolated run has a session, and few of them keep their turns.
ALTER TABLE sessions ADD COLUMN has_turns INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET has_turns = 1 WHERE id IN (SELECT session FROM session_turns);
CREATE INDEX sessions_with_turns ON sessions (agent, kind, backend) WHERE has_turns = 1;

-- The due times that sent a message, and those that tell whether the last run was over: all but
-- those that were passed by because it was not, or without a look at it.
CREATE INDEX schedule_fires_ran ON schedule_fires (schedule, due_at) WHERE outcome = 'ran';
CREATE INDEX schedule_fires_telling ON schedule_fires (schedule, due_at)
    WHERE reason <> 'overlap' AND reason NOT GLOB 'overlap, *'
        AND reason NOT GLOB 'paused: the schedule was paused*'
        AND reason NOT GLOB 'stopped: its workflow did not run*';

-- How many characters of this version were read from its start; NULL: all.
ALTER TABLE doc_reads ADD COLUMN chars INTEGER;
ALTER TABLE member_doc_reads ADD COLUMN chars INTEGER;
