//! What changes something: what each act does to what is running, how it asks first, and what it is
//! in a shell.

use agent_worker_protocol::{
    GroupCreate, MessageId, Name, ProposalId, QuestionId, RunId, ScheduleSet, Scope, Target, Wake,
    shell::quoted,
};

use super::Purpose;

/// One act. A screen that only looks offers none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    Stop(Vec<Target>),
    /// End the run of an agent that was asked to stop, now.
    Kill(Target),
    /// Let an agent work again.
    Resume(Target),
    Wake(Vec<Target>),
    Remove(Target),
    StopWorkflow(Scope),
    /// Let a workflow go on.
    ResumeWorkflow(Scope),
    /// Try the mail of a run again.
    RetryRun(RunId),
    /// Retry the dead letters of an agent or a workflow.
    RetryMail(Target),
    /// Retry the dead letters of one message.
    RetryMessage(MessageId),
    /// Release held deliveries.
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
        scope: Scope,
        proposal: ProposalId,
        /// For which of its options
        choice: String,
        reason: Option<String>,
    },
    /// Create a group of the user and some members.
    CreateGroup(Scope, Box<GroupCreate>),
    /// Add members to a group; the user joins it so.
    AddToGroup(Scope, Name, Vec<Name>),
    LeaveGroup(Scope, Name),
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
    StartDaemon,
}

/// How an act asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
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

impl Question {
    /// What is told when the answer is no.
    pub fn kept(&self) -> String {
        format!("kept: nothing was done ({})", self.yes)
    }
}

/// How many agents make an act one on many.
const MANY: usize = 5;

impl Act {
    /// What is done for several things: for those that it means something for. The error is the
    /// first reason why it means nothing, if it does for all.
    pub fn of_several(tried: impl Iterator<Item = Result<Self, String>>) -> Result<Self, String> {
        let (mut acts, mut problem) = (Vec::new(), None);
        for one in tried {
            match one {
                Ok(act) => acts.push(act),
                Err(why) => problem = problem.or(Some(why)),
            }
        }
        match acts.len() {
            0 => Err(problem.unwrap_or_default()),
            1 => Ok(acts.remove(0)),
            _ => Ok(Self::Each(acts)),
        }
    }

