//! Search: what is there is found, and nothing else is.

use crate::engine::doctor::check::Check;

pub const CHECKS: &[Check] = &[
    Check {
        name: "search.entries",
        promise: "messages up to the mark, documents and resources are in the index, each once",
        // Those above the mark are entered before a search; before schema 15 there was no mark.
        sql: "SELECT 'msg_' || seq, 'search does not find it' FROM messages
              WHERE seq <= coalesce((SELECT CAST(value AS INTEGER) FROM daemon_state
                                     WHERE key = 'entered'), seq)
                AND seq NOT IN (SELECT number FROM search_entries
                                WHERE kind IN ('message', 'system'))
              UNION ALL
              SELECT 'msg_' || number, 'it is entered, and its number is above the mark'
              FROM search_entries
              WHERE kind IN ('message', 'system')
                AND number > (SELECT CAST(value AS INTEGER) FROM daemon_state
                              WHERE key = 'entered')
              UNION ALL
              SELECT 'res_' || id, 'search does not find it' FROM resources
              WHERE id NOT IN (SELECT number FROM search_entries WHERE kind = 'resource')
                AND id NOT IN (SELECT resource FROM messages WHERE resource IS NOT NULL)
              UNION ALL
              SELECT path, 'search does not find it'
              FROM (SELECT scope, path_key AS path FROM documents
                    EXCEPT SELECT scope, path_key FROM search_entries)
              UNION ALL
              SELECT kind || ' ' || number, 'search finds it ' || count(*) || ' times'
              FROM search_entries WHERE number IS NOT NULL GROUP BY kind, number
              HAVING count(*) > 1",
    },
    Check {
        name: "search.things",
        promise: "what the index names is there, of the same scope and kind",
        sql:
            "SELECT 'entry ' || e.id, 'it is of ' || e.kind || ' ' || coalesce(e.number, e.path_key)
                  || ' of scope ' || e.scope || ', which there is not'
              FROM search_entries AS e
              LEFT JOIN messages AS t ON t.seq = e.number AND t.kind = e.kind AND t.scope = e.scope
              LEFT JOIN resources AS x ON x.id = e.number AND x.scope = e.scope
                  AND e.kind = 'resource'
              LEFT JOIN documents AS d ON d.scope = e.scope AND d.path_key = e.path_key
                  AND e.kind = 'document'
              WHERE t.seq IS NULL AND x.id IS NULL AND d.path_key IS NULL",
    },
    Check {
        name: "search.words",
        promise: "the words of every entry up to the mark are in the index, and of no other",
        sql: "SELECT 'entry ' || id, 'its words are not in the index'
              FROM (SELECT id FROM search_entries
                    WHERE id <= (SELECT CAST(value AS INTEGER) FROM daemon_state
                                 WHERE key = 'indexed')
                    EXCEPT SELECT rowid FROM search)
              UNION ALL
              SELECT 'entry ' || id, 'the index has its words, and the entry is missing'
              FROM (SELECT rowid AS id FROM search EXCEPT SELECT id FROM search_entries)",
    },
];
