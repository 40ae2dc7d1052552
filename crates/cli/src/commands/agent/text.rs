//! Agents: the list, and one of them whole.

use std::collections::{HashMap, HashSet};

use agent_worker_client::text::{Words as _, numbers};
use agent_worker_protocol::{
    Agent, AgentDetail, AgentState, MemberKind, Origin, Run, Session, Target, Wanted,
};

use crate::{
    again,
    commands::{run::text as runs, schedule::text as schedules},
    text::{List, View, cell_or_dash, hint, layout, line, line_or_dash, paragraphs},
};

const HEADER: [&str; 6] = ["AGENT", "STATE", "BACKEND", "UNREAD", "ROLE", "DOING"];

/// All agents of a list, without the user; `live` has their live runs.
pub fn table(view: &View, agents: &[Agent], live: &[Run]) -> String {
    let rows = agents.iter().filter(|agent| is_agent(agent)).map(|agent| row(view, agent, live));
    List::new(&HEADER, rows).empty("no agents").text(view)
}

/// The same, each hired agent below its parent.
pub fn tree(view: &View, agents: &[Agent], live: &[Run]) -> String {
    let names: HashSet<_> = agents.iter().map(|agent| (&agent.scope, &agent.name)).collect();
    // The agents that each one of these hired, and those whose parent is not among them, the last
    // first.
    let mut below: HashMap<_, Vec<_>> = HashMap::new();
    for agent in agents.iter().rev() {
        let parent = agent.parent.as_ref().map(|parent| (&agent.scope, parent));
        below.entry(parent.filter(|parent| names.contains(parent))).or_default().push(agent);
    }
    let mut at = |parent, depth| {
        let found = below.remove(&parent).unwrap_or_default();
        found.into_iter().map(move |agent| (agent, depth))
    };
    let mut rows = Vec::new();
    let mut open: Vec<_> = at(None, 0).collect();
    while let Some((agent, depth)) = open.pop() {
        open.extend(at(Some((&agent.scope, &agent.name)), depth + 1));
        let mut row = row(view, agent, live);
        row[0].insert_str(0, &"  ".repeat(depth));
        if is_agent(agent) {
            rows.push(row);
        }
    }
    List::new(&HEADER, rows).empty("no agents").text(view)
}

/// Says which agents stay stopped in a workflow that was resumed. `None` if none does.
pub fn still_stopped(agents: &[Agent]) -> Option<String> {
    let stopped = agents.iter().filter(|it| is_agent(it) && it.wanted == Wanted::Stopped);
    let names: Vec<_> = stopped.map(|agent| agent.target.to_string()).collect();
    let hint = hint(&format!("agent-worker resume {}", names.join(" ")));
    (!names.is_empty()).then(|| format!("still stopped: {}\n{hint}", names.join(", ")))
}

fn is_agent(agent: &Agent) -> bool {
    matches!(agent.kind, MemberKind::Agent | MemberKind::External)
}

fn row(view: &View, agent: &Agent, live: &[Run]) -> Vec<String> {
    vec![
        agent.target.to_string(),
        agent.state.word().text.to_owned(),
        line_or_dash(agent.backend.as_deref()),
        numbers::count(agent.unread),
        cell_or_dash(agent.role.as_deref()),
        doing(view, agent, live),
    ]
}

/// What an agent is doing: why it does not work, that it is silent, or what it says of itself.
fn doing(view: &View, agent: &Agent, live: &[Run]) -> String {
    if let (None, Some(away)) = (&agent.paused_reason, &agent.away) {
        return away.told(view.clock.now());
    }
    // A run that waits for an answer says nothing, and is not stuck.
    let is_asking = agent.state == AgentState::Waiting;
    let silence = live.iter().find(|run| Some(run.id) == agent.run && !is_asking);
    let silence = silence.and_then(|run| runs::silence(view, run));
    let said = match (&agent.status, &agent.task) {
        (Some(status), Some(task)) => Some(format!("{status}: {task}")),
        (status, task) => status.as_ref().or(task.as_ref()).cloned(),
    };
    let run = agent.run.map(|run| run.to_string());
    cell_or_dash(
        agent
            .paused_reason
            .as_ref()
            .or(silence.as_ref())
            .or(said.as_ref())
            .or(run.as_ref())
            .map(String::as_str),
    )
}

