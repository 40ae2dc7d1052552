//! Agents that hire others.

use agent_worker_protocol::{AgentHire, Hired, Limits, MemberKind, Origin, Wanted};

use crate::{
    changes::agent::member,
    context::{Cx, Run},
    error::{OpError, Result},
    ops::agent::create,
    rows::{AgentRow, NewAgent, WorkflowRow},
    rules::blocker::counted,
};

/// How many steps of hiring may lead to an agent.
const DEEPEST: i64 = 3;

impl Run for AgentHire {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Hired> {
        let me = cx.member()?.expect_agent()?;
        let config = me.config(cx.db)?;
        let scope = WorkflowRow::by_id(cx.db, me.scope_id)?;
        if !config.hire {
            return Err(OpError::denied("your workflow does not let its agents hire")
                .hint("ask your user: `hire: true` in the workflow file allows it"));
        }
        let name = self.name.clone().for_agent();
        let name = name.map_err(|bad| OpError::invalid(bad.to_string()))?;
        if self.role.trim().is_empty() {
            return Err(OpError::invalid("`role` is empty: say what the agent is for"));
        }
        let team = AgentRow::of_scope(cx.db, scope.id)?;
        check_place(cx, &me, &scope)?;
        if let Some(known) = team.iter().find(|member| member.name == name) {
            return Err(taken(known));
        }
        let model = self.model.as_deref().or(me.model.as_deref());
        check_model(&team, model)?;
        let mut config = config.of_hired();
        let other = team.iter().find(|member| member.model.as_deref() == model);
        if let Some(other) = other.filter(|_| model != me.model.as_deref()) {
            // Another model may be served elsewhere.
            config.provider = other.config(cx.db)?.provider;
        }
        let new = NewAgent {
            model,
            backend: me.backend.as_deref(),
            system: self.system_prompt.as_deref(),
            role: Some(&self.role),
            parent: Some(me.id),
            depth: me.depth + 1,
            ..NewAgent::new(scope.id, &name, (me.kind, Origin::New), &config, cx.now)
        };
        let made = member::insert(cx, &scope, &new)?.entity(cx.db)?;
        Ok(Hired { name, target: made.target, model: made.model, state: made.state })
    }
}

/// Refuses the name of a member. A stopped or paused one would not read what is written to it.
fn taken(known: &AgentRow) -> OpError {
    let (name, wanted) = (&known.name, known.wanted);
    let text = format!("`{name}` already exists in your team");
    if wanted == Wanted::Active {
        return OpError::conflict(text)
            .hint("give it another name, or write to it: team_members lists who is there");
    }
    OpError::conflict(format!("{text}, and is {}", wanted.as_str()))
        .hint(format!("give it another name: only the user can resume `{name}`"))
}

fn check_place(cx: &Cx<'_>, me: &AgentRow, scope: &WorkflowRow) -> Result<()> {
    if me.kind == MemberKind::External {
        let text = "only an agent that the daemon starts can hire";
        return Err(OpError::invalid(text).hint("ask your user to add an agent"));
    }
    if me.depth >= DEEPEST {
        let text =
            format!("you were hired {DEEPEST} steps from the team's first agents, and cannot hire");
        return Err(OpError::conflict(text).hint("ask the agent that hired you"));
    }
    let most = scope.limits.agents.unwrap_or(Limits::AGENTS);
    let agents = create::agents(cx, scope)?;
    if agents < i64::from(most) {
        return Ok(());
    }
    let has = counted(agents, "agent");
    Err(OpError::conflict(format!("your team already has {has}, and its limit is {most}"))
        .hint("give the work to one of them: team_members lists who is there"))
}

/// Refuses a model that no agent of the team uses.
fn check_model(team: &[AgentRow], model: Option<&str>) -> Result<()> {
    let mut known: Vec<_> = team.iter().filter_map(|member| member.model.as_deref()).collect();
    known.sort_unstable();
    known.dedup();
    match model {
        Some(model) if !known.contains(&model) => {
            let hint = if known.is_empty() {
                "leave `model` out: no agent of your team has one".to_owned()
            } else {
                format!("models of your team: {}", known.join(", "))
            };
            Err(OpError::invalid(format!("no agent of your team uses the model `{model}`"))
                .hint(hint))
        }
        _ => Ok(()),
    }
}
