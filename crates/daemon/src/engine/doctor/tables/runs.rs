//! Runs: one at a time for each agent, and ended ones ended whole.

use crate::engine::doctor::check::Check;

pub const CHECKS: &[Check] = &[
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
        promise: "a run is of a generation that there was",
        sql: "SELECT 'run_' || r.id, 'it is of generation ' || r.generation || ', and there are '
                  || w.generation
              FROM runs AS r JOIN workflows AS w ON w.id = r.scope
              WHERE r.generation > w.generation",
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
              WHERE o.state = 'open' AND r.state NOT IN ('starting', 'running', 'ending')",
    },
];