    pub fn tier(&self) -> Tier {
        match self {
            // Words are written and sent: that is not done by a slip of a key.
            Self::Resume(_)
            | Self::ResumeWorkflow(_)
            | Self::SetSchedule(_)
            | Self::CreateGroup(..)
            | Self::AddToGroup(..)
            | Self::StartDaemon
            | Self::Answer(..)
            | Self::Vote { .. } => Tier::Free,
            Self::Stop(targets) | Self::Wake(targets) if targets.len() >= MANY => Tier::Dialog,
            Self::Each(acts) if acts.len() >= MANY => Tier::Dialog,
            Self::Each(acts) => {
                acts.iter().map(Self::tier).max().map_or(Tier::Line, |tier| tier.max(Tier::Line))
            }
            Self::Kill(_)
            | Self::Remove(_)
            | Self::StopWorkflow(_)
            | Self::Drop(_)
            | Self::ClearSchedule(..)
            | Self::CancelProposal(..) => Tier::Dialog,
            _ => Tier::Line,
        }
    }

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
            Self::CreateGroup(..) => "create",
            Self::AddToGroup(_, _, names) if *names == [Name::person()] => "join",
            Self::AddToGroup(..) => "add to",
            Self::LeaveGroup(..) => "leave",
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
            Self::CreateGroup(_, group) => format!("group {}", group.name),
            Self::AddToGroup(scope, name, _) | Self::LeaveGroup(scope, name) => {
                format!("group {name} {scope}")
            }
            Self::CancelProposal(_, id) => id.to_string(),
            Self::RunSchedule(target, name)
            | Self::PauseSchedule(target, name)
            | Self::ResumeSchedule(target, name)
            | Self::ClearSchedule(target, name) => format!("schedule {name} of {target}"),
            Self::SetSchedule(set) => {
                format!("schedule {} of {}", schedule_name(set), set.target)
            }
            Self::Each(acts) => {
                let what = if self.is_on_messages() { "messages" } else { "agents" };
                format!("{} {what}", acts.len())
            }
            Self::StartDaemon => String::new(),
        }
    }

    /// Whether it is done to messages, each by itself.
    pub fn is_on_messages(&self) -> bool {
        match self {
            Self::Each(acts) => acts.iter().all(Self::is_on_messages),
            Self::Drop(_) | Self::RetryMessage(_) | Self::ReleaseMessage(_) => true,
            _ => false,
        }
    }

    /// What has to be typed before it is done.
    pub fn typed(&self) -> String {
        match self {
            Self::StopWorkflow(scope) => scope.to_string().trim_start_matches('@').to_owned(),
            Self::Drop(_) | Self::CancelProposal(..) => self.object(),
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
            Self::Remove(target) => format!("agent-worker rm {target}"),
            Self::StopWorkflow(scope) => format!("agent-worker stop {scope}"),
            Self::ResumeWorkflow(scope) => format!("agent-worker resume {scope}"),
            Self::RetryRun(_) | Self::RetryMail(_) | Self::RetryMessage(_) => {
                format!("agent-worker retry {}", self.object())
            }
            Self::Resume(_) | Self::Release(_) | Self::ReleaseMessage(_) | Self::Drop(_) => {
                format!("agent-worker {} {}", self.verb(), self.object())
            }
            Self::Choose(id, answer) | Self::Answer(id, answer) => {
                format!("agent-worker answer {id} {}", quoted(answer))
            }
            Self::Vote { proposal, choice, reason, .. } => {
                let why = reason.as_deref().map(|why| format!(" --reason {}", quoted(why)));
                let why = why.unwrap_or_default();
                format!("agent-worker proposal vote {proposal} {}{why}", quoted(choice))
            }
            Self::CreateGroup(scope, group) => created_in_a_shell(scope, group),
            Self::AddToGroup(scope, group, names) => {
                format!("agent-worker group add {group} {} --in {scope}", list(names))
            }
            Self::LeaveGroup(scope, group) => {
                format!("agent-worker group leave {group} --in {scope}")
            }
            Self::CancelProposal(_, id) => format!("agent-worker proposal cancel {id}"),
            Self::RunSchedule(target, name)
            | Self::PauseSchedule(target, name)
            | Self::ResumeSchedule(target, name)
            | Self::ClearSchedule(target, name) => {
                format!("agent-worker schedule {target} {} {name}", self.verb())
            }
            Self::SetSchedule(set) => set_in_a_shell(set),
            Self::Each(acts) => acts.iter().map(Self::shell).collect::<Vec<_>>().join("; "),
            Self::StartDaemon => "agent-worker daemon".to_owned(),
        }
    }

    /// What the text that it sends was written for, if it was written in a box.
    pub fn purpose(&self) -> Option<Purpose> {
        match self {
            Self::Answer(id, _) => Some(Purpose::Answer(*id)),
            Self::Vote { scope, proposal, .. } => Some(Purpose::Vote(scope.clone(), *proposal)),
            _ => None,
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
            Self::Release(_) => format!("released deliveries of {}", self.object()),
            Self::ReleaseMessage(_) => format!("released {}", self.object()),
            Self::Drop(_) => format!("dropped {}", self.object()),
            Self::Choose(id, _) | Self::Answer(id, _) => format!("answered {id}"),
            Self::Vote { .. } => format!("voted {}", self.object()),
            Self::CreateGroup(..) => format!("created {}", self.object()),
            Self::AddToGroup(_, group, names) => format!("{} in group {group}", list(names)),
            Self::LeaveGroup(..) => format!("left {}", self.object()),
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

/// The name of a schedule that is set; the daemon's default if it has none.
fn schedule_name(set: &ScheduleSet) -> String {
    set.name.as_ref().map_or_else(|| "main".to_owned(), ToString::to_string)
}

fn list<T: ToString>(names: &[T]) -> String {
    names.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

fn created_in_a_shell(scope: &Scope, group: &GroupCreate) -> String {
    let GroupCreate { name, members, wake } = group;
    let wake = if *wake == Some(Wake::All) { " --wake all" } else { "" };
    let members = list(members);
    let space = if members.is_empty() { "" } else { " " };
    format!("agent-worker group create {name}{space}{members} --in {scope}{wake}")
}

fn set_in_a_shell(set: &ScheduleSet) -> String {
    let name = set.name.as_ref().map(|name| format!(" --name {name}")).unwrap_or_default();
    let prompt = set.prompt.as_ref().map(|prompt| format!(" --prompt {}", quoted(prompt)));
    let prompt = prompt.unwrap_or_default();
    let when = quoted(&set.spec.to_string());
    format!("agent-worker schedule {} set {when}{name}{prompt}", set.target)
}
