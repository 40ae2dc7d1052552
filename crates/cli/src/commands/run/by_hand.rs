//! An agent program's session in your terminal: `resume-in-terminal`

use std::{env, os::unix::process::CommandExt, path::Path, process::Command};

use agent_worker_client::{Client, ClientError, Sanitized};
use agent_worker_protocol::{AgentShow, ByHand, RunDetail, RunId, RunShow, shell::quoted};
use clap::Args;

use crate::{
    exit::{Exit, Refusal},
    session::Session,
};

/// `agent-worker resume-in-terminal`
#[derive(Debug, Args)]
pub struct ByHandArgs {
    /// The run, such as `run_12`
    pub id: RunId,
    /// Run the command instead of printing it
    #[arg(long)]
    pub exec: bool,
}

/// Prints, or starts, the program's own command that goes on with the session of a run.
pub async fn resume(session: &Session, args: ByHandArgs) -> anyhow::Result<Exit> {
    session.person_only("resume-in-terminal")?;
    let client = session.client().await?;
    let detail = client.call(&RunShow { id: args.id }).await?;
    let Some(by_hand) = &detail.by_hand else { return Err(refusal(&detail).into()) };
    let run = &detail.run;
    if args.exec {
        if let Some(live) = live(&client, &detail).await? {
            let own = || "it is in progress".to_owned();
            let why = if live == run.id { own() } else { format!("{live} uses its session") };
            let refusal = Refusal::new(format!("cannot resume {}: {why}", run.id));
            return Err(refusal.hint(format!("agent-worker stop {}", run.agent)).into());
        }
        return Err(exec(run.id, by_hand, detail.cwd.as_deref()).into());
    }
    let line = line(by_hand, detail.cwd.as_deref());
    session.show(by_hand, |_| Sanitized::line(&line).to_string())
}

/// Returns the live run that uses the session of a run, if any. The same command is for the same
/// session.
async fn live(client: &Client, detail: &RunDetail) -> anyhow::Result<Option<RunId>> {
    let run = &detail.run;
    if run.state.is_live() {
        return Ok(Some(run.id));
    }
    // It may have been removed.
    let agent = client.call(&AgentShow { target: run.agent.clone() }).await;
    let newest = ClientError::if_found(agent)?.and_then(|shown| shown.agent.run);
    let Some(id) = newest else { return Ok(None) };
    let other = client.call(&RunShow { id }).await?;
    let is_in_use = other.run.state.is_live() && other.by_hand == detail.by_hand;
    Ok(is_in_use.then_some(id))
}

/// The command for a shell.
pub fn line(by_hand: &ByHand, cwd: Option<&str>) -> String {
    let ByHand { program, args, .. } = by_hand;
    let cd = cwd.map(|cwd| format!("cd {} && ", quoted(cwd))).unwrap_or_default();
    let words = std::iter::once(program).chain(args).map(|word| quoted(word));
    cd + &by_hand.assignments().into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

/// Becomes the program; returns only if that fails.
fn exec(run: RunId, by_hand: &ByHand, cwd: Option<&str>) -> Refusal {
    let ByHand { program, args, .. } = by_hand;
    let variables = match by_hand.variables(|name| env::var(name.as_str()).ok()) {
        Ok(variables) => variables,
        Err(unset) => {
            let why = format!("`{unset}`, which the agent's program needs, is not set");
            let refusal = Refusal::new(format!("cannot resume {run}: {why}"));
            return refusal.hint(format!("export {unset}=VALUE"));
        }
    };
    let mut command = Command::new(program);
    command.args(args).envs(variables);
    if let Some(cwd) = cwd {
        // A program finds its sessions by the folder in which it starts.
        if !Path::new(cwd).is_dir() {
            return Refusal::new(format!("cannot resume {run}: folder not found: {cwd}"));
        }
        command.current_dir(cwd);
    }
    let error = command.exec();
    Refusal::new(format!("cannot start `{program}`: {error}"))
        .hint(format!("agent-worker resume-in-terminal {run}"))
}

/// Reason why no command can continue the run.
fn refusal(detail: &RunDetail) -> Refusal {
    let run = &detail.run;
    let why = detail.why_not_by_hand();
    let text = format!("cannot resume {} in a terminal: {why}", run.id);
    Refusal::new(text).hint(format!("agent-worker logs {}", run.id))
}

#[cfg(test)]
#[path = "tests/by_hand.rs"]
mod tests;
