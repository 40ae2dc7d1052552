//! What changes something: what each act does to what is running, how it asks first, and what it is
//! in a shell.

use agent_worker_client::text::numbers;
use agent_worker_protocol::{
    agent::AgentState,
    id::{MessageId, ProposalId, QuestionId, RunId},
    name::Name,
    schedule::ScheduleSet,
    target::{Scope, Target},
    time::Timestamp,
};

use super::State;

/// One act. A screen that only looks offers none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Stop agents.
    Stop(Vec<Target>),
    /// End the run of an agent that was asked to stop, now.
    Kill(Target),
    /// Let an agent work again.
    Resume(Target),
    /// Start a run.
    Wake(Vec<Target>),
    /// Remove an agent.
    Remove(Target),
    /// Stop a workflow.
    StopWorkflow(Scope),
    /// Let a workflow go on.
    ResumeWorkflow(Scope),
    /// Try the mail of a run again.
    RetryRun(RunId),
    /// Try mail again that was given up.
    RetryMail(Target),
    /// Try one message again that was given up.
    RetryMessage(MessageId),
    /// Let held mail through.
    Release(Target),
    /// Let one held message through.
    ReleaseMessage(MessageId),
    /// Give one message up.
    Drop(MessageId),
    /// Answer a question with one of its options.
    Choose(QuestionId, String),
    /// Answer a question in words.
    Answer(QuestionId, String),
    /// Vote on a proposal.
    Vote {
        /// Where it is
        scope: Scope,
        /// Which
        proposal: ProposalId,
        /// For which of its options
        choice: String,
        /// Why
        reason: Option<String>,
    },
    /// Take a proposal back.
    CancelProposal(Scope, ProposalId),
    /// Run a schedule of an agent now.
    RunSchedule(Target, Name),
    /// Have a schedule pass its times by.
    PauseSchedule(Target, Name),
    /// Have it fire again.
    ResumeSchedule(Target, Name),
    /// Have it be due no more.
    ClearSchedule(Target, Name),
    /// Make a schedule, or another one in its place.
    SetSchedule(Box<ScheduleSet>),
    /// The same for several agents.
    Each(Vec<Act>),
    /// Start the daemon.
    StartDaemon,
}

/// How an act asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Not at all.
    Free,
    /// One line; `y` does it.
    Line,
    /// A dialog; what it is about is typed.
    Dialog,
}

/// A question in the line of the composer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What it is about, with its consequence
    pub text: String,
    /// The word for yes
    pub yes: &'static str,
    /// What is done then
    pub act: Act,
    /// Since when it is asked, ms: an answer that comes at once was not meant for it
    pub since: i64,
}

/// How many agents make an act one on many.
const MANY: usize = 5;

impl Act {
    /// How it asks.
    pub fn tier(&self) -> Tier {
        match self {
            // Words are written and sent: that is not done by a slip of a key.
            Self::Resume(_)
            | Self::ResumeWorkflow(_)
            | Self::SetSchedule(_)
            | Self::StartDaemon
            | Self::Answer(..)
            | Self::Vote { .. } => Tier::Free,
            Self::Stop(targets) | Self::Wake(targets) if targets.len() >= MANY => Tier::Dialog,
            Self::Each(acts) if acts.len() >= MANY => Tier::Dialog,
            Self::Each(acts) => acts.iter().map(Self::tier).max().unwrap_or(Tier::Line),
            Self::Kill(_)
            | Self::Remove(_)
            | Self::StopWorkflow(_)
            | Self::Drop(_)
            | Self::ClearSchedule(..)
            | Self::CancelProposal(..) => Tier::Dialog,
            _ => Tier::Line,
        }
    }

