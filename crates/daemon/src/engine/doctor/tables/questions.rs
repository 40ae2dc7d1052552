//! Questions to the user: asked by a member, decided once, and reported to the asker.

use crate::engine::doctor::check::Check;

pub const CHECKS: &[Check] = &[
    Check {
        name: "questions.words",
        promise: "a question has a known kind, a text, and options to choose from",
        sql: "SELECT 'q_' || id, 'its kind is `' || kind || '`, its options are '
                  || coalesce(options, 'none') || ', its default is ' || coalesce(default_answer, 'none')
              FROM questions
              WHERE kind NOT IN ('question', 'permission') OR text = ''
                 OR NOT json_valid(coalesce(options, '[]'))
                 OR (kind = 'permission') <> (tool IS NOT NULL)
                 OR (options IS NOT NULL AND default_answer IS NOT NULL AND json_valid(options)
                     AND default_answer NOT IN (SELECT value FROM json_each(options)))",
    },
    Check {
        name: "questions.place",
        promise: "a question is of its agent's scope, and was asked in a run of that agent",
        sql: "SELECT 'q_' || q.id, 'it is of scope ' || q.scope || ', asked by agent ' || q.agent
                  || coalesce(' in run_' || q.run, ' in no run')
              FROM questions AS q LEFT JOIN agents AS a ON a.id = q.agent
              LEFT JOIN runs AS r ON r.id = q.run
              WHERE a.scope IS NOT q.scope OR a.kind = 'person'
                 OR (q.run IS NOT NULL AND r.agent IS NOT q.agent)
                 OR (q.run IS NULL AND q.kind = 'permission')",
    },
    Check {
        name: "questions.decided",
        promise: "a question is open, closed, or answered by a member with one of its options",
        sql: "SELECT 'q_' || id, CASE
                  WHEN answer IS NULL AND expired_because IS NULL THEN 'it is answered with nothing'
                  WHEN answer IS NULL THEN 'it is closed, and has an author of an answer'
                  WHEN expired_because IS NOT NULL THEN 'it is answered and closed'
                  WHEN answered_by IS NULL OR answered_at IS NULL THEN 'its answer has no author or no time'
                  ELSE 'its answer `' || answer || '` is none of its options' END
              FROM questions
              WHERE (answer IS NULL) <> (answered_by IS NULL)
                 OR (answer IS NULL) <> (answered_at IS NULL)
                 OR (answer IS NOT NULL AND expired_because IS NOT NULL)
                 OR (answer IS NOT NULL AND json_valid(options)
                     AND answer NOT IN (SELECT value FROM json_each(options)))",
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
        promise: "the answer that went by mail went to the asker, and only of what is decided",
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
