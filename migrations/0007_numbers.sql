-- Each send writes to these tables, and with AUTOINCREMENT each row of theirs looks up and writes its
-- table's last number. Now the writer counts, and notes the last numbers here once for each
-- transaction (`rows/numbers.rs`). Their rows are stored in the same way with AUTOINCREMENT and
-- without.
INSERT INTO daemon_state (key, value) VALUES ('numbers', json_object(
    'message', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'messages'), 0),
    'event', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0),
    'entry', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'search_entries'), 0)));
DELETE FROM sqlite_sequence WHERE name IN ('messages', 'events', 'search_entries');
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, ' AUTOINCREMENT', '')
    WHERE type = 'table' AND name IN ('messages', 'events', 'search_entries');
PRAGMA writable_schema = RESET;
