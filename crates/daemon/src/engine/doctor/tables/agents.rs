//! Members: who there is, and why one does not work.

use crate::engine::doctor::check::Check;

pub const CHECKS: &[Check] = &[
    Check {
        name: "agents.used",
        // Older counts leave out tokens of the cache.
        promise: "what an agent has used is what its runs have used",
        sql: "SELECT target, format('it counts %d tokens and %d millionths, and its runs make \
                  %.0f and %.0f', a.tokens_used, a.cost_used, coalesce(u.tokens, 0),
                  coalesce(u.cost, 0))
              FROM member AS a
              LEFT JOIN (SELECT agent, min(9223372036854775807.0,
                             total(coalesce(input_tokens, 0) + coalesce(output_tokens, 0))) AS least,
                             min(9223372036854775807.0,
                             total(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)
                                 + coalesce(cache_read, 0) + coalesce(cache_write, 0))) AS tokens,
                             min(9223372036854775807.0, total(cost)) AS cost
                         FROM runs GROUP BY agent) AS u ON u.agent = a.id
              WHERE CAST(a.tokens_used AS REAL)
                        NOT BETWEEN coalesce(u.least, 0) AND coalesce(u.tokens, 0)
                 OR CAST(coalesce(a.cost_used, 0) AS REAL) <> coalesce(u.cost, 0)",
    },
];
