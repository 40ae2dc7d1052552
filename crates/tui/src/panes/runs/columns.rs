//! The columns of a table of runs. With little room they go, the least important
//! first; numbers are never cut.

use agent_worker_client::text::{Words as _, numbers};
use agent_worker_protocol::{Run, RunState};

use crate::{
    model::{Model, words},
    paint::Row,
    parts::run,
    text::{
        cut,
        query::{Fact, Value},
    },
    theme::{Role, hue},
};

/// All of them, in order, with the width of each, of `run` the least; the last has the rest.
const ALL: [(&str, usize); 9] = [
    ("state", 12),
    ("run", 8),
    ("agent", 20),
    ("start", 12),
    ("took", 7),
    ("in/out", 11),
    ("cost", 7),
    ("try", 3),
    ("what", 0),
];

/// Most cells of `run`: eight digits are whole.
const LONGEST_ID: usize = 12;

/// Columns that can be hidden.
pub const HIDEABLE: [&str; 6] = ["agent", "start", "took", "in/out", "cost", "try"];

/// Which go first with little room: until the last column has this many cells.
const FIRST_GONE: [(&str, usize); 5] =
    [("try", 16), ("in/out", 16), ("cost", 5), ("took", 5), ("agent", 5)];

/// Below this many cells agents and times are shortened.
const NARROW: usize = 90;

/// The columns that fit.
pub struct Columns<'a> {
    model: &'a Model,
    shown: Vec<(&'static str, usize)>,
    /// Whether the runs are of one workflow, so that a name alone says which agent is meant
    is_of_one: bool,
    width: usize,
}

impl<'a> Columns<'a> {
    /// The columns that fit into `width` cells, wide enough for the numbers of these runs.
    pub fn new(model: &'a Model, runs: &[&Run], with_agent: bool, width: usize) -> Self {
        let mut shown = ALL.to_vec();
        let layout = &model.selection.layout;
        shown.retain(|(name, _)| {
            (with_agent || *name != "agent") && layout.shows(model.place.tab, name)
        });
        let newest = runs.iter().map(|run| run.id).max();
        let id_width = newest.map_or(0, |id| id.to_string().len());
        for (name, cells) in &mut shown {
            *cells = match *name {
                "run" => id_width.clamp(*cells, LONGEST_ID),
                "agent" if width < NARROW => 13,
                "start" if width < NARROW => 6,
                _ => *cells,
            };
        }
        for (gone, least) in FIRST_GONE {
            let taken: usize = shown.iter().map(|(_, cells)| cells + 1).sum();
            if taken + least > width {
                shown.retain(|(name, _)| *name != gone);
            }
        }
        let is_of_one = runs.windows(2).all(|pair| pair[0].scope == pair[1].scope);
        Self { model, shown, is_of_one, width }
    }

    /// What stands above them.
    pub fn head(&self) -> Row {
        self.laid(|name| Row::of(name, Role::Dim))
    }

    pub fn row(&self, run: &Run) -> Row {
        self.laid(|name| self.cell(name, run))
    }

    fn laid(&self, cell: impl Fn(&'static str) -> Row) -> Row {
        let ellipsis = self.model.symbols().ellipsis;
        let mut row = Row::new();
        let mut at = 0;
        for (name, cells) in &self.shown {
            row.tab(at);
            let room = if *name == "what" { self.width.saturating_sub(at) } else { *cells };
            let text = cell(name).cut(room, ellipsis);
            if matches!(*name, "took" | "in/out" | "cost" | "try") {
                // Numbers stand at the right.
                row.space(cells.saturating_sub(text.width()));
            }
            row.append(text);
            at += cells + 1;
        }
        row
    }

    fn cell(&self, name: &str, of: &Run) -> Row {
        let model = self.model;
        match name {
            "state" => {
                let shown = run::shown(model, of);
                // In what a run is silent stands in the last column.
                let word = words::short(&shown.word);
                Row::of(shown.symbol, shown.role).with(format!(" {word}"), shown.role)
            }
            "run" => Row::of(of.id.to_string(), Role::Text),
            "agent" => {
                let name = words::name(&of.agent);
                let ellipsis = model.symbols().ellipsis;
                let is_short = self.width < NARROW && self.is_of_one;
                let text = if is_short { name.clone() } else { of.agent.to_string() };
                Row::of(cut::end(text, 20, ellipsis), hue(&name))
            }
            "start" => Row::of(self.start(of), Role::Text),
            "took" => Row::of(numbers::elapsed(run::lasted(model, of)), Role::Text),
            "in/out" => {
                let known =
                    |count: Option<i64>| count.map_or_else(|| "-".to_owned(), numbers::short);
                let text = format!("{}/{}", known(of.usage.input), known(of.usage.output));
                Row::of(text, Role::Text)
            }
            "cost" => Row::of(run::spent(of), Role::Text),
            "try" => Row::of(of.attempt.to_string(), Role::Text),
            _ => what(model, of),
        }
    }

    /// The time of a run of today, the day with it of an earlier one.
    fn start(&self, of: &Run) -> String {
        let zone = self.model.zone();
        let is_narrow = self.width < NARROW;
        if zone.day(of.started_at) == zone.day(self.model.shown_at()) {
            let at = of.started_at;
            return if is_narrow { zone.clock(at) } else { zone.clock_seconds(at) };
        }
        let day = zone.day_line(of.started_at);
        let day = day.split_once(' ').map_or(day.as_str(), |(_, day)| day);
        if is_narrow { day.to_owned() } else { format!("{day} {}", zone.clock(of.started_at)) }
    }
}

/// How it failed, what it does, or what woke it.
fn what(model: &Model, of: &Run) -> Row {
    if let Some(error) = &of.error {
        let class = of.class.map(|class| format!("{}: ", class.word().text));
        return Row::of(format!("{}{error}", class.unwrap_or_default()), Role::Failed);
    }
    match (&of.activity, of.state) {
        (Some(activity), RunState::Starting | RunState::Running) => {
            Row::of(activity.clone(), Role::Dim)
        }
        _ => Row::of(run::reason(model, of), Role::Dim),
    }
}

/// What runs can be filtered and sorted by.
pub const FIELDS: [&str; 13] = [
    "run", "state", "agent", "workflow", "age", "took", "in", "out", "tokens", "cost", "try",
    "what", "model",
];

/// The values of a run by these names.
pub fn facts(model: &Model, of: &Run) -> Vec<Fact> {
    let usage = &of.usage;
    vec![
        ("run", Value::from(&of.id)),
        ("state", Value::from(run::shown(model, of).word.as_str())),
        ("agent", Value::from(&of.agent)),
        ("workflow", Value::from(&of.scope.key())),
        ("age", Value::span(model.shown_at().since(of.started_at))),
        ("took", Value::span(run::lasted(model, of))),
        ("in", Value::count(usage.input)),
        ("out", Value::count(usage.output)),
        ("tokens", Value::count(usage.total())),
        ("cost", Value::dollars(of.cost)),
        ("try", Value::count(of.attempt)),
        ("what", Value::from(&what(model, of).text())),
        ("model", of.model.as_ref().map_or(Value::Unknown, Value::from)),
    ]
}
