//! Problems of a workflow file: a line for each, so that an editor can jump to it.

use std::path::Path;

use agent_worker_client::{Sanitized, text::numbers};
use agent_worker_protocol::{Checked, CheckedSchedule, Problem, Severity, Source};

/// What a check found, the worst first.
pub fn checked(source: &Source, checked: &Checked) -> String {
    let mut parts = Vec::new();
    for (severity, heading) in [
        (Severity::Error, "errors"),
        (Severity::Warning, "warnings"),
        (Severity::Later, "needs a later version"),
    ] {
        let found = checked.problems.iter().filter(|problem| problem.severity == severity);
        let found: Vec<_> =
            found.map(|one| format!("  {}", indented(&problem(source, one)))).collect();
        if !found.is_empty() {
            parts.push(format!("{heading}:\n{}", found.join("\n")));
        }
    }
    if checked.ok && !checked.schedules.is_empty() {
        let due = checked.schedules.iter().map(|one| format!("  {}", due(one)));
        parts.push(format!("due next:\n{}", due.collect::<Vec<_>>().join("\n")));
    }
    parts.push(verdict(source, checked));
    parts.join("\n")
}

/// When a schedule would be due, by the clock of its zone.
fn due(schedule: &CheckedSchedule) -> String {
    let zone = schedule.timezone.as_str();
    let times = schedule.next.iter().map(|at| {
        let zoned = jiff::Timestamp::from_millisecond(at.0).and_then(|at| at.in_tz(zone));
        zoned.map_or_else(|_| "-".to_owned(), |at| at.strftime("%Y-%m-%d %H:%M:%S").to_string())
    });
    let times = times.collect::<Vec<_>>().join(", ");
    let due = Sanitized::line(&schedule.spec.to_string()).to_string();
    format!("{} of {} ({due}, {zone}): {times}", schedule.name, schedule.agent)
}

fn indented(text: &str) -> String {
    text.replace('\n', "\n  ")
}

fn verdict(source: &Source, checked: &Checked) -> String {
    let file = Sanitized::line(&source.file_name);
    let of = |severity: Severity| {
        checked.problems.iter().filter(|problem| problem.severity == severity).count()
    };
    match (of(Severity::Error), of(Severity::Later)) {
        (0, 0) => {
            let name = checked.name.as_ref().map(|name| format!("@{name}, ")).unwrap_or_default();
            let agents = numbers::counted(checked.agents.len(), "agent", "agents");
            format!("{file} is valid: {name}{agents}")
        }
        (0, later) => {
            let things = numbers::counted(
                later,
                "feature that this version does",
                "features that this version does",
            );
            format!("{file} is valid, but needs {things} not support")
        }
        (errors, _) => format!("{file} has {}", numbers::counted(errors, "error", "errors")),
    }
}

/// One problem with its place, and below it what to do.
pub fn problem(source: &Source, problem: &Problem) -> String {
    let mut shown = problem.clone();
    // Files beside the workflow file are named from its folder on; an editor stands elsewhere.
    if let Some(file) = problem.file.as_deref().filter(|file| *file != source.file_name) {
        let folder = Path::new(&source.file_name).parent().unwrap_or(Path::new(""));
        shown.file = Some(folder.join(file).display().to_string());
    }
    let text = Sanitized::text(&shown.to_string()).to_string();
    match &problem.hint {
        Some(hint) => format!("{text}\n  hint: {}", Sanitized::text(hint)),
        None => text,
    }
}

#[cfg(test)]
#[path = "tests/problems.rs"]
mod tests;
