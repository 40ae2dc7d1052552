-- The long texts of messages that the user took out of all prompts.
CREATE INDEX messages_hidden ON messages (resource) WHERE hidden = 1;
