//! Schedules: the list, those of one agent with their times, and a changed one.

use std::time::Duration;

use agent_worker_client::text::{Words as _, numbers, rules};
use agent_worker_protocol::{
    Due, Fire, FireOutcome, Fired, Schedule, ScheduleDetail, ScheduleDetails, ScheduleState,
    Schedules, SchedulesCleared, Scope, Target, Timestamp,
};

use crate::text::{Column, List, View, bold, dim, hint, layout, line, or_dash, paragraphs};

/// What is told of a due time that has come while the last run goes on, and of its schedule.
const WAITS: &str = "waits for its last run";

/// Schedules, a row for each.
pub fn table(view: &View, schedules: &[Schedule]) -> String {
    let columns: &[Column<'_, Schedule>] = &[
        ("AGENT", &|schedule| schedule.agent.to_string()),
        ("SCHEDULE", &|schedule| schedule.name.to_string()),
        ("DUE", &|schedule| line(&due(schedule))),
        ("NEXT", &|schedule| or_dash(schedule.next_due.map(|at| next(view, schedule, at)))),
        ("LAST", &|schedule| {
            or_dash(schedule.last.as_ref().map(|last| became(view, schedule, last)))
        }),
        ("STATE", &|schedule| state(view, schedule).to_owned()),
        ("PROMPT", &|schedule| or_dash(schedule.prompt.as_deref().map(line))),
    ];
    List::of(columns, schedules).empty("no schedules").text(view)
}

/// What its times are, with the zone where one matters.
fn due(schedule: &Schedule) -> String {
    match (&schedule.spec, schedule.hours) {
        (Due::Every(_), Some(hours)) => {
            format!("every {}, {hours} {}", schedule.spec, schedule.timezone.as_str())
        }
        (Due::Every(_), None) => format!("every {}", schedule.spec),
        // With an offset it says its zone itself.
        (Due::At(_), _) if schedule.spec.to_string().parse::<jiff::Timestamp>().is_ok() => {
            schedule.spec.to_string()
        }
        (Due::Cron(_) | Due::At(_), _) => {
            format!("{} {}", schedule.spec, schedule.timezone.as_str())
        }
    }
}

/// Whether it is due more than once a minute, so that its times are told to the second.
fn has_seconds(schedule: &Schedule) -> bool {
    matches!(&schedule.spec, Due::Every(every) if every.duration() < Duration::from_mins(1))
}

fn next(view: &View, schedule: &Schedule, at: Timestamp) -> String {
    let (clock, zone) = (&view.clock, schedule.timezone.as_str());
    if has_seconds(schedule) { clock.dated_in(at, zone) } else { clock.short_dated_in(at, zone) }
}

fn became(view: &View, schedule: &Schedule, fire: &Fire) -> String {
    let held = if fire.is_held() { ", message held" } else { "" };
    let (clock, due_at) = (&view.clock, fire.due_at);
    let at = if has_seconds(schedule) { clock.exact(due_at) } else { clock.short(due_at) };
    format!("{at} {}{held}", fire.outcome.word().text)
}

fn state(view: &View, schedule: &Schedule) -> &'static str {
    match schedule.state {
        ScheduleState::Active if schedule.next_due.is_none() => "waits for its workflow",
        ScheduleState::Active if schedule.waiting(view.clock.now()).is_some() => WAITS,
        state => state.word().text,
    }
}

/// The schedules of an agent with their times.
pub fn details(view: &View, target: &Target, details: &ScheduleDetails) -> String {
    if details.schedules.is_empty() {
        let over = hint(&format!("agent-worker schedule list {target} --all"));
        return format!("no schedules of {target}\n{over}");
    }
    let parts: Vec<_> = details.schedules.iter().map(|one| detail(view, one)).collect();
    parts.join("\n\n")
}

