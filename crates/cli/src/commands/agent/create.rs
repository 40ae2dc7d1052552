//! `agent-worker new`

use std::{
    env,
    path::{Path, PathBuf},
};

use agent_worker_client::Host;
use agent_worker_protocol::{
    Agent, AgentCreate, Home, HomeShow, MemberKind, Name, Scope, Tag, Target,
};
use clap::Args;

use super::text as agents;
use crate::{
    again,
    commands::home::text as homes,
    complete,
    exit::{Exit, Refusal},
    parse,
    session::Session,
    source,
};

/// `agent-worker new`
#[derive(Debug, Args)]
pub struct New {
    /// The agent
    #[command(flatten)]
    pub agent: AgentCreate,
    /// File with the system prompt
    #[arg(long, value_name = "FILE", conflicts_with = "system")]
    pub system_file: Option<PathBuf>,
    /// File with the script of the mock backend
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// Workflow to join, `@global` if none is named
    #[arg(long, value_name = "NAME", value_parser = parse::workflow)]
    pub workflow: Option<Name>,
    /// Tag of the workflow [default: main]
    #[arg(long, requires = "workflow")]
    pub tag: Option<Tag>,
    /// Workflow with its tag, instead of `--workflow` and `--tag`
    #[arg(
        long = "in",
        value_name = "@SCOPE",
        conflicts_with_all = ["workflow", "tag"],
        add = complete::scopes()
    )]
    pub scope: Option<Scope>,
}

pub async fn new(session: &Session, args: New) -> anyhow::Result<Exit> {
    let named = args.workflow.as_ref().map(|workflow| Scope {
        workflow: workflow.clone(),
        tag: args.tag.clone().unwrap_or_else(Tag::main),
    });
    let scope = args.scope.clone().or(named);
    let agent = match session.host() {
        Some(host) => completed_on(host, args)?,
        None => completed(args)?,
    };
    let client = session.client().await?;
    let client = match scope {
        Some(scope) => client.at(Target::scope(scope)),
        None => client,
    };
    let made = client.call(&agent).await?;
    // The port of a daemon elsewhere is not one of this machine.
    let base = session.host().is_none().then(|| client.endpoint().base);
    let exit = session.show(&made, |made| {
        format!("{}\n{}", agents::changed(made), again::at_home(&next(made, base.as_deref())))
    })?;
    if matches!(agent.home, Some(Home::At(_))) {
        // The agent is there, whether this is answered or not.
        let home = client.call(&HomeShow { target: made.target, file: None }).await;
        if let Some(note) = home.ok().and_then(|home| homes::shared(&home)) {
            session.output.note(&note);
        }
    }
    Ok(exit)
}

/// What one does with a new agent. An external agent is not started: it connects.
fn next(made: &Agent, base: Option<&str>) -> String {
    let target = &made.target;
    match (made.kind, base) {
        (MemberKind::External, Some(base)) => format!(
            "it connects over MCP at {base}/mcp?agent={target}\n\
             next: agent-worker mcp-config {target} --new-token"
        ),
        (MemberKind::External, None) => {
            format!("next: agent-worker mcp-config {target} --stdio")
        }
        _ => format!("next: agent-worker ask {target} \"…\""),
    }
}

/// The agent with what its files say.
fn read(args: New) -> anyhow::Result<AgentCreate> {
    let mut agent = args.agent;
    if let Some(file) = &args.system_file {
        agent.system = Some(source::text(file)?);
    }
    if let Some(file) = &args.script {
        agent.script = Some(source::text(file)?);
    }
    Ok(agent)
}

/// The same for another machine, where this folder means nothing: it works in its home.
fn completed_on(host: &Host, args: New) -> anyhow::Result<AgentCreate> {
    let agent = read(args)?;
    let is_there = match &agent.home {
        Some(Home::Own) => true,
        Some(Home::At(path)) => Path::new(path).is_absolute(),
        Some(Home::No) | None => agent.backend.as_deref() == Some("external"),
    };
    if is_there {
        return Ok(agent);
    }
    let to = host.destination();
    let message = format!("cannot create the agent on {to}: its folder would be on this machine");
    Err(Refusal::usage(message).hint(again::with_value("new", "--home", "true")).into())
}

/// The agent with what its files say and where it was made.
fn completed(args: New) -> anyhow::Result<AgentCreate> {
    let mut agent = read(args)?;
    let folder = source::current_folder()?;
    match &mut agent.home {
        // It works in its home.
        Some(Home::Own) => {}
        Some(Home::At(path)) => *path = below(&folder, path)?,
        Some(Home::No) | None => agent.cwd = Some(source::told(&folder)?),
    }
    agent.path_env = env::var("PATH").ok();
    Ok(agent)
}

/// The path of a home, which may be one from this folder. A shell has not replaced a quoted `~`.
fn below(folder: &Path, path: &str) -> anyhow::Result<String> {
    if path == "~" || path.starts_with("~/") {
        let message = format!("`~` in `{path}` is not your home folder here");
        return Err(Refusal::usage(message).hint("write the whole path").into());
    }
    Ok(source::told(&folder.join(path))?)
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

    use agent_worker_protocol::AgentState;

    use super::*;
    use crate::tests::samples;

    #[test]
    fn a_home_may_be_named_from_this_folder_but_not_with_a_tilde() {
        let folder = Path::new("/srv");
        assert_eq!(below(folder, "homes/a").unwrap(), "/srv/homes/a");
        assert_eq!(below(folder, "/homes/a").unwrap(), "/homes/a");
        for path in ["~", "~/homes/a"] {
            let refused = below(folder, path).unwrap_err().to_string();
            assert_eq!(refused, format!("`~` in `{path}` is not your home folder here"));
        }
        let odd = Path::new(OsStr::from_bytes(b"/srv/\xff"));
        assert!(below(odd, "homes/a").is_err(), "it would be in another folder");
        assert_eq!(below(odd, "/homes/a").unwrap(), "/homes/a");
    }

    #[test]
    fn a_member_outside_is_told_how_to_connect() {
        let base = Some("http://127.0.0.1:4711");
        let mut made = samples::agent("ide@review", AgentState::Idle);
        assert_eq!(next(&made, base), "next: agent-worker ask ide@review \"…\"");
        made.kind = MemberKind::External;
        let told = next(&made, base);
        assert!(told.contains("http://127.0.0.1:4711/mcp?agent=ide@review"), "{told}");
        assert!(told.ends_with("next: agent-worker mcp-config ide@review --new-token"), "{told}");
        assert_eq!(next(&made, None), "next: agent-worker mcp-config ide@review --stdio");
    }
}