/// One agent with all that is known of it, and when it is started again, if it waits for that.
pub fn detail(view: &View, detail: &AgentDetail) -> String {
    let agent = &detail.agent;
    let is_person = agent.kind == MemberKind::Person;
    let home = format!("agent-worker home show {}", agent.target);
    let hired = agent.parent.as_ref().map(|parent| format!("by {parent}, who hired it"));
    let made = hired.or_else(|| made(detail).map(ToOwned::to_owned));
    let mut parts = vec![layout::known_fields([
        (if is_person { "person" } else { "agent" }, Some(agent.target.to_string())),
        ("state", (!is_person).then(|| state(view, agent))),
        ("role", agent.role.as_deref().map(line)),
        ("called", agent.display_name.as_deref().map(line)),
        ("backend", agent.backend.as_deref().map(line)),
        ("model", agent.model.as_deref().map(line)),
        ("status", agent.status.as_deref().map(line)),
        ("task", agent.task.as_deref().map(line)),
        ("works in", detail.cwd.as_deref().map(line)),
        ("home", detail.home.is_some().then(|| again::command(&home))),
        ("is given", (!detail.env.is_empty()).then(|| line(&detail.env.join(", ")))),
        ("created", made.map(|how| format!("{} {how}", view.clock.exact(detail.created_at)))),
        ("longest run", (agent.kind == MemberKind::Agent).then(|| detail.timeout.to_string())),
        ("inbox", Some(inbox(detail))),
        ("session", detail.session.as_ref().map(session_text)),
        ("system", detail.system.as_deref().map(paragraphs)),
    ])];
    if !detail.schedules.is_empty() {
        parts.push(schedules::table(view, &detail.schedules));
    }
    if !detail.runs.is_empty() {
        parts.push(runs::table(view, &detail.runs, std::slice::from_ref(agent), false));
    }
    parts.join("\n\n")
}

fn state(view: &View, agent: &Agent) -> String {
    let word = agent.state.word().text;
    let run = agent.run.map(|run| format!(" ({run})")).unwrap_or_default();
    let reason = agent.paused_reason.as_deref().map(|reason| format!(": {}", line(reason)));
    let until = agent.not_before.filter(|at| *at > view.clock.now());
    let until = until.map(|at| format!(" until {}", view.clock.exact(at)));
    if let (None, Some(away)) = (&reason, &agent.away) {
        return format!("{word}{run}: {}", line(&away.explained(view.clock.now())));
    }
    format!("{word}{run}{}{}", reason.unwrap_or_default(), until.unwrap_or_default())
}

/// What made an agent that has no parent; `None` for the user.
fn made(detail: &AgentDetail) -> Option<&'static str> {
    match detail.origin {
        Origin::File => Some("by its workflow file"),
        Origin::New if detail.hired => Some("by an agent that was removed"),
        Origin::New => Some("with `new`"),
        Origin::System => None,
    }
}

fn inbox(detail: &AgentDetail) -> String {
    let mut parts = vec![format!("{} unread", numbers::count(detail.agent.unread))];
    if detail.held > 0 {
        parts.push(format!("{} held", numbers::count(detail.held)));
    }
    if detail.dead > 0 {
        parts.push(numbers::counted(detail.dead, "dead letter", "dead letters"));
    }
    parts.join(", ")
}

/// The length and the cost of a session.
pub fn session_text(session: &Session) -> String {
    let tokens = session.tokens.map(|tokens| format!(" ({} tokens)", numbers::count(tokens)));
    let cost = session.cost.map(|cost| format!(", {}", numbers::cost(Some(cost))));
    format!(
        "{}, {}{}; {}{}",
        numbers::counted(session.turns, "turn", "turns"),
        numbers::size(session.bytes),
        tokens.unwrap_or_default(),
        numbers::counted(session.runs, "run", "runs"),
        cost.unwrap_or_default(),
    )
}

/// An agent after something was done with it.
pub fn changed(agent: &Agent) -> String {
    let state = agent.state.word().text;
    let reason = agent.paused_reason.as_deref().map(|reason| format!(": {}", line(reason)));
    let run = agent.run.map(|run| format!(" ({run} is live)"));
    format!("{} is {state}{}{}", agent.target, reason.unwrap_or_default(), run.unwrap_or_default())
}

/// An agent that was told to start: a live run is an earlier one.
pub fn woken(agent: &Agent) -> String {
    match agent.run {
        Some(run) => format!("{} runs again after {run}", agent.target),
        None => changed(agent),
    }
}

pub fn removed(target: &Target) -> String {
    format!("{target} is removed")
}

#[cfg(test)]
#[path = "tests/text.rs"]
mod tests;
