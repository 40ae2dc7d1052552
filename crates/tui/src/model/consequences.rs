//! What follows from an act, told before it is done, and what is left behind, told after it.

use agent_worker_client::text::numbers;
use agent_worker_protocol::{AgentState, MemberKind, MessageId, Name, ProposalId, Scope, Target};

use super::{Act, Model, acts::Question};
use crate::action::Action;

/// How many runs that end are named.
const NAMED: usize = 3;

impl Act {
    /// What follows from it, in sentences.
    pub fn consequences(&self, model: &Model) -> Vec<String> {
        let mut lines = self.effects(model);
        let done = match self {
            Self::Stop(targets) | Self::Wake(targets) => targets.len(),
            Self::Each(acts) => acts.len(),
            _ if self.is_on_messages() => 1,
            _ => return lines,
        };
        let (marked, one, many) = if self.is_on_messages() {
            let marked = model.selection.marked_messages.len();
            (marked, "marked message is", "marked messages are")
        } else {
            (model.selection.marked.len(), "marked agent is", "marked agents are")
        };
        let left_out = marked.saturating_sub(done);
        if left_out > 0 {
            lines.push(format!("{} left out.", numbers::counted(left_out, one, many)));
        }
        lines
    }

    fn effects(&self, model: &Model) -> Vec<String> {
        let line = match self {
            Self::Stop(targets) => return stopped(model, targets),
            Self::Kill(target) => {
                return vec![format!("{} is ended without time to finish.", live(model, target))];
            }
            Self::StopWorkflow(scope) => {
                let members = model.mirror().agents_of(scope);
                let targets: Vec<Target> = members.map(|agent| agent.target.clone()).collect();
                let mut lines = stopped(model, &targets);
                lines.push("Messages and documents are kept.".to_owned());
                return lines;
            }
            Self::Wake(targets) if targets.len() != 1 => {
                return vec![format!("{} runs start, and use tokens.", targets.len())];
            }
            Self::Choose(id, _) => {
                let asked = model.mirror().question(*id).into_iter();
                return asked.map(|asked| format!("{} then goes on.", asked.agent)).collect();
            }
            Self::Vote { scope, proposal, .. } => return voted(model, scope, *proposal),
            Self::LeaveGroup(..) => {
                let join = model.key(Action::Join);
                return vec![format!("You get no more of its messages; {join} rejoins.")];
            }
            Self::Each(acts) => match acts.as_slice() {
                [] => return Vec::new(),
                [one] => return one.effects(model),
                many => return vec![together(model, many)],
            },
            Self::Resume(_)
            | Self::ResumeWorkflow(_)
            | Self::SetSchedule(_)
            | Self::CreateGroup(..)
            | Self::AddToGroup(..)
            | Self::StartDaemon
            | Self::Answer(..) => return Vec::new(),
            Self::Remove(_) => "Its inbox and its runs are removed with it.",
            Self::RetryMessage(_) => "A run starts for each recipient, and uses tokens.",
            Self::RetryRun(_) | Self::RetryMail(_) | Self::RunSchedule(..) | Self::Wake(_) => {
                "A run starts, and uses tokens."
            }
            Self::Release(_) | Self::ReleaseMessage(_) => {
                "Held messages are delivered and wake agents."
            }
            Self::Drop(_) => "Recipients with an open delivery will not get it.",
            Self::CancelProposal(..) => "It is closed without a result; its electors are told.",
            Self::PauseSchedule(..) => "It skips due times until it is resumed.",
            Self::ResumeSchedule(..) => "It is due again.",
            Self::ClearSchedule(..) => "It is removed; a live run goes on.",
        };
        vec![line.to_owned()]
    }

    /// What is told once a schedule was cleared whose messages are still held; `None` if none is.
    pub fn still_held(&self, held: &[MessageId]) -> Option<String> {
        let count = numbers::counted(held.len(), "message is", "messages are");
        (!held.is_empty()).then(|| format!("{}; {count} still held", self.done()))
    }
}

impl Question {
    /// The question an act asks in one line.
    pub fn of(model: &Model, act: Act) -> Self {
        let lines = act.consequences(model).join(" ");
        let text = format!("{} {}? {}", act.verb(), act.object(), lines.trim_end_matches('.'));
        Self { text: text.trim_end().to_owned(), yes: act.verb(), act, since: model.now }
    }
}

