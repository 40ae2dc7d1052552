//! `agent-worker schedule`: when agents run by themselves

use agent_worker_client::Client;
use agent_worker_protocol::{
    name::Name,
    schedule::{
        Due, Missed, Overlap, RunContext, ScheduleClear, ScheduleList, SchedulePause,
        ScheduleResume, ScheduleRun, ScheduleSet, ScheduleShow, Schedules, ZoneName,
    },
    target::Target,
};
use clap::{Args, Subcommand};
use clap_complete::ArgValueCandidates;

use super::text as rendered;
use crate::{
    complete,
    exit::{Exit, Refusal},
    parse, resolve,
    session::Session,
    text::View,
};

/// `agent-worker schedule`
#[derive(Debug, Args)]
pub struct Scheduling {
    /// Whose schedules; without anything more they are shown with their next and last times
    #[arg(add = ArgValueCandidates::new(complete::agents), value_parser = parse::target)]
    pub target: Option<Target>,
    /// What to do; all schedules are listed where neither is given
    #[command(subcommand)]
    pub action: Option<Action>,
}

/// What is done with schedules.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// List all schedules that are not over
    #[command(
        after_help = "Examples:\n  agent-worker schedule list\n  agent-worker schedule list @review --all"
    )]
    List {
        /// Only those of this agent or workflow
        #[arg(add = ArgValueCandidates::new(complete::targets), value_parser = parse::target)]
        of: Option<Target>,
        /// Also those that are over
        #[arg(long)]
        all: bool,
    },
    /// Have the agent run by itself; a schedule of the same name is replaced
    #[command(
        after_help = "Examples:\n  agent-worker schedule alice set 30m\n  agent-worker schedule alice set \"0 9 * * 1-5\" --prompt \"write the stand-up\" --timezone Europe/Berlin\n  agent-worker schedule alice set 2030-01-31T09:00 --name party"
    )]
    Set(Setting),
    /// Clear a schedule, or all of the agent
    #[command(after_help = "Example:\n  agent-worker schedule alice clear")]
    Clear(Which),
    /// Fire a schedule now, beside its times
    #[command(after_help = "Example:\n  agent-worker schedule alice run")]
    Run(Which),
    /// Have a schedule, or all of the agent, pass their times by
    #[command(after_help = "Example:\n  agent-worker schedule alice pause main")]
    Pause(Which),
    /// Have a paused schedule, or all of the agent, fire again
    #[command(after_help = "Example:\n  agent-worker schedule alice resume")]
    Resume(Which),
}

/// A schedule by its name.
#[derive(Debug, Args)]
pub struct Which {
    /// Which schedule
    pub name: Option<Name>,
}

/// What a schedule is made of.
#[derive(Debug, Args)]
pub struct Setting {
    /// When: an interval (`30m`), a cron line in quotes (`"0 9 * * 1-5"`), or a date with a time
    pub spec: Due,
    /// What it is called [default: main]
    #[arg(long)]
    pub name: Option<Name>,
    /// What the agent is asked to do
    #[arg(long, value_name = "TEXT")]
    pub prompt: Option<String>,
    /// The zone of its times, such as `Europe/Berlin` [default: the workflow's, or this machine's]
    #[arg(long, value_name = "ZONE")]
    pub timezone: Option<ZoneName>,
    /// Whether it passes by when nothing is unread [default: true for an interval without a prompt]
    #[arg(long, value_name = "YES")]
    pub only_if_unread: Option<bool>,
    /// What happens when the last run goes on still [default: skip]
    #[arg(long, value_enum)]
    pub overlap: Option<Overlap>,
    /// What happens with times that passed while no daemon ran [default: once]
    #[arg(long, value_enum)]
    pub missed: Option<Missed>,
    /// What its runs remember [default: main]
    #[arg(long, value_enum)]
    pub context: Option<RunContext>,
    /// How often it fires at most
    #[arg(long, value_name = "TIMES")]
    pub max_fires: Option<u32>,
}

/// Lists, shows and changes schedules.
pub async fn schedule(session: &Session, args: Scheduling) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    match (args.target, args.action) {
        (None, None) => list(session, client, None, false).await,
        (None, Some(Action::List { of, all })) => list(session, client, of, all).await,
        (Some(target), None) => {
            let target = session.meant(&client, target).await?;
            if target.name.is_none() {
                return list(session, client, Some(target), false).await;
            }
            let details = client.call(&ScheduleShow { target: target.clone() }).await?;
            session.output.show(&details, |details| {
                rendered::details(&View::of(session.output), &target, details)
            })?;
            Ok(Exit::Done)
        }
        (Some(target), Some(action)) => {
            let target = session.meant(&client, target).await?;
            change(session, &client, target, action).await
        }
        (None, Some(_)) => Err(Refusal::usage("whose schedule is meant was not said")
            .hint("agent-worker schedule AGENT set 30m")
            .into()),
    }
}

async fn list(
    session: &Session,
    client: Client,
    of: Option<Target>,
    all: bool,
) -> anyhow::Result<Exit> {
    let client = match of {
        Some(target) => client.at(session.meant(&client, target).await?),
        None => client,
    };
    let list = client.call(&ScheduleList { all }).await?;
    session.output.show(&list, |list| rendered::list(&View::of(session.output), list))?;
    Ok(Exit::Done)
}

async fn change(
    session: &Session,
    client: &Client,
    target: Target,
    action: Action,
) -> anyhow::Result<Exit> {
    if !matches!(action, Action::List { .. }) {
        resolve::agent_only(&target, "scheduled", &format!("agent-worker schedule list {target}"))?;
    }
    let changed: Schedules = match action {
        Action::Set(set) => {
            let set = ScheduleSet {
                target,
                name: set.name,
                spec: set.spec,
                prompt: set.prompt,
                timezone: set.timezone,
                only_if_unread: set.only_if_unread,
                overlap: set.overlap,
                missed: set.missed,
                context: set.context,
                max_fires: set.max_fires,
            };
            Schedules { schedules: vec![client.call(&set).await?] }
        }
        Action::Run(Which { name }) => {
            Schedules { schedules: vec![client.call(&ScheduleRun { target, name }).await?] }
        }
        Action::Clear(Which { name }) => client.call(&ScheduleClear { target, name }).await?,
        Action::Pause(Which { name }) => client.call(&SchedulePause { target, name }).await?,
        Action::Resume(Which { name }) => client.call(&ScheduleResume { target, name }).await?,
        Action::List { of, all } => {
            return list(session, client.clone(), of.or(Some(target)), all).await;
        }
    };
    session
        .output
        .show(&changed, |changed| rendered::changed(&View::of(session.output), changed))?;
    Ok(Exit::Done)
}
