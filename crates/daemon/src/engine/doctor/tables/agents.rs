//! Members: who there is, and why one does not work.

use crate::engine::doctor::check::Check;

pub const CHECKS: &[Check] = &[
    Check {
        name: "agents.words",
        promise: "a member has a known kind, origin and wanted state",
        sql: "SELECT target, 'its kind is `' || kind || '`, its origin `' || origin
                  || '`, it is wanted `' || wanted || '`'
              FROM member
              WHERE kind NOT IN ('agent', 'person', 'external')
                 OR origin NOT IN ('file', 'new', 'system')
                 OR wanted NOT IN ('active', 'paused', 'stopped') OR NOT json_valid(config)",
    },
    Check {
        name: "agents.one",
        promise: "a name is of one member of a scope",
        sql: "SELECT target, count(*) || ' members have this name'
              FROM (SELECT a.scope, a.name FROM agents AS a NOT INDEXED
                    WHERE a.removed_at IS NULL) AS a
              JOIN member AS m ON m.scope = a.scope AND m.name = a.name AND m.removed_at IS NULL
              GROUP BY m.scope, m.name HAVING count(DISTINCT m.id) > 1",
    },
    Check {
        name: "agents.paused",
        promise: "a paused agent has a reason, and no other agent has one",
        sql: "SELECT target, 'it is ' || wanted || ', its reason is '
                  || iif(paused_reason IS NULL, 'missing', 'there')
              FROM member
              WHERE (wanted = 'paused') <> (paused_reason IS NOT NULL)
                 OR (wanted = 'paused') <> (paused_at IS NOT NULL)",
    },
    Check {
        name: "agents.used",
        promise: "what an agent has used is what its runs have used",
        sql: "SELECT target, format('it counts %d tokens and %d millionths, and its runs make \
                  %.0f and %.0f', a.tokens_used, a.cost_used, coalesce(u.tokens, 0),
                  coalesce(u.cost, 0))
              FROM member AS a
              LEFT JOIN (SELECT agent, min(9223372036854775807.0,
                             total(coalesce(input_tokens, 0) + coalesce(output_tokens, 0))) AS tokens,
                             min(9223372036854775807.0, total(cost)) AS cost
                         FROM runs GROUP BY agent) AS u ON u.agent = a.id
              WHERE CAST(a.tokens_used AS REAL) <> coalesce(u.tokens, 0)
                 OR CAST(coalesce(a.cost_used, 0) AS REAL) <> coalesce(u.cost, 0)",
    },
    Check {
        name: "agents.woken",
        promise: "only an agent that is wanted active is woken",
        sql: "SELECT target, 'it is woken and ' || wanted FROM member
              WHERE removed_at IS NULL AND woken <> 0
                AND (woken <> 1 OR wanted <> 'active' OR kind <> 'agent')",
    },
];
