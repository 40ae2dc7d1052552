-- What can be found by its words: messages, documents and resources, each a row of the index under
-- the number of its entry. The index keeps no text. `words` has words, and each sign of writing
-- that puts no spaces between words; `pairs` has every two such signs that follow each other, so
-- that words of two signs and more are found as fast as others; `facts` has what qualifiers and
-- the right to read ask for.
CREATE VIRTUAL TABLE search USING fts5(
    words, pairs, facts,
    content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

-- What is newer has a higher number; a document that changes gets a new one.
CREATE TABLE search_entries (
    id       INTEGER PRIMARY KEY,
    scope    INTEGER NOT NULL REFERENCES workflows (id),
    kind     TEXT    NOT NULL,                     -- message | system | document | resource
    number   INTEGER,                              -- of the message or the resource
    path_key TEXT,                                 -- of the document
    at       INTEGER NOT NULL
) STRICT;
CREATE INDEX search_entries_of_scope ON search_entries (scope);
CREATE UNIQUE INDEX search_documents ON search_entries (scope, path_key)
    WHERE path_key IS NOT NULL;
