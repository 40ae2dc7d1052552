//! Runs: one at a time for each agent, and ended ones ended whole.

use crate::engine::doctor::check::Check;

pub const CHECKS: &[Check] = &[
    Check {
        name: "runs.words",
        promise: "a run has a known state, kind and class",
        sql: "SELECT 'run_' || id, 'its state is `' || state || '`, its kind `' || kind
                  || '`, its class `' || coalesce(class, '') || '`'
              FROM runs
              WHERE state NOT IN ('starting', 'running', 'ending', 'succeeded', 'failed',
                        'timed_out', 'cancelled', 'lost', 'over_budget')
                 OR kind NOT IN ('mention', 'direct', 'ask', 'scheduled', 'heartbeat', 'wake',
                        'external')
                 OR class NOT IN ('transient', 'timed_out', 'unavailable', 'overflow',
                        'permanent', 'lost', 'over_budget', 'cancelled')",
    },
    Check {
        name: "runs.one",
        promise: "an agent has one live run at most",
        sql: "SELECT m.target, count(*) || ' runs of it are live'
              FROM runs AS r NOT INDEXED JOIN member AS m ON m.id = r.agent
              WHERE r.state IN ('starting', 'running', 'ending')
              GROUP BY m.id HAVING count(*) > 1",
    },
    Check {
        name: "runs.token",
        promise: "a run that the daemon starts has a token, and one of a member outside has none",
        sql: "SELECT 'run_' || id, 'it is ' || kind || ' and has '
                  || iif(token_hash IS NULL, 'no token', 'a token of ' || length(token_hash) || ' bytes')
              FROM runs
              WHERE (kind = 'external') <> (token_hash IS NULL) OR length(token_hash) <> 32",
    },
    Check {
        name: "runs.live",
        promise: "a live run has no end yet, and an ending run has a class to end with",
        sql: "SELECT 'run_' || id, 'it is ' || state || ' and has ' || CASE
                  WHEN ended_at IS NOT NULL THEN 'ended'
                  WHEN class IS NOT NULL THEN 'failed'
                  WHEN result IS NOT NULL THEN 'a result'
                  ELSE 'no class to end with' END
              FROM runs
              WHERE state IN ('starting', 'running', 'ending')
                AND (ended_at IS NOT NULL OR class IS NOT NULL OR result IS NOT NULL
                     OR (state = 'ending' AND end_class IS NULL))",
    },
    Check {
        name: "runs.ended",
        promise: "an ended run has a time of its end, and the class of its state",
        sql: "SELECT 'run_' || id, 'it is ' || state || CASE
                  WHEN ended_at IS NULL THEN ' without a time'
                  WHEN activity IS NOT NULL OR end_by IS NOT NULL OR is_silent THEN ' and still at work'
                  ELSE ' of class ' || coalesce(class, 'none') END
              FROM runs
              WHERE state NOT IN ('starting', 'running', 'ending')
                AND (ended_at IS NULL OR activity IS NOT NULL OR end_by IS NOT NULL
                     OR is_silent
                     OR state <> CASE coalesce(class, '')
                         WHEN '' THEN 'succeeded'
                         WHEN 'transient' THEN 'failed' WHEN 'unavailable' THEN 'failed'
                         WHEN 'overflow' THEN 'failed' WHEN 'permanent' THEN 'failed'
                         ELSE class END
                     OR (class IS NULL) <> (error IS NULL))",
    },
    Check {
        name: "runs.usage",
        promise: "what a run has used is not negative",
        sql: "SELECT 'run_' || id, 'it has used ' || coalesce(input_tokens, 0) || ' and '
                  || coalesce(output_tokens, 0) || ' tokens for ' || coalesce(cost, 0)
              FROM runs
              WHERE input_tokens < 0 OR output_tokens < 0 OR cache_read < 0 OR cache_write < 0
                 OR reasoning_tokens < 0 OR cost < 0",
    },
    Check {
        name: "runs.mail",
        promise: "what a run was given was delivered to its agent, and its cause is among it",
        sql: "SELECT 'run_' || r.id, 'it was given msg_' || had.seq
                  || iif(d.seq IS NULL, ', which its agent never got', ' with another root')
              FROM run_roots AS had JOIN runs AS r ON r.id = had.run
              LEFT JOIN deliveries AS d ON d.agent = r.agent AND d.seq = had.seq
              WHERE d.seq IS NULL OR d.root <> had.root
              UNION ALL
              SELECT 'run_' || r.id, 'its cause is msg_' || r.cause || ', which it was not given'
              FROM runs AS r LEFT JOIN run_roots AS had ON had.run = r.id AND had.seq = r.cause
              WHERE r.cause IS NOT NULL AND had.run IS NULL",
    },
    Check {
        name: "runs.place",
        promise: "a run is of its agent's scope, of a generation there was, and of a conversation",
        sql: "SELECT 'run_' || r.id, 'it is of generation ' || r.generation || ' of scope '
                  || r.scope || ' in conversation ' || coalesce(r.group_id, 'none')
              FROM runs AS r LEFT JOIN agents AS a ON a.id = r.agent
              LEFT JOIN workflows AS w ON w.id = r.scope
              LEFT JOIN groups AS g ON g.id = r.group_id
              WHERE a.scope IS NOT r.scope OR w.id IS NULL OR r.generation > w.generation
                 OR g.scope IS NOT r.scope",
    },
    Check {
        name: "runs.session",
        promise: "a run goes on with a session of its own agent",
        sql: "SELECT 'run_' || r.id, 'its session ' || r.session || ' is '
                  || iif(s.id IS NULL, 'not there', 'of another agent')
              FROM runs AS r LEFT JOIN sessions AS s ON s.id = r.session
              WHERE r.session IS NOT NULL AND s.agent IS NOT r.agent",
    },
    Check {
        name: "runs.retry",
        promise: "a further attempt follows an earlier run of the same agent",
        sql: "SELECT 'run_' || r.id, 'it is said to follow run_' || r.retry_of
              FROM runs AS r LEFT JOIN runs AS e ON e.id = r.retry_of
              WHERE r.retry_of IS NOT NULL
                AND (e.agent IS NOT r.agent OR e.id >= r.id OR e.ended_at IS NULL)",
    },
    Check {
        name: "runs.output",
        promise: "no block of a transcript grows after its run",
        sql: "SELECT 'run_' || r.id, 'block ' || o.n || ' is ' || o.state || ' and the run '
                  || r.state
              FROM run_output AS o JOIN runs AS r ON r.id = o.run
              WHERE o.state NOT IN ('open', 'done', 'cut')
                 OR (o.state = 'open' AND r.state NOT IN ('starting', 'running', 'ending'))",
    },
];
