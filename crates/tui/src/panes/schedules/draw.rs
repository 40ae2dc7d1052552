//! How schedules look: the list, and below it the rules, the next times and the last ones.

use std::time::Duration;

use agent_worker_client::text::{Words as _, numbers, rules};
use agent_worker_protocol::{Fire, FireOutcome, Fired, Name, Schedule, ScheduleState, Timestamp};
use ratatui_core::layout::Rect;

use super::state::{LIST, Schedules, all, ids};
use crate::{
    action::Action,
    model::Model,
    paint::{Painter, Row},
    parts::list,
    text::{cut, wrap},
    theme::Role,
};

/// Columns of the word before a fact.
const FACT: usize = 8;

const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;

impl Schedules {
    pub fn paint(&self, model: &Model, painter: &mut Painter<'_>, area: Rect) {
        let Some(own) = self.selected(model) else {
            let new = model.pane_key(Action::New);
            let words = format!("none yet: {new} creates one, or schedule: in the file");
            return painter.hint(area, 1, words);
        };
        let (schedules, ids, picked) = (all(model), ids(model), self.picked(model));
        let (above, below) = list::split(area, list::height(model, ids.len(), LIST));
        let columns = Columns::of(model, usize::from(above.width).saturating_sub(1));
        list::lines(model, painter, list::margin(above), (&picked, &ids), |at| {
            line(model, schedules[at], &columns)
        });
        list::under(painter, below, |width| self.facts(model, own, width));
    }

    /// The selected one: its rules, its next times, its last ones.
    fn facts(&self, model: &Model, schedule: &Schedule, width: usize) -> Vec<Row> {
        let hours = schedule.hours.map(|hours| format!(", {hours}")).unwrap_or_default();
        let mut rows = vec![
            Row::of(schedule.agent.to_string(), Role::Title)
                .with(format!("  {}: {}{hours}", schedule.name, schedule.spec), Role::Strong),
        ];
        rows.extend(told("zone", &made(model, schedule), width));
        rows.extend(told("next", &self.times(model, schedule), width));
        let rules = rules(schedule).join(&format!(" {} ", model.symbols().vertical));
        rows.extend(told("rules", &rules, width));
        let is_beat = schedule.name.as_str() == "heartbeat";
        let own =
            if is_beat { "do what HEARTBEAT.md says" } else { "look at the channel and go on" };
        let prompt = schedule.prompt.as_deref().unwrap_or(own);
        rows.extend(told("prompt", prompt, width));
        rows.push(Row::new());
        let Some(detail) = self.detail(model) else {
            rows.push(Row::of("loading what became of it", Role::Dim));
            return rows;
        };
        if detail.fired.is_empty() {
            rows.push(Row::of("it was not due yet", Role::Dim));
            return rows;
        }
        rows.push(Row::of("Last times", Role::Strong));
        let waiting = schedule.waiting(model.shown_at()).map(|at| waits(model, at));
        let fired = detail.fired.iter().map(|fired| judged(model, fired));
        let fired: Vec<Row> = waiting.into_iter().chain(fired).collect();
        rows.extend(wrap::wrap(&fired, width, 2));
        rows
    }

    fn times(&self, model: &Model, schedule: &Schedule) -> String {
        if schedule.next_due.is_none() {
            return next(model, schedule);
        }
        let all = match self.detail(model) {
            Some(detail) if !detail.next.is_empty() => detail.next.clone(),
            _ => schedule.next_due.into_iter().collect(),
        };
        all.into_iter().map(|at| clock(model, at)).collect::<Vec<_>>().join("  ")
    }

    /// The selected one as a text: all that the pane shows, and the rest of it.
    pub fn whole(&self, model: &Model) -> Option<String> {
        Some(list::text(&self.facts(model, self.selected(model)?, list::alone(model))))
    }
}

/// How wide the columns are.
struct Columns {
    agent: usize,
    when: usize,
    next: usize,
    gap: usize,
    whole: usize,
}

impl Columns {
    fn of(model: &Model, width: usize) -> Self {
        let longest = |text: fn(&Model, &Schedule) -> String| {
            let widths = all(model).into_iter().map(|one| Row::of(text(model, one), Role::Text));
            widths.map(|row| row.width()).max().unwrap_or(0)
        };
        let agent = longest(name).min(width / 4);
        let next = longest(next).min(width / 3);
        let when = longest(|_, one| one.spec.to_string()).min(width / 3);
        Self { agent, when, next, gap: if width < 60 { 1 } else { 2 }, whole: width }
    }
}

/// Whose it is; of several of one agent, which.
fn name(model: &Model, schedule: &Schedule) -> String {
    let agent = match (model.place.subject.scope(), &schedule.agent.name) {
        (Some(_), Some(name)) => name.to_string(),
        _ => schedule.agent.to_string(),
    };
    let of_agent = all(model).into_iter().filter(|other| other.agent == schedule.agent);
    if of_agent.count() > 1 { format!("{agent} {}", schedule.name) } else { agent }
}

/// When it is due next.
fn next(model: &Model, schedule: &Schedule) -> String {
    match (schedule.state, schedule.next_due) {
        (ScheduleState::Paused, _) => schedule.state.word().text.to_owned(),
        (_, Some(at)) if schedule.waiting(model.shown_at()).is_some() => {
            format!("{} waits", clock(model, at))
        }
        (_, Some(at)) => format!("{} {}", clock(model, at), away(model, at)),
        (_, None) => "its workflow does not run".to_owned(),
    }
}

