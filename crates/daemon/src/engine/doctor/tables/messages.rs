//! Messages: stored whole, delivered to all whom they name, and what they point to is there.

use agent_worker_protocol::{Case, Finding};
use rusqlite::Connection;
use sha2::{Digest, Sha256};

use crate::engine::doctor::check::{Check, Found, Special};

pub const CHECKS: &[Check] = &[
    Check {
        name: "messages.words",
        promise: "a message has a known kind, intent and sender",
        sql: "SELECT 'msg_' || seq, 'its kind is `' || kind || '`, its intent `' || intent
                  || '`, its sender ' || coalesce('agent ' || sender_agent, 'none')
                  || ' of kind `' || sender_kind || '`'
              FROM messages
              WHERE kind NOT IN ('message', 'system') OR intent NOT IN ('request', 'inform')
                 OR sender_kind NOT IN ('agent', 'person', 'external', 'system')
                 OR (sender_kind = 'system') <> (sender_agent IS NULL)
                 OR NOT json_valid(mentions) OR NOT json_valid(coalesce(data_spans, '[]'))",
    },
    Check {
        name: "messages.place",
        promise: "a message is of its sender's scope, and of a generation there was",
        sql: "SELECT 'msg_' || t.seq, 'it is of generation ' || t.generation || ' of scope '
                  || t.scope || coalesce(', by a member of scope ' || a.scope, '')
              FROM messages AS t LEFT JOIN workflows AS w ON w.id = t.scope
              LEFT JOIN agents AS a ON a.id = t.sender_agent
              WHERE t.generation > w.generation
                 OR (t.sender_agent IS NOT NULL AND a.scope IS NOT t.scope)",
    },
    Check {
        name: "messages.mentions",
        promise: "each member that a message in a channel or group names gets it",
        sql: "SELECT 'msg_' || seq, 'it names ' || name || ', who never got it'
              FROM (SELECT t.seq, named.value AS name
                    FROM messages AS t JOIN groups AS g ON g.id = t.group_id,
                        json_each(iif(json_valid(t.mentions), t.mentions, '{}'), '$.resolved')
                            AS named
                    WHERE g.kind <> 'direct' AND named.value <> t.sender
                    EXCEPT
                    SELECT d.seq, a.name FROM deliveries AS d JOIN agents AS a ON a.id = d.agent)
              WHERE seq NOT IN (SELECT seq FROM deliveries WHERE reason = 'to')",
    },
    Check {
        name: "messages.run",
        promise: "what is sent in a run is sent by its agent",
        sql: "SELECT 'msg_' || t.seq, 'it was sent in run_' || t.run || iif(r.id IS NULL,
                  ', which there is not', ' of another agent')
              FROM messages AS t LEFT JOIN runs AS r ON r.id = t.run
              WHERE t.run IS NOT NULL AND r.agent IS NOT t.sender_agent",
    },
    Check {
        name: "messages.chain",
        promise: "what a message goes back to, and what it answers, came before it in its scope",
        sql: "SELECT 'msg_' || t.seq, 'it goes back to msg_' || t.root
                  || coalesce(' and answers msg_' || t.reply_to, '')
              FROM messages AS t LEFT JOIN messages AS root ON root.seq = t.root
              LEFT JOIN messages AS asked ON asked.seq = t.reply_to
              WHERE root.scope IS NOT t.scope OR t.root > t.seq OR root.root <> root.seq
                 OR t.hop < 0
                 OR (t.reply_to IS NOT NULL AND (asked.scope IS NOT t.scope
                     OR t.reply_to >= t.seq))",
    },
    Check {
        name: "messages.resource",
        promise: "the resource of a long message is there, and of its scope",
        sql: "SELECT 'msg_' || t.seq, 'its text is in res_' || t.resource || iif(x.id IS NULL,
                  ', which there is not', ', which is of another scope or size')
              FROM messages AS t LEFT JOIN resources AS x ON x.id = t.resource
              WHERE t.resource IS NOT NULL AND (x.scope IS NOT t.scope OR x.bytes <> t.bytes)",
    },
];

pub const SPECIAL: &[Special] = &[("messages.text", texts)];

/// A text that the disk has changed is of the same length and no mistake of the database's.
fn texts(conn: &Connection) -> rusqlite::Result<Option<Finding>> {
    let sql = "SELECT t.seq, t.bytes, t.digest, coalesce(x.content, t.content)
               FROM messages AS t LEFT JOIN resources AS x ON x.id = t.resource ORDER BY t.seq";
    let mut found = Found::new("messages.text", "a message is what its sender has sent");
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        // Compares the bytes: a damaged text may not be UTF-8.
        let text = row.get_ref(3)?.as_bytes()?;
        let is_whole = i64::try_from(text.len()) == Ok(row.get(1)?);
        let (digest, stored) = (Sha256::digest(text), row.get_ref(2)?.as_bytes()?);
        // Messages once had all of it.
        if !is_whole || (stored != &digest[..8] && stored != &digest[..]) {
            let seq: i64 = row.get(0)?;
            found.add(Case::new(format!("msg_{seq}"), "its text is not what it was"));
        }
    }
    Ok(found.finding)
}
