-- The newest agent when a proposal was made: an agent that came later is not whom a name in it means.
ALTER TABLE proposals ADD COLUMN newest_agent INTEGER NOT NULL DEFAULT 0;
UPDATE proposals SET newest_agent =
    (SELECT coalesce(max(id), 0) FROM agents WHERE agents.created_at <= proposals.created_at);
