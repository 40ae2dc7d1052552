//! `agent-worker schedule`: when agents run by themselves

use agent_worker_client::{Client, ClientError};
use agent_worker_protocol::{
    Due, ErrorCode, Missed, Name, Overlap, RunContext, ScheduleClear, ScheduleDetail, ScheduleList,
    SchedulePause, ScheduleResume, ScheduleRun, ScheduleSet, ScheduleShow, ScheduleState,
    Schedules, Target, ZoneName,
};
use clap::{Args, Subcommand};

use super::text as rendered;
use crate::{
    again, complete,
    exit::{Exit, Refusal},
    help::examples,
    mistakes, parse, resolve,
    session::Session,
};

/// `agent-worker schedule`
#[derive(Debug, Args)]
pub struct Scheduling {
    /// Agent whose schedules are shown or changed
    #[arg(add = complete::agents(), value_parser = parse::target)]
    pub target: Option<Target>,
    /// Action [default: list]
    #[command(subcommand)]
    pub action: Option<Action>,
}

/// Actions on schedules.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// List schedules
    #[command(after_help = examples("schedule list\nschedule list @review --all"))]
    List {
        /// Only of this agent or workflow
        #[arg(
            id = "target",
            value_name = "TARGET",
            add = complete::targets(),
            value_parser = parse::target
        )]
        of: Option<Target>,
        /// Include completed schedules
        #[arg(long)]
        all: bool,
    },
    /// Create or replace a schedule
    #[command(
        override_usage = "agent-worker schedule <AGENT> set [OPTIONS] <SPEC>",
        after_help = examples("schedule alice set 30m\nschedule alice set \"0 9 * * 1-5\" --timezone Europe/Berlin --name check\nschedule alice set 2030-01-31T09:00 --name party")
    )]
    Set(Setting),
    /// Remove one or all schedules of an agent
    ///
    /// A heartbeat stays: it can be paused.
    #[command(
        override_usage = "agent-worker schedule <AGENT> clear [OPTIONS] [NAME]",
        after_help = examples("schedule alice clear")
    )]
    Clear(Which),
    /// Run a schedule now
    #[command(
        override_usage = "agent-worker schedule <AGENT> run [OPTIONS] [NAME]",
        after_help = examples("schedule alice run")
    )]
    Run {
        /// Schedule name [default: the only one]
        name: Option<Name>,
    },
    /// Pause one or all schedules of an agent
    #[command(
        override_usage = "agent-worker schedule <AGENT> pause [OPTIONS] [NAME]",
        after_help = examples("schedule alice pause main")
    )]
    Pause(Which),
    /// Resume one or all schedules of an agent
    #[command(
        override_usage = "agent-worker schedule <AGENT> resume [OPTIONS] [NAME]",
        after_help = examples("schedule alice resume")
    )]
    Resume(Which),
}

impl Scheduling {
    /// Whether it changes schedules, which only the user may.
    pub fn is_change(&self) -> bool {
        !matches!(self.action, None | Some(Action::List { .. }))
    }
}

/// A schedule by its name.
#[derive(Debug, Args)]
pub struct Which {
    /// Schedule name [default: all]
    pub name: Option<Name>,
}

/// What a schedule is made of.
#[derive(Debug, Args)]
pub struct Setting {
    /// Interval (`30m`), cron line (`0 9 * * 1-5`), date and time
    pub spec: Due,
    /// Name of the schedule [default: main]
    #[arg(long)]
    pub name: Option<Name>,
    /// Task of the agent
    #[arg(long, value_name = "TEXT")]
    pub prompt: Option<String>,
    /// Time zone [default: of the workflow, or of this machine]
    #[arg(long, value_name = "ZONE")]
    pub timezone: Option<ZoneName>,
    /// Skip if nothing is unread [default: for bare intervals]
    #[arg(long, value_name = "BOOL")]
    pub only_if_unread: Option<bool>,
    /// What to do while the last run continues [default: skip]
    #[arg(long, value_enum)]
    pub overlap: Option<Overlap>,
    /// What to do about missed times [default: once]
    #[arg(long, value_enum)]
    pub missed: Option<Missed>,
    /// Session of its runs [default: main]
    #[arg(long, value_enum)]
    pub context: Option<RunContext>,
    /// Maximum number of runs
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
            let details = client.call(&ScheduleShow { target: target.clone() }).await;
            let details = details.map_err(|error| unless_list(error, &target))?;
            session.show_in_view(&details, |view, all| rendered::details(view, &target, all))
        }
        (Some(target), Some(action)) => {
            let target = session.meant(&client, target).await?;
            change(session, &client, target, action).await
        }
        (None, Some(action)) => {
            Err(Refusal::usage("missing agent").hint(with_agent(&action)).into())
        }
    }
}

/// The command line with its agent before the action. `schedule clear bob` has it behind.
fn with_agent(action: &Action) -> String {
    let swapped = mistakes::swapped(&again::typed());
    // The word behind `set` is a time.
    let swapped = swapped.filter(|_| !matches!(action, Action::Set(_)));
    swapped.map_or_else(|| again::behind("schedule", "AGENT"), |line| again::line(&line))
}

/// `schedule ls`: where no agent has this name, the list was most likely meant.
fn unless_list(error: ClientError, target: &Target) -> anyhow::Error {
    if error.is(ErrorCode::NotFound) && target.to_string() == "ls" {
        return Refusal::new(error.to_string()).hint(again::with("ls", "list")).into();
    }
    error.into()
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
    session.show_in_view(&list, |view, list| rendered::table(view, &list.schedules))
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
        Action::Set(setting) => return set(session, client, target, setting).await,
        Action::Run { name } => {
            let ran = client.call(&ScheduleRun { target, name }).await?;
            return session.show_in_view(&Schedules { schedules: vec![ran] }, rendered::ran);
        }
        Action::Clear(Which { name }) => {
            let cleared = client.call(&ScheduleClear { target, name }).await?;
            return session.show(&cleared, rendered::cleared);
        }
        Action::Pause(Which { name }) => client.call(&SchedulePause { target, name }).await?,
        Action::Resume(Which { name }) => client.call(&ScheduleResume { target, name }).await?,
        Action::List { of, all } => {
            return list(session, client.clone(), of.or(Some(target)), all).await;
        }
    };
    session.show_in_view(&changed, rendered::changed)
}

/// Creates a schedule, and tells whether another of its name was there.
async fn set(
    session: &Session,
    client: &Client,
    target: Target,
    setting: Setting,
) -> anyhow::Result<Exit> {
    // Why it fails is told by what comes next.
    let known = client.call(&ScheduleShow { target: target.clone() }).await;
    let set = ScheduleSet {
        target,
        name: setting.name,
        spec: setting.spec,
        prompt: setting.prompt,
        timezone: setting.timezone,
        only_if_unread: setting.only_if_unread,
        overlap: setting.overlap,
        missed: setting.missed,
        context: setting.context,
        max_fires: setting.max_fires,
    };
    let made = client.call(&set).await?;
    let mut known = known.into_iter().flat_map(|known| known.schedules);
    let is_replaced = known.any(|ScheduleDetail { schedule, .. }| {
        schedule.name == made.name && schedule.state != ScheduleState::Completed
    });
    let text = if is_replaced { rendered::replaced } else { rendered::changed };
    session.show_in_view(&Schedules { schedules: vec![made] }, text)
}