fn detail(view: &View, detail: &ScheduleDetail) -> String {
    let schedule = &detail.schedule;
    let zone = schedule.timezone.as_str();
    let next: Vec<_> = detail.next.iter().map(|at| view.clock.dated_in(*at, zone)).collect();
    let is_of_file = schedule.maker.as_str() == agent_worker_protocol::Name::SYSTEM;
    let is_global = schedule.agent.scope.as_ref().is_none_or(|scope| *scope == Scope::global());
    let maker = match (is_of_file, is_global) {
        (true, true) => "with its agent".to_owned(),
        (true, false) => "by its workflow file".to_owned(),
        (false, _) => format!("by {}", schedule.maker),
    };
    let facts = layout::known_fields([
        ("due", Some(line(&due(schedule)))),
        ("state", Some(state(view, schedule).to_owned())),
        ("next", (!next.is_empty()).then(|| next.join(", "))),
        ("fired", Some(fired_times(schedule))),
        ("rules", Some(rules(schedule).join("; "))),
        ("created", Some(format!("{} {maker}", view.clock.exact(schedule.created_at)))),
        ("prompt", schedule.prompt.as_deref().map(paragraphs)),
    ]);
    let mut lines = vec![bold(&line(&title(schedule))), facts];
    let waiting = schedule.waiting(view.clock.now());
    lines.extend(waiting.map(|at| format!("  {}  {WAITS}", dim(&view.clock.exact(at)))));
    lines.extend(detail.fired.iter().map(|fired| judged(view, fired)));
    lines.join("\n")
}

fn fired_times(schedule: &Schedule) -> String {
    let times = numbers::counted(schedule.fires, "time", "times");
    match schedule.max_fires {
        Some(most) => format!("{times} of {}", numbers::count(most)),
        None => times,
    }
}

fn judged(view: &View, fired: &Fired) -> String {
    let fire = &fired.fire;
    let at = dim(&view.clock.exact(fire.due_at));
    let what = match (&fire.outcome, fired.run) {
        (FireOutcome::Ran, Some(run)) => match fire.reason.as_deref() {
            Some(reason) if fire.is_held() => format!("ran: {run}, {}", line(reason)),
            _ => format!("ran: {run}"),
        },
        // It waits.
        (FireOutcome::Ran, None) => match fire.message {
            Some(message) => format!("sent {message}, which no run has"),
            None => "sent".to_owned(),
        },
        (FireOutcome::Skipped, _) => {
            format!("skipped: {}", line(fire.reason.as_deref().unwrap_or("-")))
        }
    };
    let late = lateness(fire.due_at, fire.fired_at);
    format!("  {at}  {what}{late}")
}

/// How late a time was judged, where that is worth a word.
fn lateness(due_at: Timestamp, fired_at: Timestamp) -> String {
    let late = fired_at.since(due_at);
    if late.as_secs() < 60 {
        return String::new();
    }
    format!(", {} late", numbers::span(late))
}

/// Schedules after something was done with them.
pub fn changed(view: &View, changed: &Schedules) -> String {
    told(view, &changed.schedules, |_| String::new())
}

/// Schedules in the place of others of the same names.
pub fn replaced(view: &View, changed: &Schedules) -> String {
    told(view, &changed.schedules, |_| "replaced; ".to_owned())
}

/// Schedules that were cleared, with the command that discards each message that is still held.
pub fn cleared(cleared: &SchedulesCleared) -> String {
    let removed = |schedule: &Schedule| format!("{}: removed", line(&title(schedule)));
    let mut lines: Vec<_> = cleared.schedules.iter().map(removed).collect();
    if !cleared.held.is_empty() {
        let held = numbers::counted(cleared.held.len(), "message is", "messages are");
        lines.push(format!("{held} still held"));
        lines.extend(cleared.held.iter().map(|id| hint(&format!("agent-worker drop {id}"))));
    }
    lines.join("\n")
}

/// A schedule that was to run at once.
pub fn ran(view: &View, changed: &Schedules) -> String {
    told(view, &changed.schedules, |schedule| match &schedule.last {
        Some(Fire { outcome: FireOutcome::Skipped, reason, .. }) => {
            format!("skipped: {}; ", line(reason.as_deref().unwrap_or("-")))
        }
        _ => "runs now; ".to_owned(),
    })
}

/// Name of a schedule with its agent: `main of alice`.
fn title(schedule: &Schedule) -> String {
    format!("{} of {}", schedule.name, schedule.agent)
}

fn told(view: &View, changed: &[Schedule], before: impl Fn(&Schedule) -> String) -> String {
    let told = changed.iter().map(|schedule| {
        let what = title(schedule);
        let dated = |at| view.clock.dated_in(at, schedule.timezone.as_str());
        let when = if schedule.waiting(view.clock.now()).is_some() { "since" } else { "next" };
        let next = schedule.next_due.map(|at| format!(", due {when} {}", dated(at)));
        let (before, next) = (before(schedule), next.unwrap_or_default());
        format!("{}: {before}{}{next}", line(&what), state(view, schedule))
    });
    told.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
#[path = "tests/text.rs"]
mod tests;