    /// In one word.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Stop(_) | Self::StopWorkflow(_) => "stop",
            Self::Kill(_) => "kill",
            Self::Resume(_) | Self::ResumeWorkflow(_) | Self::ResumeSchedule(..) => "resume",
            Self::Wake(_) => "wake",
            Self::Remove(_) => "remove",
            Self::RetryRun(_) | Self::RetryMail(_) | Self::RetryMessage(_) => "try again",
            Self::Release(_) | Self::ReleaseMessage(_) => "release",
            Self::Drop(_) => "drop",
            Self::Choose(..) | Self::Answer(..) => "answer",
            Self::Vote { .. } => "vote",
            Self::CancelProposal(..) => "cancel",
            Self::RunSchedule(..) => "run",
            Self::PauseSchedule(..) => "pause",
            Self::ClearSchedule(..) => "clear",
            Self::SetSchedule(_) => "set",
            Self::Each(acts) => acts.first().map_or("do", Self::verb),
            Self::StartDaemon => "start the daemon",
        }
    }

    /// What it is about.
    pub fn object(&self) -> String {
        match self {
            Self::Stop(targets) | Self::Wake(targets) => match targets.as_slice() {
                [one] => one.to_string(),
                many => format!("{} agents", many.len()),
            },
            Self::Kill(target)
            | Self::Resume(target)
            | Self::Remove(target)
            | Self::RetryMail(target)
            | Self::Release(target) => target.to_string(),
            Self::StopWorkflow(scope) | Self::ResumeWorkflow(scope) => {
                format!("workflow {}", scope.key())
            }
            Self::RetryRun(run) => run.to_string(),
            Self::Drop(message) | Self::RetryMessage(message) | Self::ReleaseMessage(message) => {
                message.to_string()
            }
            Self::Choose(id, option) => format!("{id} with {option}"),
            Self::Answer(id, _) => id.to_string(),
            Self::Vote { proposal, choice, .. } => format!("{choice} on {proposal}"),
            Self::CancelProposal(_, id) => id.to_string(),
            Self::RunSchedule(target, name)
            | Self::PauseSchedule(target, name)
            | Self::ResumeSchedule(target, name)
            | Self::ClearSchedule(target, name) => format!("schedule {name} of {target}"),
            Self::SetSchedule(set) => {
                format!("schedule {} of {}", schedule_name(set), set.target)
            }
            Self::Each(acts) => format!("{} agents", acts.len()),
            Self::StartDaemon => String::new(),
        }
    }

    /// What has to be typed before it is done.
    pub fn typed(&self) -> String {
        match self {
            Self::StopWorkflow(scope) => scope.tag.to_string(),
            Self::Drop(message) => message.to_string(),
            Self::CancelProposal(_, id) => id.to_string(),
            Self::ClearSchedule(_, name) => name.to_string(),
            Self::Stop(targets) | Self::Wake(targets) => targets.len().to_string(),
            Self::Each(acts) => acts.len().to_string(),
            Self::Kill(target) | Self::Remove(target) => {
                target.name.as_ref().map(ToString::to_string).unwrap_or_default()
            }
            _ => "yes".to_owned(),
        }
    }

    /// The same in a shell.
    pub fn shell(&self) -> String {
        let each = |verb: &str, targets: &[Target]| {
            let lines: Vec<_> =
                targets.iter().map(|target| format!("agent-worker {verb} {target}")).collect();
            lines.join("; ")
        };
        match self {
            Self::Stop(targets) => each("stop", targets),
            Self::Wake(targets) => each("wake", targets),
            Self::Kill(target) => format!("agent-worker stop {target} --now"),
            Self::Resume(target) => format!("agent-worker resume {target}"),
            Self::Remove(target) => format!("agent-worker rm {target}"),
            Self::StopWorkflow(scope) => format!("agent-worker stop {scope}"),
            Self::ResumeWorkflow(scope) => format!("agent-worker resume {scope}"),
            Self::RetryRun(run) => format!("agent-worker retry {run}"),
            Self::RetryMail(target) => format!("agent-worker retry {target}"),
            Self::Release(target) => format!("agent-worker release {target}"),
            Self::RetryMessage(message) => format!("agent-worker retry {message}"),
            Self::ReleaseMessage(message) => format!("agent-worker release {message}"),
            Self::Drop(message) => format!("agent-worker drop {message}"),
            Self::Choose(id, answer) | Self::Answer(id, answer) => {
                format!("agent-worker answer {id} {}", quoted(answer))
            }
            Self::Vote { proposal, choice, reason, .. } => {
                let why = reason.as_deref().map(|why| format!(" --reason {}", quoted(why)));
                let why = why.unwrap_or_default();
                format!("agent-worker proposal vote {proposal} {}{why}", quoted(choice))
            }
            Self::CancelProposal(_, id) => format!("agent-worker proposal cancel {id}"),
            Self::RunSchedule(target, name) => {
                format!("agent-worker schedule {target} run {name}")
            }
            Self::PauseSchedule(target, name) => {
                format!("agent-worker schedule {target} pause {name}")
            }
            Self::ResumeSchedule(target, name) => {
                format!("agent-worker schedule {target} resume {name}")
            }
            Self::ClearSchedule(target, name) => {
                format!("agent-worker schedule {target} clear {name}")
            }
            Self::SetSchedule(set) => set_in_a_shell(set),
            Self::Each(acts) => acts.iter().map(Self::shell).collect::<Vec<_>>().join("; "),
            Self::StartDaemon => "agent-worker daemon".to_owned(),
        }
    }

    /// What follows from it, in sentences.
    pub fn consequences(&self, state: &State) -> Vec<String> {
        match self {
            Self::Stop(targets) => stopped(state, targets),
            Self::Kill(target) => {
                vec![format!("{} is ended without time to finish.", live(state, target))]
            }
            Self::StopWorkflow(scope) => {
                let members = state.mirror().agents_of(scope);
                let targets: Vec<Target> =
                    members.into_iter().map(|agent| agent.target.clone()).collect();
                let mut lines = stopped(state, &targets);
                lines.push("Messages and documents are kept.".to_owned());
                lines
            }
            Self::Remove(_) => vec!["Its inbox and its runs are removed with it.".to_owned()],
            Self::RetryMessage(_) => {
                vec!["A run starts for each recipient, and uses tokens.".to_owned()]
            }
            Self::RetryRun(_) | Self::RetryMail(_) => {
                vec!["A run starts, and uses tokens.".to_owned()]
            }
            Self::Release(_) | Self::ReleaseMessage(_) => {
                vec!["What is held is delivered, and wakes.".to_owned()]
            }
            Self::Drop(_) => vec!["No recipient that still has it to do will get it.".to_owned()],
            Self::Wake(targets) => match targets.as_slice() {
                [_] => vec!["A run starts, and uses tokens.".to_owned()],
                many => vec![format!("{} runs start, and use tokens.", many.len())],
            },
            Self::Choose(id, _) => {
                let asker = state.mirror().question(*id).map(|question| question.agent.clone());
                let asker = asker.map(|agent| format!("{agent} goes on with it."));
                asker.into_iter().collect()
            }
            Self::Vote { scope, proposal, .. } => voted(state, scope, *proposal),
            Self::CancelProposal(..) => {
                vec!["It is closed, its electors are told, and nothing comes of it.".to_owned()]
            }
            Self::RunSchedule(..) => vec!["A run starts, and uses tokens.".to_owned()],
            Self::PauseSchedule(..) => vec!["Its times pass by until it is resumed.".to_owned()],
            Self::ResumeSchedule(..) => vec!["It is due again.".to_owned()],
            Self::ClearSchedule(..) => {
                vec!["It is due no more; a run that goes on is not stopped.".to_owned()]
            }
            Self::Each(acts) => match acts.as_slice() {
                [] => Vec::new(),
                [one] => one.consequences(state),
                many => vec![format!("{} runs start, and use tokens.", many.len())],
            },
            Self::Resume(_)
            | Self::ResumeWorkflow(_)
            | Self::SetSchedule(_)
            | Self::StartDaemon
            | Self::Answer(..) => Vec::new(),
        }
    }

    /// What is told once it was done.
    pub fn done(&self) -> String {
        match self {
            Self::Stop(_) | Self::StopWorkflow(_) => format!("stopping {}", self.object()),
            Self::Kill(_) => format!("ending {}", self.object()),
            Self::Resume(_) | Self::ResumeWorkflow(_) | Self::ResumeSchedule(..) => {
                format!("resumed {}", self.object())
            }
            Self::Wake(_) => format!("woke {}", self.object()),
            Self::Remove(_) => format!("removed {}", self.object()),
            Self::RetryRun(_) | Self::RetryMail(_) | Self::RetryMessage(_) => {
                format!("{} is tried again", self.object())
            }
            Self::Release(_) => format!("released mail of {}", self.object()),
            Self::ReleaseMessage(_) => format!("released {}", self.object()),
            Self::Drop(_) => format!("dropped {}", self.object()),
            Self::Choose(id, _) | Self::Answer(id, _) => format!("answered {id}"),
            Self::Vote { .. } => format!("voted {}", self.object()),
            Self::CancelProposal(_, id) => format!("took {id} back"),
            Self::RunSchedule(..) => format!("started {}", self.object()),
            Self::PauseSchedule(..) => format!("paused {}", self.object()),
            Self::ClearSchedule(..) => format!("cleared {}", self.object()),
            Self::SetSchedule(_) => format!("{} is set", self.object()),
            Self::Each(_) => format!("{}: {}", self.verb(), self.object()),
            Self::StartDaemon => "the daemon is started".to_owned(),
        }
    }
}

