//! Conversations: their members, their counts, and how far the person has read.

use crate::engine::doctor::check::Check;

pub const CHECKS: &[Check] = &[
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
        promise: "a direct conversation is of two members, or of one with the daemon",
        sql: "SELECT g.name || ' in ' || s.shown, count(gm.agent) || ' members have been in it'
              FROM groups AS g JOIN scope AS s ON s.id = g.scope
              LEFT JOIN group_members AS gm ON gm.group_id = g.id
              WHERE g.kind = 'direct' GROUP BY g.id HAVING count(gm.agent) <>
                  iif(g.name LIKE '%+system' OR g.name LIKE 'system+%', 1, 2)",
    },
    Check {
        name: "groups.cursors",
        promise: "a read cursor is within its conversation, and messages up to it are counted",
        sql: "SELECT m.target || ' in ' || g.name, 'its cursor is at msg_' || c.read
                  || ' with ' || c.counted || ' read, and msg_' || g.last_seq
                  || ' is the newest of ' || g.messages
              FROM (SELECT group_id, agent, seq AS read, counted,
                        sum(is_message) OVER (PARTITION BY group_id ORDER BY seq, is_message DESC
                            ROWS UNBOUNDED PRECEDING) AS passed
                    FROM (SELECT group_id, NULL AS agent, seq, NULL AS counted, 1 AS is_message
                          FROM messages
                          UNION ALL
                          SELECT group_id, agent, last_read_seq, read_messages, 0
                          FROM group_members)) AS c
              JOIN groups AS g ON g.id = c.group_id JOIN member AS m ON m.id = c.agent
              WHERE c.read > g.last_seq OR c.read < 0 OR c.counted <> c.passed",
    },
    Check {
        name: "groups.names",
        promise: "no group has the name of a member",
        sql: "SELECT m.target, 'a group has its name too'
              FROM groups AS g JOIN member AS m
                  ON m.scope = g.scope AND m.name = g.name AND m.removed_at IS NULL
              WHERE g.kind = 'group' AND g.closed_at IS NULL",
    },
    Check {
        name: "groups.mail",
        promise: "in a group only members get messages, and every one gets the newest",
        sql: "SELECT m.target || ' in ' || g.name, 'it has a delivery of msg_' || d.seq
                  || ' and was never in the group'
              FROM deliveries AS d JOIN groups AS g ON g.id = d.group_id AND g.kind = 'group'
              JOIN member AS m ON m.id = d.agent
              WHERE NOT EXISTS (SELECT 1 FROM group_members AS gm
                                WHERE gm.group_id = g.id AND gm.agent = d.agent)
              UNION ALL
              SELECT m.target || ' in ' || g.name, 'it has no mail of msg_' || g.last_seq
              FROM groups AS g JOIN group_members AS gm ON gm.group_id = g.id
                  AND gm.left_at IS NULL AND gm.last_read_seq < g.last_seq
              JOIN messages AS t ON t.seq = g.last_seq AND t.sender_agent IS NOT gm.agent
              JOIN member AS m ON m.id = gm.agent
              WHERE g.kind = 'group' AND NOT EXISTS (
                  SELECT 1 FROM deliveries AS d WHERE d.agent = gm.agent AND d.seq = g.last_seq)",
    },
];
