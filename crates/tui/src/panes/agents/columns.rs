//! The columns of the table. Without room they go from the right, in a fixed order:
//! numbers are never cut, names and sentences are.

use agent_worker_client::text::{
    Words as _,
    numbers::{self, UNKNOWN},
};
use agent_worker_protocol::{Agent, AgentState, MemberKind, Run};

use super::state::Agents;
use crate::{
    model::{
        Branch, Model, Subject, Tab,
        tree_lines::work_rank,
        words::{self, Shown},
    },
    paint::Row,
    parts::run,
    text::{
        cut,
        query::{Fact, Value},
    },
    theme::{Role, hue},
};

const AGENT: usize = 11;
const STATE: usize = 10;

/// The most cells that a name takes, with room for it.
const LONGEST: usize = 32;

/// Columns by which a hired agent stands behind its parent.
const INDENT: usize = 2;

/// What a sentence needs at least, with and without a column of scopes.
const DOING: usize = 17;
const DOING_BESIDE_SCOPE: usize = 12;

/// What the columns behind the sentence are called and how wide they are, in the order in which
/// they find room.
const CELLS: [(&str, usize); 7] =
    [("for", 7), ("q", 4), ("try", 6), ("unread", 8), ("tokens", 9), ("cost", 8), ("last run", 10)];

/// Columns that can be hidden.
pub const HIDEABLE: [&str; 7] = ["for", "q", "try", "unread", "tokens", "cost", "last run"];

/// The columns that find room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// How wide the column of names is
    agent: usize,
    /// How wide the column of scopes is; none: all agents are of one
    scope: Option<usize>,
    /// How wide the sentence is
    doing: usize,
    cells: Vec<(&'static str, usize)>,
}

