//! Conversations: their members, their counts, and how far the person has read.

use super::Check;

pub const CHECKS: &[Check] = &[
    Check {
        name: "groups.words",
        promise: "a conversation has a kind that there is",
        sql: "SELECT name, 'its kind is `' || kind || '`, it wakes `' || wake || '`' FROM groups
              WHERE kind NOT IN ('channel', 'group', 'direct') OR wake NOT IN ('all', 'mentions')",
    },
    Check {
        name: "groups.counters",
        promise: "a conversation's counters are right",
        sql: "SELECT g.name || ' in ' || s.shown, 'it counts ' || g.messages || ' messages up to msg_'
                  || g.last_seq || ', and there are ' || coalesce(c.messages, 0) || ' up to msg_'
                  || coalesce(c.last_seq, 0)
              FROM groups AS g JOIN scope AS s ON s.id = g.scope
              LEFT JOIN (SELECT group_id, count(*) AS messages, max(seq) AS last_seq
                         FROM messages NOT INDEXED GROUP BY group_id) AS c ON c.group_id = g.id
              WHERE g.messages <> coalesce(c.messages, 0) OR g.last_seq <> coalesce(c.last_seq, 0)",
    },
    Check {
        name: "groups.members",
        promise: "members are of the conversation's scope, all of it are in its channel, and a \
                  removed one is in none",
        sql: "SELECT m.target, 'it is in ' || g.name || ' of scope ' || g.scope
                  || iif(m.removed_at IS NULL, '', ' and removed')
              FROM group_members AS gm JOIN groups AS g ON g.id = gm.group_id
              JOIN member AS m ON m.id = gm.agent
              WHERE m.scope <> g.scope OR (m.removed_at IS NOT NULL AND gm.left_at IS NULL)
              UNION ALL
              SELECT m.target, 'it is not in its channel'
              FROM member AS m
              WHERE m.removed_at IS NULL AND NOT EXISTS (
                  SELECT 1 FROM group_members AS gm JOIN groups AS g ON g.id = gm.group_id
                  WHERE gm.agent = m.id AND gm.left_at IS NULL AND g.kind = 'channel')",
    },
    Check {
        name: "groups.direct",
        promise: "a direct conversation is of two members",
        sql: "SELECT g.name || ' in ' || s.shown, count(gm.agent) || ' members have been in it'
              FROM groups AS g JOIN scope AS s ON s.id = g.scope
              LEFT JOIN group_members AS gm ON gm.group_id = g.id
              WHERE g.kind = 'direct' GROUP BY g.id HAVING count(gm.agent) <> 2",
    },
    Check {
        name: "groups.cursors",
        promise: "a read cursor is within its conversation, and what it has passed is counted",
        sql: "SELECT m.target || ' in ' || g.name, 'its cursor is at msg_' || gm.last_read_seq
                  || ' with ' || gm.read_messages || ' read, and msg_' || g.last_seq
                  || ' is the newest of ' || g.messages
              FROM group_members AS gm JOIN groups AS g ON g.id = gm.group_id
              JOIN member AS m ON m.id = gm.agent
              WHERE gm.last_read_seq > g.last_seq OR gm.last_read_seq < 0
                 OR gm.read_messages <> (SELECT count(*) FROM messages AS t
                        WHERE t.group_id = g.id AND t.seq <= gm.last_read_seq)",
    },
];
