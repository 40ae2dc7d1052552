//! Which tools a member is offered. The other tools can still be called, except those of a home by
//! an agent without one.

use agent_worker_protocol::{Backend, Home, MemberKind, ToolSet};

use crate::{
    context::Cx,
    error::{OpError, Result},
    rows::{AgentRow, agent, conversation, proposal},
};

/// The sets of tools that a caller is offered beside the common one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a set of tools")]
pub struct Offered {
    /// Those for proposals
    pub proposals: bool,
    /// Those for groups
    pub groups: bool,
    /// Those for hiring
    pub hire: bool,
    /// Those for its home
    pub home: bool,
    /// Those that another tool can stand for
    pub rare: bool,
}

impl Offered {
    /// What takes neither a home nor a workflow that lets agents hire.
    pub const ALL: Self =
        Self { proposals: true, groups: true, hire: false, home: false, rare: true };

    /// Returns whether a tool is offered.
    pub fn has(self, tool: &str) -> bool {
        match ToolSet::of(tool) {
            ToolSet::Common => true,
            ToolSet::Proposals => self.proposals,
            ToolSet::Groups => self.groups,
            ToolSet::Hire => self.hire,
            ToolSet::Home => self.home,
            ToolSet::Rare => self.rare,
        }
    }
}

/// Returns what the caller is offered: if it is the user, all that takes neither a home nor a
/// workflow with hiring; else what its workflow asks for, what is open and what it is in.
pub fn offered(cx: &Cx<'_>) -> Result<Offered> {
    let me = cx.member()?;
    if cx.is_person() { Ok(Offered::ALL) } else { offered_to(cx, &me) }
}

/// Returns what a member is offered that is not the user.
pub fn offered_to(cx: &Cx<'_>, me: &AgentRow) -> Result<Offered> {
    Ok(Offered {
        proposals: agent::offers(cx.db, me.scope_id, "$.proposals")?
            || proposal::is_open_in(cx.db, me.scope_id)?,
        groups: agent::offers(cx.db, me.scope_id, "$.groups")?
            || conversation::is_in_group(cx.db, me.id)?,
        hire: me.kind != MemberKind::External && me.config(cx.db)?.hire,
        home: has_home(me),
        rare: false,
    })
}

fn has_home(agent: &AgentRow) -> bool {
    agent.home.as_ref().is_some_and(|home| *home != Home::No)
}

/// Refuses an agent without a home.
pub fn check_home(agent: &AgentRow) -> Result<()> {
    if has_home(agent) { Ok(()) } else { Err(has_no_home(agent)) }
}

/// Returns the refusal of an agent without a home.
pub fn has_no_home(agent: &AgentRow) -> OpError {
    let hint = "set `home: true` in its workflow file, or agent-worker new NAME --home";
    OpError::not_found(format!("`{}` has no home", agent.target())).hint(hint)
}

/// Returns whether the caller is a run whose program asks for permissions with a tool.
pub fn prompts(cx: &mut Cx<'_>) -> Result<bool> {
    if cx.run().is_none() {
        return Ok(false);
    }
    let me = cx.member()?;
    let is_claude = me.backend.as_deref() == Some(Backend::Claude.as_str());
    Ok(is_claude && !me.config(cx.db)?.permissions.ask.is_empty())
}