impl Columns {
    /// The columns that fit into `width` cells, for these agents.
    pub fn new(model: &Model, width: usize, branches: &[Branch<'_>]) -> Self {
        let has_scope = !matches!(model.place.subject, Subject::Workflow(_));
        let depth = branches.iter().map(|branch| branch.depth).max().unwrap_or(0);
        let agent = AGENT + INDENT * depth;
        let scope = has_scope.then_some(if width < 80 { 11 } else { 18 });
        let least = if has_scope { DOING_BESIDE_SCOPE } else { DOING };
        let mut doing = width.saturating_sub(agent + STATE + scope.unwrap_or(0));
        let mut cells = Vec::new();
        let layout = &model.selection.layout;
        for cell in CELLS.into_iter().filter(|(name, _)| layout.shows(Tab::Agents, name)) {
            if doing < cell.1 + least {
                break;
            }
            doing -= cell.1;
            cells.push(cell);
        }
        // A long name has what a sentence can spare.
        let longest = branches.iter().map(|branch| name_cells(model, branch)).max();
        let more = longest.unwrap_or(0).saturating_sub(agent).min(doing.saturating_sub(least));
        Self { agent: agent + more, scope, doing: doing - more, cells }
    }

    /// What stands above them.
    pub fn heading(&self) -> Row {
        let scope = if self.scope.is_some() { "workflow" } else { "" };
        let x = self.agent + self.scope.unwrap_or(0);
        let row = Row::of("agent", Role::Dim).tabbed(self.agent).with(scope, Role::Dim);
        let row = row.tabbed(x).with("state", Role::Dim).tabbed(x + STATE).with("doing", Role::Dim);
        self.with_cells(row, Role::Dim, str::to_owned)
    }

    /// A line with the text of each cell in its column.
    fn with_cells(&self, mut row: Row, role: Role, text: impl Fn(&str) -> String) -> Row {
        let mut x = self.agent + self.scope.unwrap_or(0) + STATE + self.doing;
        for (name, width) in &self.cells {
            row.put(x, text(name), role);
            x += width;
        }
        row
    }

    /// The line below all agents: their total usage; `None` without a column for it.
    pub fn total(&self, agents: &[&Agent]) -> Option<Row> {
        if agents.len() < 2 || self.cells.iter().all(|(name, _)| *name != "tokens") {
            return None;
        }
        let tokens = agents.iter().map(|agent| agent.used.tokens).fold(0, i64::saturating_add);
        let costs: Vec<f64> = agents.iter().filter_map(|agent| agent.used.cost).collect();
        let text = |name: &str| match name {
            "tokens" => used_tokens(tokens),
            "cost" if !costs.is_empty() => numbers::cost(Some(costs.iter().sum())),
            _ => String::new(),
        };
        Some(self.with_cells(Row::of("total", Role::Title), Role::Title, text))
    }

    pub fn line(&self, table: &Agents, model: &Model, branch: Branch<'_>) -> Row {
        let Branch { agent, depth, hidden } = branch;
        let symbols = model.symbols();
        let (name, below) = (marked(model, agent), below(hidden));
        let indent = INDENT * depth;
        let room = self.agent - indent - 1 - below.len();
        let name = cut::end(name, room, symbols.ellipsis);
        let row = Row::new().pad(indent).with(name, hue(agent.name.as_str()));
        let mut x = self.agent;
        let mut row = row.with(below, Role::Dim).tabbed(x);
        if let Some(scope) = self.scope {
            x += scope;
            let scope = cut::end(agent.scope.key(), scope - 1, symbols.ellipsis);
            row = row.with(scope, Role::Dim).tabbed(x);
        }
        let is = is(model, agent);
        row.push(format!("{} {}", is.symbol, is.word), is.role);
        // `stopping` fills its column.
        row.tab((x + STATE).max(row.width() + 1));
        x += STATE + self.doing;
        let room = (x - 1).saturating_sub(row.width());
        row.push(cut::end(doing(model, agent), room, symbols.ellipsis), Role::Text);
        self.with_cells(row, Role::Text, |name| table.value(model, agent, name))
    }
}

/// An agent's name, behind a star if it is marked.
fn marked(model: &Model, agent: &Agent) -> String {
    let mark = if model.selection.marked.contains(&agent.target) { "*" } else { "" };
    format!("{mark}{}", agent.name)
}

/// How many agents are folded away below one.
fn below(hidden: usize) -> String {
    if hidden > 0 { format!(" +{hidden}") } else { String::new() }
}

/// Cells of the column of names that an agent needs to stand there whole.
fn name_cells(model: &Model, branch: &Branch<'_>) -> usize {
    let name = Row::of(marked(model, branch.agent), Role::Text).width().min(LONGEST);
    INDENT * branch.depth + name + below(branch.hidden).len() + 1
}

/// What an agent is, in one word.
pub fn is(model: &Model, agent: &Agent) -> Shown {
    let is = words::agent(model, agent);
    match agent.state {
        _ if words::is_stopping(model, agent) => is,
        AgentState::Running | AgentState::Queued | AgentState::Backoff => {
            Shown { word: agent.state.word().text.to_owned(), ..is }
        }
        _ => is,
    }
}

/// An agent's line as it is searched.
pub fn searched(model: &Model, agent: &Agent) -> String {
    let role = agent.role.as_deref().unwrap_or_default();
    let of = agent.model.as_deref().unwrap_or_default();
    let doing = doing(model, agent);
    format!("{} {} {doing} {role} {of}", agent.target, is(model, agent).word)
}

/// What it does, or what is in its way.
fn doing(model: &Model, agent: &Agent) -> String {
    let last = model.mirror().runs_of(&agent.target).next();
    let error = || last.and_then(|run| run.error.clone()).unwrap_or_default();
    let task = || agent.task.clone().unwrap_or_default();
    match agent.state {
        AgentState::Running => words::activity(model, agent),
        AgentState::Waiting => words::question(model, agent).unwrap_or_else(task),
        AgentState::Queued => match model.mirror().workflow(&agent.scope) {
            Some(workflow) if !workflow.state.is_live() && !workflow.scope.is_global() => {
                format!("the workflow is {}", words::workflow(model.symbols(), workflow).word)
            }
            _ if agent.kind == MemberKind::External => "fetches messages".to_owned(),
            _ => "waits for its turn".to_owned(),
        },
        AgentState::Backoff => {
            let error = Some(error()).filter(|error| !error.is_empty());
            let parts = words::again(model, agent).into_iter().chain(error);
            parts.collect::<Vec<_>>().join(": ")
        }
        AgentState::Paused => agent.paused_reason.clone().unwrap_or_else(error),
        AgentState::Idle if words::has_dead_letters(model, agent) => error(),
        AgentState::Idle | AgentState::Stopped => {
            words::held(model, agent).map_or_else(task, |reason| format!("held: {reason}"))
        }
    }
}

/// A count of tokens; zero means that no provider reported any.
fn used_tokens(count: i64) -> String {
    if count == 0 { UNKNOWN.to_owned() } else { numbers::short(count) }
}

/// What agents can be filtered and sorted by.
pub const FIELDS: [&str; 13] = [
    "agent", "workflow", "state", "doing", "for", "try", "unread", "tokens", "cost", "need",
    "model", "backend", "role",
];

impl Agents {
    /// The values of an agent by these names.
    pub(super) fn facts(&self, model: &Model, agent: &Agent) -> Vec<Fact> {
        let last = model.mirror().runs_of(&agent.target).next().filter(|run| is_of_now(agent, run));
        let since = self.since(model, agent).map(|at| model.shown_at().since(at));
        let text = |text: &Option<String>| text.as_ref().map_or(Value::Unknown, Value::from);
        vec![
            ("agent", Value::from(&agent.name)),
            ("workflow", Value::from(&agent.scope.key())),
            ("state", Value::from(&is(model, agent).word)),
            ("doing", Value::from(&doing(model, agent))),
            ("for", since.map_or(Value::Unknown, Value::span)),
            ("try", Value::count(last.map(|run| run.attempt))),
            ("unread", Value::count(agent.unread)),
            ("tokens", Value::count(Some(agent.used.tokens).filter(|tokens| *tokens > 0))),
            ("cost", Value::dollars(agent.used.cost)),
            ("need", Value::count(-i64::from(work_rank(model, agent)))),
            ("model", text(&agent.model)),
            ("backend", text(&agent.backend)),
            ("role", text(&agent.role)),
        ]
    }

