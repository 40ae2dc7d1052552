//! What the lines of the tree are called.

use agent_worker_protocol::{AttentionKind, Target};

use super::NavId;
use crate::model::{Model, needs, words};

impl NavId {
    /// What a line of the tree is called.
    pub fn name(&self, model: &Model) -> String {
        match self {
            Self::Heading(words) | Self::Nothing(words) => (*words).to_owned(),
            Self::All => "All".to_owned(),
            // The person is named in a channel: which one is what tells two of them apart.
            Self::Need(AttentionKind::Mention, subject) => {
                subject.split_once('@').map_or(subject.as_str(), |(_, scope)| scope).to_owned()
            }
            Self::Need(AttentionKind::Question, subject) => needs::of_line(model, self)
                .map_or_else(|| subject.clone(), |question| told_apart(model, &question.agent)),
            Self::Need(AttentionKind::Vote, subject) => {
                let title = needs::proposal_of(model, self).map(|one| format!(" {}", one.title));
                format!("{subject}{}", title.unwrap_or_default())
            }
            Self::Need(_, subject) => match subject.parse::<Target>() {
                Ok(target) if target.name.is_some() => told_apart(model, &target),
                _ => subject.trim_start_matches('@').to_owned(),
            },
            Self::Workflow(scope) => scope.key(),
            Self::Channel(_) => "# channel".to_owned(),
            Self::Agent(target) => words::name(target),
            Self::Talk(_, talk) => words::talk_name(talk),
            Self::Root(at) => {
                let root = model.selection.tree.roots.all.get(*at);
                root.map(|root| root.name.clone()).unwrap_or_default()
            }
            Self::Far(..) => {
                let parts = model.selection.tree.roots.parts(self);
                parts.map(|(left, _)| left.text()).unwrap_or_default()
            }
        }
    }
}

/// An agent's name, with its workflow where an agent of another one has the same name.
fn told_apart(model: &Model, target: &Target) -> String {
    let alike = model.mirror().agents().filter(|agent| agent.target.name == target.name);
    if alike.count() > 1 { target.to_string() } else { words::name(target) }
}
