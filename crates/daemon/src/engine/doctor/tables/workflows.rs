//! Workflows: a state that follows from deliveries and runs, and use that follows from runs.

use crate::engine::doctor::check::Check;

pub const CHECKS: &[Check] = &[
    Check {
        name: "workflows.global",
        promise: "@global is there and runs",
        sql: "SELECT '@global', coalesce('it is ' || s.state || ' in mode ' || s.mode, 'it is missing')
              FROM (SELECT 1) LEFT JOIN scope AS s ON s.shown = '@global'
              WHERE s.id IS NULL OR s.state <> 'running' OR s.mode <> 'start'",
    },
    Check {
        name: "workflows.judged",
        promise: "a run goes on while there is work, and ends as what is left says",
        sql: "SELECT shown, 'it is ' || state || ', and by its runs and deliveries it is ' || due
              FROM (SELECT s.shown, s.state, s.is_archived, CASE
                    WHEN EXISTS (SELECT 1 FROM runs AS r WHERE r.scope = s.id
                            AND r.state IN ('starting', 'running', 'ending')
                            AND (r.kind <> 'external' OR EXISTS (
                                SELECT 1 FROM run_roots AS had JOIN deliveries AS d
                                ON d.agent = r.agent AND d.seq = had.seq
                                WHERE had.run = r.id AND d.wakes = 1)))
                        OR EXISTS (SELECT 1 FROM questions AS q WHERE q.scope = s.id
                            AND q.answered_at IS NULL AND q.expired_because IS NULL)
                        OR EXISTS (SELECT 1 FROM agents AS a WHERE a.scope = s.id
                            AND a.removed_at IS NULL AND a.kind <> 'person'
                            AND a.wanted = 'active' AND (a.woken = 1 OR EXISTS (
                                SELECT 1 FROM deliveries AS d WHERE d.agent = a.id
                                AND d.wakes = 1 AND d.state IN ('pending', 'waiting'))))
                        THEN 'running'
                    WHEN EXISTS (SELECT 1 FROM agents AS a JOIN deliveries AS d ON d.agent = a.id
                            WHERE a.scope = s.id AND a.removed_at IS NULL AND a.kind <> 'person'
                            AND (d.state = 'held' OR (a.wanted <> 'active' AND d.wakes = 1
                                AND d.state IN ('pending', 'waiting'))))
                        THEN 'stalled'
                    WHEN EXISTS (SELECT 1 FROM agents AS a JOIN deliveries AS d ON d.agent = a.id
                            WHERE a.scope = s.id AND a.removed_at IS NULL AND a.kind <> 'person'
                            AND d.state = 'dead')
                        THEN 'failed'
                    ELSE 'completed' END AS due
                  FROM scope AS s
                  WHERE s.mode = 'run' AND s.generation > 0 AND s.kicked_off = s.generation
                    AND s.state IN ('running', 'completed', 'failed', 'stalled'))
              WHERE state <> due AND (due = 'running' OR NOT is_archived)",
    },
    Check {
        name: "workflows.used",
        // A worker may report as much as a number can be, and there counting stops.
        // Older counts leave out tokens of the cache, and the runs of external members.
        promise: "what a workflow has used is what its runs have used",
        sql: "SELECT s.shown, format('it counts %d tokens, %d millionths and %d runs, and its \
                  runs make %.0f, %.0f and %d', s.tokens_used, s.cost_used, s.runs_used,
                  coalesce(u.tokens, 0), coalesce(u.cost, 0), coalesce(u.runs, 0))
              FROM scope AS s
              LEFT JOIN (SELECT scope, generation, min(9223372036854775807.0,
                             total(coalesce(input_tokens, 0) + coalesce(output_tokens, 0))) AS least,
                             min(9223372036854775807.0,
                             total(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)
                                 + coalesce(cache_read, 0) + coalesce(cache_write, 0))) AS tokens,
                             min(9223372036854775807.0, total(cost)) AS cost,
                             sum(kind <> 'external') AS inside, count(*) AS runs
                         FROM runs GROUP BY scope, generation) AS u
                  ON u.scope = s.id AND u.generation = s.generation
              WHERE CAST(s.tokens_used AS REAL)
                        NOT BETWEEN coalesce(u.least, 0) AND coalesce(u.tokens, 0)
                 OR CAST(s.cost_used AS REAL) <> coalesce(u.cost, 0)
                 OR s.runs_used
                        NOT BETWEEN coalesce(u.inside, 0) AND coalesce(u.runs, 0)",
    },
    Check {
        name: "workflows.members",
        promise: "a workflow has one channel and one person",
        sql: "SELECT s.shown, (SELECT count(*) FROM groups AS g WHERE g.scope = s.id
                      AND g.kind = 'channel' AND g.closed_at IS NULL) || ' channels and '
                  || (SELECT count(*) FROM agents AS a WHERE a.scope = s.id
                      AND a.kind = 'person' AND a.removed_at IS NULL) || ' persons'
              FROM scope AS s
              WHERE 1 <> (SELECT count(*) FROM groups AS g WHERE g.scope = s.id
                          AND g.kind = 'channel' AND g.closed_at IS NULL)
                 OR 1 <> (SELECT count(*) FROM agents AS a WHERE a.scope = s.id
                          AND a.kind = 'person' AND a.removed_at IS NULL)",
    },
];