/// A line of the list: whose, when, the next time, what became of the last one.
fn line(model: &Model, schedule: &Schedule, columns: &Columns) -> Row {
    let ellipsis = model.symbols().ellipsis;
    let role = if schedule.next_due.is_some() { Role::Text } else { Role::Dim };
    let mut row = Row::of(cut::end(name(model, schedule), columns.agent, ellipsis), Role::Strong);
    row.tab(columns.agent + columns.gap);
    row.push(cut::end(schedule.spec.to_string(), columns.when, ellipsis), role);
    row.tab(columns.agent + columns.when + 2 * columns.gap);
    row.push(cut::end(next(model, schedule), columns.next, ellipsis), role);
    row.tab(columns.agent + columns.when + columns.next + 3 * columns.gap);
    if let Some(last) = &schedule.last {
        row.append(outcome(model, last));
        row.push(held(last), Role::Wait);
    }
    row.cut(columns.whole, ellipsis)
}

/// The same as words, with its prompt.
pub(super) fn as_text(model: &Model, schedule: &Schedule) -> String {
    let last = schedule.last.as_ref().map(|last| {
        let at = clock(model, last.due_at);
        match last.outcome {
            FireOutcome::Ran => format!(", ran {at}{}", held(last)),
            FireOutcome::Skipped => {
                format!(", skipped {at} {}", last.reason.as_deref().unwrap_or_default())
            }
        }
    });
    let (last, next) = (last.unwrap_or_default(), next(model, schedule));
    let prompt = schedule.prompt.as_ref().map(|prompt| format!(": {prompt}")).unwrap_or_default();
    format!("{} {} {}, {next}{last}{prompt}", schedule.agent, schedule.name, schedule.spec)
}

/// What became of a due time.
fn outcome(model: &Model, fire: &Fire) -> Row {
    let symbols = model.symbols();
    match fire.outcome {
        FireOutcome::Ran => Row::of(symbols.done, Role::Ok)
            .with(format!(" {}", clock(model, fire.due_at)), Role::Text),
        FireOutcome::Skipped => {
            let why = fire.reason.clone().unwrap_or_default();
            Row::of(format!("- {} {why}", clock(model, fire.due_at)), Role::Dim)
        }
    }
}

/// What is told of a run whose message is held after it. A skipped time tells its whole reason.
fn held(fire: &Fire) -> &'static str {
    if fire.outcome == FireOutcome::Ran && fire.is_held() { ", message held" } else { "" }
}

/// The time of day, with the day where it is another one.
fn clock(model: &Model, at: Timestamp) -> String {
    model.zone().near(at, model.shown_at())
}

/// In how long. What is far away is told roughly, so that it changes seldom.
fn away(model: &Model, at: Timestamp) -> String {
    let left = at.0 - model.shown_now();
    match left {
        ..0 => "now".to_owned(),
        0..MINUTE => format!("in {}", numbers::elapsed(at.since(model.shown_at()))),
        MINUTE..3_600_000 => format!("in {} min", left / MINUTE),
        3_600_000..DAY => format!("in {} h", left / (60 * MINUTE)),
        _ => format!("in {} d", left / DAY),
    }
}

/// A text of several lines.
fn told(name: &'static str, text: &str, width: usize) -> Vec<Row> {
    let lines: Vec<Row> = text.lines().map(|line| Row::of(line.to_owned(), Role::Text)).collect();
    let lines = wrap::wrap(&lines, width.saturating_sub(FACT), 0).into_iter().enumerate();
    lines.map(|(n, line)| fact(if n == 0 { name } else { "" }, line)).collect()
}

fn fact(name: &'static str, says: Row) -> Row {
    Row::of(name, Role::Dim).tabbed(FACT).and(says)
}

fn made(model: &Model, schedule: &Schedule) -> String {
    let fired = match (schedule.fires, schedule.max_fires) {
        (fires, Some(most)) => format!("fired {fires} of {most} times"),
        (1, None) => "fired once".to_owned(),
        (fires, None) => format!("fired {fires} times"),
    };
    let at = clock(model, schedule.created_at);
    let sign = model.symbols().vertical;
    let zone = schedule.timezone.as_str();
    let maker = match schedule.maker.as_str() {
        Name::SYSTEM if schedule.scope.is_global() => "with its agent".to_owned(),
        Name::SYSTEM => "by its workflow file".to_owned(),
        maker => format!("by {maker}"),
    };
    format!("{zone} {sign} {fired} {sign} created {at} {maker}")
}

/// A due time that has come while the last run goes on.
fn waits(model: &Model, at: Timestamp) -> Row {
    Row::of(model.symbols().queued, Role::Wait)
        .with(format!(" {} waits for its last run", clock(model, at)), Role::Text)
}

fn judged(model: &Model, fired: &Fired) -> Row {
    let run = fired.run.map(|run| format!("  {run}")).unwrap_or_default();
    let mut row = outcome(model, &fired.fire).with(run, Role::Text);
    if let (FireOutcome::Ran, Some(reason)) = (fired.fire.outcome, &fired.fire.reason)
        && fired.fire.is_held()
    {
        row.push(format!(", {reason}"), Role::Wait);
    }
    let late = fired.fire.fired_at.since(fired.fire.due_at);
    if late >= Duration::from_mins(1) {
        row.push(format!("  {} late", numbers::elapsed(late)), Role::Wait);
    }
    row
}
