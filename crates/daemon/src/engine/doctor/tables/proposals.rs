//! Proposals: electors alone vote, for an option there is, and a close is a close.

use crate::engine::doctor::check::Check;

pub const CHECKS: &[Check] = &[
    Check {
        name: "proposals.results",
        promise: "what has won is an option",
        sql: "SELECT 'prop_' || p.id, 'it has no option `' || p.result || '`'
              FROM proposals AS p WHERE p.result IS NOT NULL
                  AND p.result NOT IN (SELECT value FROM json_each(p.options))",
    },
    Check {
        name: "proposals.voters",
        promise: "who votes votes for an option",
        sql: "SELECT 'prop_' || v.proposal, m.target || ' has voted for `' || v.choice || '`'
              FROM votes AS v LEFT JOIN member AS m ON m.id = v.agent
              LEFT JOIN proposals AS p ON p.id = v.proposal
              WHERE v.choice NOT IN (SELECT value FROM json_each(p.options))",
    },
    Check {
        name: "proposals.electors",
        promise: "electors are of the proposal's scope, and a quorum is at most all of them",
        sql: "SELECT 'prop_' || p.id, count(e.agent) || ' electors, '
                  || sum(a.scope IS NOT p.scope) || ' of another scope, quorum ' || p.quorum
              FROM proposals AS p LEFT JOIN proposal_electors AS e ON e.proposal = p.id
              LEFT JOIN agents AS a ON a.id = e.agent
              GROUP BY p.id
              HAVING count(e.agent) = 0 OR sum(a.scope IS NOT p.scope) > 0
                  OR p.quorum NOT BETWEEN 1 AND count(e.agent)",
    },
];
