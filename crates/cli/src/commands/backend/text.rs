//! What runs agents: the list, and what came of a trial.

use agent_worker_client::text::numbers;
use agent_worker_protocol::{Answer, Backend, Interval, UsableBackend};
use serde::Serialize;

use crate::{
    again,
    text::{Column, List, View, line, line_or_dash, or_dash, usage},
};

/// What a trial gave.
#[derive(Debug, Serialize)]
pub struct Tried {
    pub backend: Backend,
    /// The answer, with what it cost
    pub answer: Answer,
    /// How long the answer took
    pub took: Interval,
}

pub fn table(view: &View, backends: &[UsableBackend]) -> String {
    let columns: &[Column<'_, UsableBackend>] = &[
        ("BACKEND", &|usable| usable.backend.as_str().to_owned()),
        ("STATE", &state),
        ("VERSION", &|usable| line_or_dash(usable.version.as_deref())),
        ("TESTED WITH", &|usable| or_dash(usable.proved.clone())),
        ("KEY OR LOG-IN", &|usable| line_or_dash(usable.access.as_deref())),
    ];
    let table = List::of(columns, backends).text(view);
    let hint = |usable: &UsableBackend| {
        let hint = usable.hint.as_deref()?;
        Some(again::at_home(&format!("{}: {}", usable.backend.as_str(), line(hint))))
    };
    let hints: Vec<_> = backends.iter().filter_map(hint).collect();
    if hints.is_empty() { table } else { format!("{table}\n\n{}", hints.join("\n")) }
}

fn state(usable: &UsableBackend) -> String {
    match (&usable.missing, usable.backend) {
        (Some(missing), _) if usable.file.is_none() => format!("{missing} is not installed"),
        (Some(missing), _) => format!("{missing} is missing"),
        (None, Backend::Default) => again::at_home("built in; see `agent-worker providers`"),
        (None, Backend::Mock) => "built in".to_owned(),
        (None, Backend::External) => "connects by itself".to_owned(),
        (None, Backend::Acp) => "runs the agent's `command`".to_owned(),
        (None, _) if usable.version.is_none() => "tells no version".to_owned(),
        (None, _) => "ready".to_owned(),
    }
}

/// What came of a trial.
pub fn tried(tried: &Tried) -> String {
    let Tried { backend, answer, took } = tried;
    let said = if answer.answered { line(&answer.content) } else { "nothing".to_owned() };
    let (tokens, cost) = (usage::tokens(&answer.usage), numbers::cost(answer.cost));
    let took = numbers::span(took.duration());
    format!("{} answered: {said}\ntook {took}, tokens {tokens}, cost {cost}", backend.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{tests::samples, text::plain};

    #[test]
    fn a_program_is_shown_with_its_versions_and_its_key() {
        let claude = UsableBackend {
            backend: Backend::Claude,
            file: Some("claude".to_owned()),
            version: Some("2.1.331".to_owned()),
            proved: Some("2.1.330".to_owned()),
            access: Some("ANTHROPIC_API_KEY".to_owned()),
            missing: None,
            hint: None,
        };
        let broken = UsableBackend { version: None, ..claude.clone() };
        insta::assert_snapshot!(plain(&table(&samples::view(), &[claude, broken])), @r"
        BACKEND  STATE             VERSION  TESTED WITH  KEY OR LOG-IN
        claude   ready             2.1.331  2.1.330      ANTHROPIC_API_KEY
        claude   tells no version  -        2.1.330      ANTHROPIC_API_KEY
        ");
    }
}
