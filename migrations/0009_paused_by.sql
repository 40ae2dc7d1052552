-- The member that paused a schedule, while it is paused. NULL: the daemon, or a version before this
-- column.
ALTER TABLE schedules ADD COLUMN paused_by TEXT CHECK (paused_by IS NULL OR state = 'paused');