    /// What stands in a column of the table.
    fn value(&self, model: &Model, agent: &Agent, name: &str) -> String {
        let last = model.mirror().runs_of(&agent.target).next();
        match name {
            "for" => {
                let lasts = self.since(model, agent).map(|at| model.shown_at().since(at));
                lasts.map(numbers::elapsed).unwrap_or_default()
            }
            // Of an idle agent nothing in the inbox would start it.
            "q" if agent.state == AgentState::Idle => "0".to_owned(),
            "q" | "unread" => agent.unread.to_string(),
            "try" => last.filter(|run| is_of_now(agent, run)).map(run::attempt).unwrap_or_default(),
            "tokens" => used_tokens(agent.used.tokens),
            "cost" => numbers::cost(agent.used.cost),
            _ => last.map_or_else(|| "-".to_owned(), |run| ended(model, run)),
        }
    }
}

/// Whether a run says something of what its agent is now.
fn is_of_now(agent: &Agent, run: &Run) -> bool {
    run.state.is_live() || agent.state == AgentState::Backoff || run.class.is_some()
}

/// When the last run ended: the time of day, of another day the day.
fn ended(model: &Model, run: &Run) -> String {
    let zone = model.zone();
    let Some(at) = run.ended_at.filter(|_| !run.state.is_live()) else { return "now".to_owned() };
    if zone.day(at) == zone.day(model.shown_at()) {
        return zone.clock(at);
    }
    let day = zone.day_line(at);
    day.split_once(' ').map_or(day.clone(), |(_, day)| day.to_owned())
}
