//! Questions to the user: asked by a member, decided once, and reported to the asker.

use crate::engine::doctor::check::Check;

pub const CHECKS: &[Check] = &[
    Check {
        name: "questions.options",
        promise: "the default and the answer of a question are options of it",
        sql: "SELECT 'q_' || id, 'its default is ' || coalesce(default_answer, 'none')
                  || ', its answer ' || coalesce(answer, 'none') || ', of ' || options
              FROM questions
              WHERE options IS NOT NULL
                AND (default_answer NOT IN (SELECT value FROM json_each(options))
                    OR answer NOT IN (SELECT value FROM json_each(options)))",
    },
    Check {
        name: "questions.place",
        promise: "each question is asked by a member other than the user",
        sql: "SELECT 'q_' || q.id, 'it was asked by the person'
              FROM questions AS q JOIN agents AS a ON a.id = q.agent WHERE a.kind = 'person'",
    },
    Check {
        name: "questions.waited",
        promise: "an open question is of a member that is there, and only who is at work waits for \
                  an answer",
        sql: "SELECT 'q_' || q.id, CASE
                  WHEN m.removed_at IS NOT NULL THEN 'it is open, and ' || m.name || ' is removed'
                  WHEN q.run IS NULL THEN m.target || ' works in runs, and waits without one'
                  WHEN q.waits = 1 THEN 'run_' || r.id || ' waits for its answer and is ' || r.state
                  ELSE 'it asks for the permission of a run that does not wait for it' END
              FROM questions AS q JOIN member AS m ON m.id = q.agent
              LEFT JOIN runs AS r ON r.id = q.run
              WHERE (q.answered_at IS NULL AND q.expired_because IS NULL
                     AND (m.removed_at IS NOT NULL OR (q.kind = 'permission' AND q.waits = 0)))
                 OR (q.waits = 1 AND m.kind = 'agent' AND q.run IS NULL)
                 OR (q.waits = 1 AND r.state NOT IN ('starting', 'running'))",
    },
    Check {
        name: "questions.message",
        promise: "an answer in a message went to the asker, and only of what is decided",
        sql: "SELECT 'q_' || q.id, 'its answer is in msg_' || q.message || CASE
                  WHEN q.answered_at IS NULL AND q.expired_because IS NULL THEN ', and it is open'
                  WHEN d.seq IS NULL THEN ', which its agent never got'
                  ELSE ', which is a ' || d.reason END
              FROM questions AS q
              LEFT JOIN deliveries AS d ON d.agent = q.agent AND d.seq = q.message
              WHERE q.message IS NOT NULL AND (d.reason IS NOT 'answer'
                  OR (q.answered_at IS NULL AND q.expired_because IS NULL))
              UNION ALL
              SELECT 'msg_' || d.seq, 'it is the answer to no question'
              FROM deliveries AS d LEFT JOIN questions AS q INDEXED BY questions_by_message
                  ON q.message = d.seq
              WHERE d.reason = 'answer' AND q.id IS NULL",
    },
];
