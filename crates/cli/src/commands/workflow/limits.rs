//! `agent-worker limits`

use std::str::FromStr;

use agent_worker_client::Client;
use agent_worker_protocol::{
    AgentShow, ErrorCode, Interval, LimitName, Limits, LimitsSet, Name, Scope, Target,
    WorkflowShow, nearest::nearest,
};
use clap::Args;

use super::text as workflows;
use crate::{
    commands::config,
    complete,
    exit::{Exit, Refusal},
    parse,
    place::scope_of,
    session::Session,
};

/// `agent-worker limits`
#[derive(Debug, Args)]
pub struct Limiting {
    /// A workflow
    #[arg(add = complete::scopes(), value_parser = parse::target)]
    pub target: Target,
    /// Such as `tokens=4000000`, `duration=2h` or `cost=none`
    #[arg(value_name = "LIMIT=VALUE", add = complete::limits())]
    pub limits: Vec<Limit>,
}

/// What each limit is of.
pub const ABOUT: &str = "Show or change the limits of a workflow

Raising a limit releases the deliveries that it held. `none` takes a limit off, or sets it back to
its default, which is in parentheses here. `guard.hops` and `guard.runs` in `config.toml` change
the first two defaults.

Limits:
  hops           Runs between a message and you (40)
  runs           Runs that one message leads to (200)
  agents         Agents in the workflow (20 if agents hire)
  tokens         Input (cached too) and output of all runs
  cost           Cost of all runs in dollars
  duration       Time that the workflow runs, such as `2h`
  max_runs       Runs at the same time
  task_interval  Minimum time between runs of a task (1m)";

/// A change of one limit.
#[derive(Debug, Clone, PartialEq)]
pub enum Limit {
    /// It is set, and no other.
    Set(Limits),
    /// It is taken off.
    Unset(LimitName),
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((name, value)) = text.split_once('=') else {
            let example = text.parse::<LimitName>().map_or("tokens=4000000", example);
            return Err(format!("invalid limit `{text}`: write `{example}`"));
        };
        if let ("none", Ok(name)) = (value, name.parse::<LimitName>()) {
            return Ok(Self::Unset(name));
        }
        let mut limits = Limits::default();
        match name {
            "hops" => limits.hops = Some(number(name, value)?),
            "runs" => limits.runs = Some(number(name, value)?),
            "agents" => limits.agents = Some(number(name, value)?),
            "tokens" => limits.tokens = Some(number(name, value)?),
            "cost" => limits.cost = Some(dollars(name, value)?),
            "max_runs" => limits.max_runs = Some(number(name, value)?),
            "duration" => limits.duration = Some(span(value)?),
            "task_interval" => limits.task_interval = Some(span(value)?),
            _ => {
                let names = LimitName::ALL.map(LimitName::as_str);
                let near = nearest(name, names).map(|near| format!("did you mean `{near}`? "));
                let near = near.unwrap_or_default();
                return Err(format!(
                    "unknown limit `{name}`: {near}limits are {}",
                    names.join(", ")
                ));
            }
        }
        Ok(Self::Set(limits))
    }
}

/// How a limit is set.
fn example(name: LimitName) -> &'static str {
    match name {
        LimitName::Hops => "hops=10",
        LimitName::Runs => "runs=200",
        LimitName::Agents => "agents=20",
        LimitName::Tokens => "tokens=4000000",
        LimitName::Cost => "cost=5",
        LimitName::Duration => "duration=2h",
        LimitName::MaxRuns => "max_runs=4",
        LimitName::TaskInterval => "task_interval=1m",
    }
}

fn number<T: FromStr>(name: &str, value: &str) -> Result<T, String> {
    let plain = value.replace('_', "");
    plain.parse().map_err(|_| invalid(name, value))
}

fn invalid(name: &str, value: &str) -> String {
    let number = if name == "cost" { "an amount of dollars" } else { "a positive whole number" };
    format!("invalid value `{value}` for `{name}`: write {number}, or `none` to take the limit off")
}

fn span(value: &str) -> Result<Interval, String> {
    value.parse().map_err(|bad| format!("{bad}; `none` takes the limit off"))
}

/// An amount in dollars. JSON cannot carry infinite numbers.
fn dollars(name: &str, value: &str) -> Result<f64, String> {
    match number::<f64>(name, value)? {
        amount if amount.is_finite() => Ok(amount),
        _ => Err(invalid(name, value)),
    }
}

/// All of them; of two for the same thing the later one.
fn together(key: Scope, changes: Vec<Limit>) -> LimitsSet {
    let (mut limits, mut unset) = (Limits::default(), Vec::new());
    for change in changes {
        match change {
            Limit::Set(one) => limits = one.or(limits),
            Limit::Unset(name) => {
                limits.unset(name);
                unset.push(name);
            }
        }
    }
    LimitsSet { key, limits, unset }
}

/// The limits of a workflow that sets none, as `config.toml` has them.
pub fn defaults(session: &Session) -> Limits {
    let number = |key: &str| config::value(session, key)?.parse().ok();
    Limits {
        hops: number("guard.hops"),
        runs: number("guard.runs"),
        agents: Some(Limits::AGENTS),
        task_interval: Some(Limits::TASK_INTERVAL),
        ..Limits::default()
    }
}

/// Refuses a name that neither an agent nor a workflow has.
async fn check_agent(client: &Client, target: &Target, name: &Name) -> anyhow::Result<()> {
    match client.call(&AgentShow { target: target.clone() }).await {
        Err(error) if error.is(ErrorCode::NotFound) && target.scope.is_none() => {
            let message = format!("no agent or workflow named `{name}`");
            Err(Refusal::new(message).hint("agent-worker list").into())
        }
        shown => Ok(shown.map(drop)?),
    }
}

/// Shows or changes the limits of a workflow.
pub async fn limits(session: &Session, args: Limiting) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let target = session.meant(&client, args.target).await?;
    if let Some(name) = &target.name {
        check_agent(&client, &target, name).await?;
        let scope = scope_of(&target);
        return Err(Refusal::usage(format!("only a workflow has limits: {name} is an agent"))
            .hint(format!("agent-worker limits {scope}"))
            .into());
    }
    let key = scope_of(&target);
    let workflow = if args.limits.is_empty() {
        client.call(&WorkflowShow { key }).await?
    } else {
        client.call(&together(key, args.limits)).await?
    };
    let default = defaults(session);
    session.show_in_view(&workflow, |view, workflow| {
        workflows::limits_detail(view, workflow, &default)
    })
}

#[cfg(test)]
#[path = "tests/limits.rs"]
mod tests;
