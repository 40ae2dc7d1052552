//! Which tools a member is offered. The other tools can still be called.

use agent_worker_protocol::{backend::Backend, tool_set::ToolSet};

use crate::{context::cx::Cx, error::OpError, rows::agent::AgentRow};

/// The sets of tools that a caller is offered beside the common one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offered {
    /// Those for proposals
    pub proposals: bool,
    /// Those for groups
    pub groups: bool,
    /// Those that another tool can stand for
    pub rare: bool,
}

impl Offered {
    pub const ALL: Self = Self { proposals: true, groups: true, rare: true };

    /// Returns whether a tool is offered.
    pub fn has(self, tool: &str) -> bool {
        match ToolSet::of(tool) {
            ToolSet::Common => true,
            ToolSet::Proposals => self.proposals,
            ToolSet::Groups => self.groups,
            ToolSet::Rare => self.rare,
        }
    }
}

/// Returns what the caller is offered: everything if it is the user, else what its workflow asks
/// for, what is open and what it is in.
pub fn offered(cx: &Cx<'_>) -> Result<Offered, OpError> {
    let me = cx.member()?;
    if cx.is_person() { Ok(Offered::ALL) } else { offered_to(cx, &me) }
}

/// Returns what a member is offered that is not the user.
pub fn offered_to(cx: &Cx<'_>, me: &AgentRow) -> Result<Offered, OpError> {
    let sql = "SELECT
            EXISTS (SELECT 1 FROM agents WHERE scope = ?1 AND removed_at IS NULL
                AND config ->> '$.proposals')
            OR EXISTS (SELECT 1 FROM proposals WHERE scope = ?1 AND status = 'active'),
            EXISTS (SELECT 1 FROM agents WHERE scope = ?1 AND removed_at IS NULL
                AND config ->> '$.groups')
            OR EXISTS (SELECT 1 FROM group_members AS m JOIN groups AS g ON g.id = m.group_id
                WHERE m.agent = ?2 AND m.left_at IS NULL AND g.kind = 'group'
                    AND g.closed_at IS NULL)";
    let row = |row: &rusqlite::Row<'_>| {
        Ok(Offered { proposals: row.get(0)?, groups: row.get(1)?, rare: false })
    };
    Ok(cx.conn.prepare_cached(sql)?.query_row([me.scope_id, me.id], row)?)
}

/// Returns whether the caller is a run whose program asks for permissions with a tool.
pub fn prompts(cx: &mut Cx<'_>) -> Result<bool, OpError> {
    if cx.run().is_none() {
        return Ok(false);
    }
    let me = cx.member()?;
    let is_claude = me.backend.as_deref() == Some(Backend::Claude.as_str());
    Ok(is_claude && !me.config(cx.db)?.permissions.ask.is_empty())
}

/// Refuses a caller that is not a member.
pub fn known(cx: &Cx<'_>) -> Result<(), OpError> {
    cx.member().map(|_| ())
}
