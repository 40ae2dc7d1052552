//! Actions on several agents and workflows at once.

use std::{collections::HashSet, io::IsTerminal as _};

use agent_worker_client::{Client, ClientError};
use agent_worker_protocol::{
    Agent, AgentList, MemberKind, Name, Target, Wanted, Workflow, WorkflowList,
};
use clap::Args;
use serde::Serialize;
use serde_json::Value;

use crate::{
    again, complete,
    exit::{Exit, Refusal, report},
    input::typed_line,
    parse,
    place::scope_of,
    session::Session,
};

/// Agents and workflows, by their names or all of them.
#[derive(Debug, Args)]
pub struct Which {
    /// Agents and workflows
    #[arg(
        add = complete::targets(),
        value_parser = parse::target,
        value_name = "TARGET",
        required_unless_present = "all"
    )]
    pub targets: Vec<Target>,
    /// All to which the command applies
    #[arg(long, conflicts_with = "targets")]
    pub all: bool,
}

/// Action on all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// What works stops.
    Stop,
    /// Resumes what is stopped, stalled or paused.
    Resume,
    /// Removes what is no longer at work.
    Remove,
}

/// Result for one of several.
pub struct Done {
    answer: Value,
    text: String,
    /// Something to say beside it
    pub note: Option<String>,
}

impl Done {
    /// This answer, and the text that is made of it.
    pub fn of<T: Serialize>(answer: &T, text: impl FnOnce(&T) -> String) -> anyhow::Result<Self> {
        Ok(Self { text: text(answer), answer: serde_json::to_value(answer)?, note: None })
    }
}

impl Does {
    fn applies_to_workflow(self, workflow: &Workflow) -> bool {
        let state = workflow.state;
        !workflow.scope.is_global()
            && match self {
                Self::Stop => state.is_live(),
                Self::Resume => !workflow.archived && state.can_resume(),
                Self::Remove => !state.is_live(),
            }
    }

    /// Agents of workflows go with their workflow, but for those that are resumed one by one.
    fn applies_to_agent(self, agent: &Agent) -> bool {
        let is_active = agent.wanted == Wanted::Active;
        matches!(agent.kind, MemberKind::Agent | MemberKind::External)
            && match self {
                Self::Stop => agent.scope.is_global() && is_active,
                Self::Resume => !is_active,
                Self::Remove => agent.scope.is_global() && !is_active,
            }
    }
}

impl Which {
    pub async fn targets(
        &self,
        session: &Session,
        client: &Client,
        does: Does,
    ) -> anyhow::Result<Vec<Target>> {
        if self.all {
            return Ok(all(client, does).await?);
        }
        let mut meant = Vec::new();
        for target in self.targets.iter().cloned() {
            let target = match does {
                Does::Remove => session.exactly(client, target).await?,
                Does::Stop | Does::Resume => session.meant(client, target).await?,
            };
            // Done to it once, it may be gone.
            if !meant.contains(&target) {
                meant.push(target);
            }
        }
        Ok(meant)
    }
}

/// All targets to which an action applies.
pub async fn all(client: &Client, does: Does) -> Result<Vec<Target>, ClientError> {
    let listed = client.call(&WorkflowList {}).await?.workflows;
    let agents = client.call(&AgentList {}).await?.agents;
    let workflows = listed.iter().filter(|it| does.applies_to_workflow(it));
    let workflows: Vec<_> = workflows.map(|it| Target::scope(it.scope.clone())).collect();
    // Agents go with their workflow, and an archive is resumed only by its name.
    let is_passed =
        |it: &&Workflow| does.applies_to_workflow(it) || (does == Does::Resume && it.archived);
    let passed: HashSet<_> = listed.iter().filter(is_passed).map(|it| &it.scope).collect();
    let is_left = |agent: &Agent| !passed.contains(&agent.scope);
    let agents: Vec<_> = agents
        .iter()
        .filter(|agent| does.applies_to_agent(agent) && is_left(agent))
        .map(|agent| agent.target.clone())
        .collect();
    Ok(workflows.into_iter().chain(agents).collect())
}

/// Does it with what is given for each target. A failure does not stop the others.
///
/// As JSON one named target is its answer alone. Several, and all of them however few they are, are
/// a list.
pub async fn each<T>(
    session: &Session,
    which: &Which,
    targets: &[Target],
    given: Vec<T>,
    mut act: impl AsyncFnMut(T) -> anyhow::Result<Done>,
) -> anyhow::Result<Exit> {
    let is_one = targets.len() == 1;
    let (mut answers, mut exit) = (Vec::new(), Exit::Done);
    if targets.is_empty() && !session.output.json {
        session.output.print("nothing to do")?;
    }
    for (target, own) in targets.iter().zip(given) {
        match act(own).await {
            Err(error) if is_one => return Err(error),
            Err(error) => exit = report(&session.output, &beside(error, target, targets)),
            Ok(done) => {
                if !session.output.json {
                    session.output.print(&done.text)?;
                }
                if let Some(note) = done.note {
                    session.output.note(&note);
                }
                answers.push(done.answer);
            }
        }
    }
    if session.output.json {
        match &answers[..] {
            [answer] if which.targets.len() == 1 => session.output.print_json(answer)?,
            answers => session.output.print_json(&answers)?,
        }
    }
    Ok(exit)
}

/// Returns the error of one of several targets. It guesses none of them.
fn beside(error: anyhow::Error, failed: &Target, targets: &[Target]) -> anyhow::Error {
    let Some(ClientError::Refused(body)) = error.downcast_ref::<ClientError>() else {
        return error;
    };
    let near = body.hint.as_deref().and_then(|hint| hint.strip_prefix("did you mean `"));
    let near = near.and_then(|near| near.strip_suffix("`?"));
    let is_near = |one: &Target| {
        one.name.as_ref().map(Name::as_str) == near && scope_of(one) == scope_of(failed)
    };
    if near.is_none() || !targets.iter().any(is_near) {
        return error;
    }
    Refusal::new(body.message.clone()).hint("agent-worker list").into()
}

/// The names of targets in a text.
pub fn names(targets: &[Target]) -> String {
    targets.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Asks before everything is removed.
pub fn confirm(session: &Session, targets: &[Target]) -> anyhow::Result<()> {
    let names = names(targets);
    if !std::io::stdin().is_terminal() {
        let message = format!("cannot ask for confirmation to remove {names}");
        return Err(Refusal::usage(message).hint(again::behind("--all", "--yes")).into());
    }
    session.output.note_part(&format!("remove {names}? [y/N] "));
    match typed_line()?.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Refusal::new("nothing was removed").into()),
    }
}
