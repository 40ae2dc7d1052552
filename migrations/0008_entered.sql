-- A send stores no entry of the search any more. All messages above this one are entered later, in
-- batches, or before anything newer is (`rows/search/index.rs`).
INSERT INTO daemon_state (key, value)
    SELECT 'entered', coalesce(max(number), 0) FROM search_entries
    WHERE kind IN ('message', 'system');
