//! The feed: without a gap, and telling the same as the tables.

use crate::engine::doctor::check::Check;

pub const CHECKS: &[Check] = &[
    Check {
        name: "events.gapless",
        promise: "the events that are kept follow each other without a gap",
        sql: "SELECT 'event ' || seq, 'the event before it is ' || before
              FROM (SELECT seq, lag(seq) OVER (ORDER BY seq) AS before FROM events)
              WHERE before IS NOT NULL AND seq <> before + 1",
    },
    Check {
        name: "events.newest",
        promise: "the newest event has the last number given",
        sql: "SELECT 'event ' || newest, 'the last number given is ' || given
              FROM (SELECT (SELECT coalesce(max(seq), 0) FROM events) AS newest,
                        coalesce(
                            (SELECT value ->> 'event' FROM daemon_state WHERE key = 'numbers'),
                            -- Schema 13 and before
                            (SELECT max(seq) FROM sqlite_sequence WHERE name = 'events'),
                            0) AS given)
              WHERE newest > given OR (newest > 0 AND newest < given)",
    },
    Check {
        name: "events.body",
        promise: "every event has a kind and a body that is JSON",
        sql: "SELECT 'event ' || seq, 'its kind is `' || kind || '`, its body is '
                  || iif(json_valid(body), 'JSON', 'no JSON')
              FROM events
              WHERE NOT json_valid(body) OR kind NOT IN ('agent.changed', 'agent.removed',
                  'workflow.changed', 'workflow.removed', 'message.sent', 'delivery.changed',
                  'run.changed', 'document.changed', 'proposal.changed', 'resource.created',
                  'schedule.changed', 'group.changed', 'question.changed', 'attention.changed')",
    },
    Check {
        name: "events.message",
        promise: "a message that its event does not hold is in its table",
        sql: "SELECT 'event ' || e.seq, e.subject || ' is not there'
              FROM events AS e LEFT JOIN messages AS m ON m.seq = CAST(substr(e.subject, 5) AS INTEGER)
              WHERE e.kind = 'message.sent' AND e.body LIKE '[%' AND m.seq IS NULL",
    },
    Check {
        name: "events.final",
        promise: "a delivery that is acked or dropped never changes again",
        sql: "SELECT subject || ' to ' || agent, 'event ' || seq || ' makes it ' || state
                  || ' after event ' || ended || ' ended it'
              FROM (SELECT subject, json_extract(body, '$.agent') AS agent, seq,
                        json_extract(body, '$.state') AS state,
                        min(iif(json_extract(body, '$.state') IN ('acked', 'dropped'), seq, NULL))
                            OVER (PARTITION BY subject, json_extract(body, '$.agent')) AS ended
                    FROM events WHERE kind = 'delivery.changed' AND json_valid(body))
              WHERE seq > ended",
    },
    Check {
        name: "events.deliveries",
        promise: "the feed's last word on a delivery is what the table says",
        sql: "SELECT 'msg_' || d.seq || ' to ' || m.target,
                  'it is ' || d.state || ', and event ' || e.seq || ' says ' || e.state
              FROM (SELECT max(seq) AS seq, message, state,
                        -- Without the scope: what is put away has another name since.
                        substr(agent, 1, instr(agent || '@', '@') - 1) AS name
                    FROM (SELECT seq, CAST(substr(subject, 5) AS INTEGER) AS message,
                              json_extract(body, '$.agent') AS agent,
                              json_extract(body, '$.state') AS state
                          FROM events WHERE kind = 'delivery.changed' AND json_valid(body))
                    GROUP BY message, name) AS e
              JOIN deliveries AS d ON d.seq = e.message
              JOIN member AS m ON m.id = d.agent AND m.name = e.name
              WHERE d.state <> e.state",
    },
    Check {
        name: "events.runs",
        promise: "the feed's last word on a run is what the table says",
        sql: "SELECT 'run_' || r.id,
                  'it is ' || r.state || ', and event ' || e.seq || ' says ' || e.state
              FROM (SELECT max(seq) AS seq, CAST(substr(subject, 5) AS INTEGER) AS run,
                        json_extract(body, '$.state') AS state
                    FROM events WHERE kind = 'run.changed' AND json_valid(body)
                    GROUP BY 2) AS e
              JOIN runs AS r ON r.id = e.run
              WHERE r.state <> e.state",
    },
    Check {
        name: "events.workflows",
        promise: "the feed's last word on a workflow is what the table says",
        sql: "SELECT s.shown,
                  'it is ' || s.state || ', and event ' || e.seq || ' says ' || e.state
              FROM scope AS s
              CROSS JOIN (SELECT max(seq) AS seq, subject, json_extract(body, '$.state') AS state
                    FROM events WHERE kind = 'workflow.changed' AND json_valid(body)
                    GROUP BY 2) AS e ON e.subject = s.shown
              WHERE s.state <> e.state",
    },
    Check {
        name: "events.agents",
        promise: "the feed's last word on a member is what the table says",
        sql: "SELECT m.target, 'it is wanted ' || m.wanted || ' with ' || m.unread
                  || ' unread, and event ' || e.seq || ' says ' || e.wanted || ' with ' || e.unread
              FROM member AS m
              CROSS JOIN (SELECT max(seq) AS seq, subject, json_extract(body, '$.wanted') AS wanted,
                        json_extract(body, '$.unread') AS unread
                    FROM events WHERE kind = 'agent.changed' AND json_valid(body)
                    GROUP BY 2) AS e ON e.subject = m.target
              WHERE m.removed_at IS NULL AND (m.wanted <> e.wanted OR m.unread <> e.unread)",
    },
    Check {
        name: "events.questions",
        promise: "the feed's last word on a question is what the table says",
        sql: "SELECT 'q_' || q.id, 'it is ' || coalesce(q.answer, q.expired_because, 'open')
                  || ', and event ' || e.seq || ' says ' || coalesce(e.said, 'open')
              FROM (SELECT max(seq) AS seq, CAST(substr(subject, 3) AS INTEGER) AS question,
                        coalesce(json_extract(body, '$.answer'),
                            json_extract(body, '$.expired_because')) AS said
                    FROM events WHERE kind = 'question.changed' AND json_valid(body)
                    GROUP BY 2) AS e
              JOIN questions AS q ON q.id = e.question
              WHERE coalesce(q.answer, q.expired_because) IS NOT e.said",
    },
    Check {
        name: "events.documents",
        promise: "the feed's last word on a document is what the table says",
        sql: "SELECT d.path || ' in ' || s.shown, 'it is at version ' || d.version
                  || ', and event ' || e.seq || ' says ' || e.version
              FROM documents AS d JOIN scope AS s ON s.id = d.scope
              CROSS JOIN (SELECT max(seq) AS seq, subject, scope,
                        json_extract(body, '$.version') AS version
                    FROM events WHERE kind = 'document.changed' AND json_valid(body)
                    GROUP BY 2, 3) AS e ON e.subject = d.path AND e.scope = s.shown
              WHERE d.version <> e.version",
    },
];
