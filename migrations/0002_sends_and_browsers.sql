-- What a send writes. A statement with a trigger keeps a copy of each page that it changes, to undo
-- itself; these counters cost more than what they count. Who writes a message or a delivery moves
-- them: `rows/message.rs`, `rows/delivery.rs`.
DROP TRIGGER messages_counted;
DROP TRIGGER deliveries_counted_in;
DROP TRIGGER deliveries_counted_on;

-- Browsers that `agent-worker web` has let in, by the hash of what they show. They act as the person.
CREATE TABLE browsers (
    hash       BLOB    PRIMARY KEY CHECK (length(hash) = 32),
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
