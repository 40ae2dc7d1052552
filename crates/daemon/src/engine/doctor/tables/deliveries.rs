//! Deliveries: at least one run, exactly one ack, and nothing forgotten.

use crate::engine::doctor::check::Check;

pub const CHECKS: &[Check] = &[
    Check {
        name: "deliveries.words",
        promise: "a delivery has a known state and reason",
        sql: "SELECT 'msg_' || seq || ' to agent ' || agent,
                  'its state is `' || state || '`, its reason `' || reason || '`'
              FROM deliveries
              WHERE state NOT IN ('pending', 'leased', 'waiting', 'held', 'dead', 'acked', 'dropped')
                 OR reason NOT IN ('mention', 'to', 'all', 'group', 'reply', 'schedule', 'heartbeat',
                        'proposal', 'answer')",
    },
    Check {
        name: "deliveries.leased",
        promise: "a leased delivery has a live run of its recipient",
        sql: "SELECT 'msg_' || d.seq || ' to ' || m.target, CASE
                  WHEN r.id IS NULL THEN 'it is leased to no run'
                  WHEN r.agent <> d.agent THEN 'it is leased to run_' || r.id || ' of another'
                  ELSE 'it is leased to run_' || r.id || ', which is ' || r.state END
              FROM deliveries AS d LEFT JOIN runs AS r ON r.id = d.run
              LEFT JOIN member AS m ON m.id = d.agent
              WHERE d.state = 'leased' AND (r.id IS NULL OR r.agent <> d.agent
                  OR r.state NOT IN ('starting', 'running', 'ending'))",
    },
    Check {
        name: "deliveries.given",
        promise: "what was worked on was given to a run of its recipient",
        sql: "SELECT 'msg_' || d.seq || ' to ' || m.target, 'it is ' || d.state
                  || coalesce(' by run_' || d.run || ', which was not given it', ' without a run')
              FROM deliveries AS d JOIN member AS m ON m.id = d.agent
              LEFT JOIN runs AS r ON r.id = d.run AND r.agent = d.agent
              LEFT JOIN run_roots AS had ON had.run = r.id AND had.seq = d.seq
              WHERE had.run IS NULL AND (d.run IS NOT NULL OR (m.kind <> 'person'
                  AND d.state IN ('leased', 'waiting', 'dead', 'acked')))",
    },
    Check {
        name: "deliveries.acked",
        promise: "a delivery of an agent is acked by the success of its run",
        sql: "SELECT 'msg_' || d.seq || ' to ' || m.target,
                  'it is acked, and run_' || r.id || ' is ' || r.state
              FROM deliveries AS d JOIN member AS m ON m.id = d.agent
              JOIN runs AS r ON r.id = d.run
              WHERE d.state = 'acked' AND r.state <> 'succeeded' AND r.kind <> 'external'",
    },
    Check {
        name: "deliveries.attempts",
        promise: "an attempt is a run that was given the delivery",
        sql: "SELECT 'msg_' || d.seq || ' to ' || m.target, 'it counts ' || d.attempts
                  || ' attempts and ' || d.lost_count || ' lost ones of '
                  || coalesce(given.runs, 0) || ' runs'
              FROM deliveries AS d LEFT JOIN member AS m ON m.id = d.agent
              LEFT JOIN (SELECT r.agent, had.seq, count(*) AS runs
                         FROM run_roots AS had JOIN runs AS r ON r.id = had.run
                         GROUP BY r.agent, had.seq) AS given
                  ON given.agent = d.agent AND given.seq = d.seq
              WHERE d.attempts < 0 OR d.lost_count < 0
                 OR d.attempts > coalesce(given.runs, 0) OR d.lost_count > coalesce(given.runs, 0)
                 OR (d.state = 'leased' AND d.attempts < 1)",
    },
    Check {
        name: "deliveries.marked",
        promise: "a delivery is marked as done by a run that was given it",
        sql: "SELECT 'msg_' || d.seq || ' to ' || m.target,
                  'it is marked by run_' || d.marked_by
              FROM deliveries AS d LEFT JOIN member AS m ON m.id = d.agent
              LEFT JOIN run_roots AS had ON had.run = d.marked_by AND had.seq = d.seq
              WHERE d.marked_by IS NOT NULL AND had.run IS NULL",
    },
    Check {
        name: "deliveries.message",
        promise: "a delivery says of its message what the message says",
        sql: "SELECT 'msg_' || d.seq || ' to ' || m.target,
                  iif(t.seq IS NULL, 'message not found',
                      'its conversation, sender, root, size or scope is another')
              FROM deliveries AS d LEFT JOIN member AS m ON m.id = d.agent
              LEFT JOIN messages AS t ON t.seq = d.seq
              WHERE t.seq IS NULL OR d.group_id <> t.group_id OR d.sender_agent IS NOT t.sender_agent
                 OR d.sender_kind <> t.sender_kind OR d.root <> t.root OR d.bytes <> t.bytes
                 OR m.scope IS NOT t.scope OR d.hop < 0 OR d.hop > t.hop",
    },
    Check {
        name: "deliveries.passed_over",
        promise: "a run that succeeded and had room has read all that was pending before its cause",
        sql: "SELECT 'msg_' || d.seq || ' to ' || m.target,
                  'it is pending, and run_' || r.id || ', which succeeded, was never given it'
              FROM deliveries AS d JOIN member AS m ON m.id = d.agent
              JOIN (SELECT agent, id, max(cause) AS cause FROM runs
                    WHERE state = 'succeeded' AND solo = 0 AND was_full = 0 AND kind <> 'external'
                    GROUP BY agent) AS r ON r.agent = d.agent
              WHERE d.state = 'pending' AND d.wakes = 0 AND d.solo = 0 AND d.released = 0
                AND d.run IS NULL AND d.seq < r.cause",
    },
    Check {
        name: "deliveries.counters",
        promise: "a member's counters of unread, held and dead deliveries are right",
        sql: "SELECT m.target, 'it counts ' || coalesce(m.unread, 'no') || ' unread, '
                  || coalesce(m.held, 'no') || ' held and ' || coalesce(m.dead, 'no') || ' dead, and there are ' || coalesce(c.unread, 0) || ', '
                  || coalesce(c.held, 0) || ' and ' || coalesce(c.dead, 0)
              FROM member AS m
              LEFT JOIN (SELECT agent, sum(state IN ('pending', 'waiting')) AS unread,
                             sum(state = 'held') AS held, sum(state = 'dead') AS dead
                         FROM deliveries NOT INDEXED GROUP BY agent) AS c ON c.agent = m.id
              WHERE m.unread IS NOT coalesce(c.unread, 0) OR m.held IS NOT coalesce(c.held, 0)
                 OR m.dead IS NOT coalesce(c.dead, 0)",
    },
    Check {
        name: "deliveries.removed",
        promise: "a removed member has no open delivery, and nothing of an earlier start is open",
        sql: "SELECT 'msg_' || d.seq || ' to ' || m.target, 'it is ' || d.state || iif(
                  m.removed_at IS NULL, ' since generation ' || t.generation, ' and its recipient is removed')
              FROM deliveries AS d JOIN member AS m ON m.id = d.agent
              JOIN messages AS t ON t.seq = d.seq JOIN scope AS s ON s.id = m.scope
              WHERE m.kind <> 'person' AND d.state IN ('pending', 'waiting', 'held', 'dead')
                AND (m.removed_at IS NOT NULL OR t.generation < s.generation)",
    },
    Check {
        name: "deliveries.person",
        promise: "a delivery of the user is acked when the read cursor has passed it",
        sql: "SELECT 'msg_' || d.seq || ' to ' || m.target, 'it is ' || d.state
                  || ', and the cursor is at ' || coalesce(c.last_read_seq, 0)
              FROM deliveries AS d JOIN member AS m ON m.id = d.agent
              LEFT JOIN group_members AS c ON c.group_id = d.group_id AND c.agent = d.agent
              WHERE m.kind = 'person'
                AND d.state <> iif(d.seq <= coalesce(c.last_read_seq, 0), 'acked', 'pending')",
    },
];
