//! Hired agents of a workflow that is started again.

use crate::{
    context::Cx,
    error::Result,
    rows::{AgentConfig, AgentRow, NewAgent},
    rules::start::{Launch, LaunchAgent},
};

/// Gives hired agents what their parents have now, whose file may have changed: hiring gives no
/// agent more than its parent has. `before` is the team as it was.
pub fn follow(cx: &mut Cx<'_>, before: &[AgentRow], launch: &Launch) -> Result<()> {
    let is_hired = |member: &&AgentRow| member.depth > 0 && !launch.names(&member.name);
    let mut hired: Vec<_> = before.iter().filter(is_hired).collect();
    // Those that were hired by hired ones come after them.
    hired.sort_by_key(|member| member.depth);
    for member in hired {
        // Without its parent, if that was removed.
        let member = AgentRow::by_id(cx.db, member.id)?;
        let parent = member.parent.map(|id| AgentRow::by_id(cx.db, id)).transpose()?;
        // An external member has nothing that a run is made from.
        let like = parent.filter(|parent| parent.kind == member.kind);
        let like = like.unwrap_or_else(|| member.clone());
        let mut config = of_file(like.config(cx.db)?.of_hired(), launch);
        let own = own_model(&member, &like, before, launch);
        if let Some(agent) = own {
            config.provider.clone_from(&agent.config.provider);
        }
        let system = member.system(cx.db)?;
        let kind = (member.kind, member.origin);
        let new = NewAgent {
            model: own.map_or(&like.model, |agent| &agent.model).as_deref(),
            backend: like.backend.as_deref(),
            system: system.as_deref(),
            role: member.role.as_deref(),
            display_name: member.display_name.as_deref(),
            home: member.home.as_ref(),
            parent: member.parent,
            depth: member.depth,
            ..NewAgent::new(member.scope_id, &member.name, kind, &config, cx.now)
        };
        member.update(cx.db, &new)?;
        cx.touch_agent(member.id);
    }
    Ok(())
}

/// What the file says of all its agents, also for one whose parent is not in it any more.
fn of_file(config: AgentConfig, launch: &Launch) -> AgentConfig {
    let Some(agent) = launch.agents.first() else { return config };
    let AgentConfig { proposals, groups, hire, .. } = agent.config;
    AgentConfig { proposals, groups, hire, ..config }
}

/// The agent of the file that still uses the model that a hired one has beside its parent's.
fn own_model<'l>(
    member: &AgentRow,
    like: &AgentRow,
    before: &[AgentRow],
    launch: &'l Launch,
) -> Option<&'l LaunchAgent> {
    let was = before.iter().find(|one| one.id == like.id)?;
    let is_used = |agent: &&LaunchAgent| agent.model == member.model;
    launch.agents.iter().find(is_used).filter(|_| was.model != member.model)
}