impl Question {
    /// The question an act asks in one line.
    pub fn of(state: &State, act: Act) -> Self {
        let mut text = format!("{} {}?", act.verb(), act.object());
        for line in act.consequences(state) {
            text.push(' ');
            text.push_str(line.trim_end_matches('.'));
        }
        Self { text, yes: act.verb(), act, since: state.now }
    }
}

/// What an earlier vote of the person becomes.
fn voted(state: &State, scope: &Scope, id: ProposalId) -> Vec<String> {
    let proposal = state.mirror().proposal(scope, id);
    let votes = proposal.into_iter().flat_map(|proposal| &proposal.votes);
    let own = votes.into_iter().find(|vote| vote.voter == state.identity);
    own.map(|vote| format!("It replaces your vote for {}.", vote.choice)).into_iter().collect()
}

/// What a schedule is called that is set; the daemon calls it so if nobody does.
fn schedule_name(set: &ScheduleSet) -> String {
    set.name.as_ref().map_or_else(|| "main".to_owned(), ToString::to_string)
}

fn set_in_a_shell(set: &ScheduleSet) -> String {
    let name = set.name.as_ref().map(|name| format!(" --name {name}")).unwrap_or_default();
    let prompt = set.prompt.as_ref().map(|prompt| format!(" --prompt {}", quoted(prompt)));
    let prompt = prompt.unwrap_or_default();
    let when = quoted(&set.spec.to_string());
    format!("agent-worker schedule {} set {when}{name}{prompt}", set.target)
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if text.chars().all(is_plain) && !text.is_empty() && !text.starts_with('-') {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// For how long a run has been live and what it has cost.
fn live(state: &State, target: &Target) -> String {
    let Some(run) = state.mirror().live_run(target) else { return "no run".to_owned() };
    let for_so_long = numbers::elapsed(Timestamp(state.shown_now()).since(run.started_at));
    let cost = run.cost.map(|cost| format!(", {}", numbers::cost(Some(cost)))).unwrap_or_default();
    format!("({for_so_long}{cost})")
}

fn stopped(state: &State, targets: &[Target]) -> Vec<String> {
    let agents = targets.iter().filter_map(|target| state.mirror().agent(target));
    let (mut running, mut waiting) = (Vec::new(), 0);
    for agent in agents {
        if agent.run.is_some() {
            running.push((agent.name.clone(), live(state, &agent.target)));
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
        many => {
            let named: Vec<String> = many.iter().map(named).collect();
            lines.push(format!("{} runs end: {}.", many.len(), named.join(", ")));
        }
    }
    match waiting {
        0 => {}
        1 => lines.push("1 queued agent waits until it is resumed.".to_owned()),
        many => lines.push(format!("{many} queued agents wait until they are resumed.")),
    }
    lines
}