/// What an earlier vote of the person becomes.
fn voted(model: &Model, scope: &Scope, id: ProposalId) -> Vec<String> {
    let proposal = model.mirror().proposal(scope, id);
    let votes = proposal.into_iter().flat_map(|proposal| &proposal.votes);
    let own = votes.into_iter().find(|vote| vote.voter == *model.person());
    own.map(|vote| format!("It replaces your vote for {}.", vote.choice)).into_iter().collect()
}

/// How long a run has been live, and its cost.
fn live(model: &Model, target: &Target) -> String {
    let Some(run) = model.mirror().live_run(target) else { return "no run".to_owned() };
    let for_so_long = numbers::elapsed(model.shown_at().since(run.started_at));
    let cost = run.cost.map(|cost| format!(", {}", numbers::cost(Some(cost)))).unwrap_or_default();
    format!("({for_so_long}{cost})")
}

/// One sentence for many acts of the same kind.
fn together(model: &Model, acts: &[Act]) -> String {
    let count = acts.len();
    let mail = |target: &Target| model.mirror().agent(target).map_or(0, |agent| agent.unread);
    let unread: i64 = acts
        .iter()
        .map(|act| match act {
            Act::Resume(target) | Act::Remove(target) => mail(target),
            _ => 0,
        })
        .sum();
    let messages = numbers::counted(unread, "message", "messages");
    match acts.first() {
        Some(Act::Resume(_)) => format!("{count} agents go on, {messages} are read."),
        Some(Act::Remove(_)) => {
            format!("{count} inboxes with {messages} and the runs are removed.")
        }
        Some(Act::ReleaseMessage(_)) => "They are delivered and wake agents.".to_owned(),
        Some(Act::RetryMessage(_)) => {
            "A run starts for each recipient, and uses tokens.".to_owned()
        }
        Some(Act::Drop(_)) => "Recipients with open deliveries will not get them.".to_owned(),
        Some(Act::Release(_)) => {
            format!("Held messages of {count} agents are delivered and wake them.")
        }
        _ => format!("{count} runs start, and use tokens."),
    }
}

/// How long the live runs of agents have lasted together, and their cost.
fn all_live(model: &Model, targets: &[Target]) -> String {
    let runs = || targets.iter().filter_map(|target| model.mirror().live_run(target));
    let lasted = runs().map(|run| model.shown_at().since(run.started_at)).sum();
    let cost = runs().filter_map(|run| run.cost).reduce(|one, other| one + other);
    let cost = cost.map(|cost| format!(", {}", numbers::cost(Some(cost)))).unwrap_or_default();
    format!("({}{cost} together)", numbers::elapsed(lasted))
}

fn stopped(model: &Model, targets: &[Target]) -> Vec<String> {
    let agents = || {
        let agents = targets.iter().filter_map(|target| model.mirror().agent(target));
        agents.filter(|agent| agent.kind != MemberKind::Person)
    };
    let (mut running, mut waiting) = (Vec::new(), 0);
    for agent in agents() {
        if agent.run.is_some() {
            running.push((agent.name.clone(), live(model, &agent.target)));
        } else if matches!(agent.state, AgentState::Queued | AgentState::Backoff) {
            waiting += 1;
        }
    }
    let mut lines = Vec::new();
    let named = |(name, run): &(Name, String)| format!("{name} {run}");
    match running.as_slice() {
        [] => lines.push("No run is live.".to_owned()),
        [(_, run)] if targets.len() == 1 => lines.push(format!("1 run ends {run}.")),
        [one] => lines.push(format!("1 run ends: {}.", named(one))),
        many if many.len() <= NAMED => {
            let named: Vec<String> = many.iter().map(named).collect();
            lines.push(format!("{} runs end: {}.", many.len(), named.join(", ")));
        }
        many => lines.push(format!("{} runs end {}.", many.len(), all_live(model, targets))),
    }
    match waiting {
        0 => {}
        1 => lines.push("1 queued agent waits until it is resumed.".to_owned()),
        many => lines.push(format!("{many} queued agents wait until they are resumed.")),
    }
    let unread: i64 = agents().map(|agent| agent.unread).sum();
    if targets.len() > 1 && unread > 0 {
        lines.push(format!("{}.", numbers::counted(unread, "message waits", "messages wait")));
    }
    lines
}
