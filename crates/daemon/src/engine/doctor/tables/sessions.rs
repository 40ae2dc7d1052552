//! Sessions: those with turns are found by a mark.

use crate::engine::doctor::check::Check;

pub const CHECKS: &[Check] = &[Check {
    name: "sessions.turns",
    promise: "a session that has turns is marked",
    // A file of an earlier schema has no marks: there `has_turns` is that of `earlier`.
    sql: "SELECT 'session_' || t.session, 'it has turns, and is not marked'
          FROM (SELECT 1 AS has_turns) AS earlier
          CROSS JOIN (SELECT DISTINCT session FROM session_turns) AS t
          WHERE (SELECT has_turns FROM sessions WHERE id = t.session) = 0",
}];
