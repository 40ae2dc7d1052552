//! The model of a team: what semantics.md §4–§8 say of messages, deliveries, runs, agents and
//! their workflow, as plain data. Nothing here knows of tables.

use agent_worker_protocol::{
    AgentState, DeliveryState, FailureClass, Limits, MemberKind, Mode, Reason, RunKind, RunState,
    Wanted, WorkflowState,
};

use crate::{ops::tests::model::spec::Numbers, rows::run::EndCause};

/// An operation that is refused changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused;

/// Why mail is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    Hops,
    Pair,
    Repetition,
    Runs,
    Budget,
    Cancelled,
    Lost,
}

/// A member, also after its removal. Members are identified by their place in the list.
#[derive(Debug, Clone)]
pub struct Member {
    pub name: String,
    pub kind: MemberKind,
    pub is_of_file: bool,
    pub is_removed: bool,
    pub wanted: Wanted,
    pub not_before: Option<i64>,
    /// The person asked for a run without due mail.
    pub is_woken: bool,
    pub away: Option<Away>,
    /// How many of its runs had ended when it was last made active.
    pub forgiven_runs: usize,
    pub label: Option<String>,
}

/// A model that runs in a row have found away.
#[derive(Debug, Clone, Copy)]
pub struct Away {
    pub since: i64,
    pub count: u32,
    /// A run that begins later does not tell whether it was away all along.
    pub until: i64,
}

/// A conversation: the channel (the first one), or two members with each other.
#[derive(Debug, Clone)]
pub struct Talk {
    /// The two; none for the channel.
    pub pair: Option<[usize; 2]>,
    pub is_closed: bool,
    pub messages: i64,
    pub last_seq: i64,
    pub read_seq: i64,
    pub read_messages: i64,
    /// What the user wrote after the last message it has read
    pub own_later: i64,
}

/// A message. Its number is its place in the list, from 1.
#[derive(Debug, Clone)]
pub struct Message {
    pub talk: usize,
    /// None is the daemon.
    pub sender: Option<usize>,
    pub run: Option<usize>,
    pub text: String,
    pub is_request: bool,
    pub calls_all: bool,
    pub hop: i64,
    pub root: i64,
    pub reply_to: Option<i64>,
}

/// A message for one recipient.
#[derive(Debug, Clone)]
pub struct Mail {
    pub to: usize,
    pub seq: i64,
    pub talk: usize,
    pub from: Option<usize>,
    pub reason: Reason,
    pub wakes: bool,
    pub is_solo: bool,
    pub state: DeliveryState,
    /// The run that has it, or had it last.
    pub run: Option<usize>,
    pub attempts: i64,
    pub lost: i64,
    pub marked_by: Option<usize>,
    pub not_before: Option<i64>,
    pub held: Option<Held>,
    /// The person let it through.
    pub is_released: bool,
    pub hop: i64,
    pub root: i64,
    pub bytes: usize,
    pub sent_at: i64,
}

/// A run. Its number is its place in the list, from 1.
#[derive(Debug, Clone)]
pub struct Run {
    pub member: usize,
    pub kind: RunKind,
    pub generation: i64,
    pub talk: usize,
    pub cause: Option<i64>,
    pub attempt: i64,
    /// The run that had its first mail before.
    pub before: Option<usize>,
    pub is_alone: bool,
    /// All that was ever leased to it, as places in the list of mail.
    pub mail: Vec<usize>,
    /// The newest message when mail that wakes was last leased to it.
    pub leased_at: i64,
    pub hop: i64,
    pub root: Option<i64>,
    pub state: RunState,
    pub class: Option<FailureClass>,
    /// How it will have failed.
    pub planned: Option<(EndCause, Option<i64>)>,
    pub end_by: Option<i64>,
    pub tokens: Option<i64>,
    pub cents: Option<i64>,
    pub begun: i64,
    /// When a member outside was last heard of.
    pub heard: i64,
    pub ended: Option<i64>,
}

/// The workflow.
#[derive(Debug, Clone)]
pub struct Workflow {
    pub mode: Mode,
    pub state: WorkflowState,
    pub generation: i64,
    pub is_kicked_off: bool,
    pub limits: Limits,
    pub tokens: i64,
    pub cents: i64,
    pub runs: i64,
    pub running_for: i64,
    pub running_since: Option<i64>,
}

/// The whole of it.
#[derive(Debug, Clone)]
pub struct Team {
    pub now: i64,
    pub numbers: Numbers,
    pub workflow: Workflow,
    pub members: Vec<Member>,
    pub talks: Vec<Talk>,
    pub messages: Vec<Message>,
    pub mail: Vec<Mail>,
    pub runs: Vec<Run>,
    /// The daemon was asked to stop
    pub is_stopping: bool,
}

/// The person is the first member of every scope.
pub const PERSON: usize = 0;

/// The channel is its first conversation.
pub const CHANNEL: usize = 0;

/// What was noted farther ahead was noted before the clock was set back.
const AHEAD: i64 = 3_600_000;

/// Whether mail waits for its recipient.
pub fn is_open(state: DeliveryState) -> bool {
    matches!(state, DeliveryState::Pending | DeliveryState::Waiting)
}

impl Mail {
    pub fn is_open(&self) -> bool {
        is_open(self.state)
    }

    /// Mail that was tried before runs alone, one at a time.
    pub fn was_tried(&self) -> bool {
        self.attempts > 0 || self.lost > 0
    }

    pub fn needs_own_run(&self) -> bool {
        self.is_solo || self.was_tried()
    }

    /// What may be leased beside other mail: no `ask`, and nothing that wakes and was tried.
    pub fn rides_along(&self) -> bool {
        self.state == DeliveryState::Pending && !self.is_solo && !(self.wakes && self.was_tried())
    }
}

impl Member {
    pub fn works(&self) -> bool {
        matches!(self.kind, MemberKind::Agent | MemberKind::External)
    }
}

impl Run {
    pub fn is_live(&self) -> bool {
        self.state.is_live()
    }
}

impl Team {
    /// The member of this name.
    pub fn named(&self, name: &str) -> Result<usize, Refused> {
        let is_it = |member: &Member| !member.is_removed && member.name == name;
        self.members.iter().position(is_it).ok_or(Refused)
    }

    /// The agent of this name: the person is none.
    pub fn agent(&self, name: &str) -> Result<usize, Refused> {
        self.named(name).ok().filter(|member| *member != PERSON).ok_or(Refused)
    }

    /// All members that are there.
    pub fn present(&self) -> Vec<usize> {
        (0..self.members.len()).filter(|member| !self.members[*member].is_removed).collect()
    }

    /// Who is in a conversation.
    pub fn present_in(&self, talk: usize) -> Vec<usize> {
        let mut members = self.present();
        if let Some(pair) = self.talks[talk].pair {
            members.retain(|member| pair.contains(member));
        }
        members
    }

    pub fn live_run(&self, member: usize) -> Option<usize> {
        self.runs.iter().position(|run| run.member == member && run.is_live())
    }

    pub fn live_runs(&self) -> Vec<usize> {
        (0..self.runs.len()).filter(|run| self.runs[*run].is_live()).collect()
    }

    /// Live runs that have a process.
    pub fn runs_inside(&self) -> Vec<usize> {
        let mut live = self.live_runs();
        live.retain(|run| self.runs[*run].kind != RunKind::External);
        live
    }

    /// The mail of a member that `fits`, in the order of its messages.
    pub fn mail_of(&self, member: usize, fits: impl Fn(&Mail) -> bool) -> Vec<usize> {
        let is_it = |at: &usize| self.mail[*at].to == member && fits(&self.mail[*at]);
        (0..self.mail.len()).filter(is_it).collect()
    }

    /// What a run has now.
    pub fn leased(&self, run: usize) -> Vec<usize> {
        let is_leased = |at: &usize| {
            self.mail[*at].state == DeliveryState::Leased && self.mail[*at].run == Some(run)
        };
        let mut mail: Vec<usize> = self.runs[run].mail.iter().copied().filter(is_leased).collect();
        mail.sort_by_key(|at| self.mail[*at].seq);
        mail
    }

    pub fn newest_seq(&self) -> i64 {
        i64::try_from(self.messages.len()).expect("there are few messages")
    }

    pub fn message(&self, seq: i64) -> &Message {
        &self.messages[usize::try_from(seq - 1).expect("messages count from 1")]
    }

    /// Whether a time has come, or lies so far ahead that the clock was set back since.
    pub fn has_come(&self, at: Option<i64>, longest: i64) -> bool {
        at.is_none_or(|at| at <= self.now || at > self.now + longest)
    }

    /// Whether a time that was noted lies so far ahead that the clock was set back since.
    pub fn is_far_ahead(&self, noted: i64) -> bool {
        noted > self.now + AHEAD
    }

    pub fn is_due(&self, mail: &Mail) -> bool {
        mail.wakes && mail.is_open() && self.has_come(mail.not_before, self.numbers.longest_retry)
    }

    pub fn has_waking_mail(&self, member: usize) -> bool {
        !self.mail_of(member, |mail| mail.wakes && mail.is_open()).is_empty()
    }

    /// Whether new waking mail would start its recipient.
    pub fn takes_work(&self) -> bool {
        match self.workflow.state {
            WorkflowState::Running => true,
            WorkflowState::Completed | WorkflowState::Failed | WorkflowState::Stalled => {
                self.workflow.is_kicked_off
            }
            _ => false,
        }
    }

    /// What people see an agent do.
    pub fn shown_state(&self, index: usize) -> AgentState {
        let member = &self.members[index];
        if !member.works() {
            return AgentState::Idle;
        }
        match member.wanted {
            Wanted::Paused => return AgentState::Paused,
            Wanted::Stopped => return AgentState::Stopped,
            Wanted::Active if self.live_run(index).is_some() => return AgentState::Running,
            Wanted::Active => {}
        }
        if self.workflow.state != WorkflowState::Running {
            return AgentState::Idle;
        }
        let waking = self.mail_of(index, |mail| mail.wakes && mail.is_open());
        let is_ready = waking.iter().any(|at| self.mail[*at].not_before.is_none());
        if member.not_before.is_some() {
            AgentState::Backoff
        } else if is_ready || member.is_woken {
            AgentState::Queued
        } else if waking.is_empty() {
            AgentState::Idle
        } else {
            AgentState::Backoff
        }
    }

    /// Moves mail along an edge of §5.
    pub fn go(&mut self, at: usize, to: DeliveryState) {
        use agent_worker_protocol::inbox::DeliveryState::Acked;
        use agent_worker_protocol::inbox::DeliveryState::Dead;
        use agent_worker_protocol::inbox::DeliveryState::Dropped;
        use agent_worker_protocol::inbox::DeliveryState::Held;
        use agent_worker_protocol::inbox::DeliveryState::Leased;
        use agent_worker_protocol::inbox::DeliveryState::Pending;
        use agent_worker_protocol::inbox::DeliveryState::Waiting;
        let mail = &mut self.mail[at];
        let is_edge = match mail.state {
            Pending if mail.to == PERSON => to == Acked,
            Pending | Waiting => matches!(to, Leased | Held | Dropped),
            Leased => matches!(to, Acked | Waiting | Pending | Held | Dead | Dropped),
            Held | Dead => matches!(to, Pending | Dropped),
            Acked | Dropped => false,
        };
        assert!(is_edge, "the model sends msg_{} from {:?} to {to:?}", mail.seq, mail.state);
        mail.state = to;
        mail.not_before = None;
        mail.held = None;
    }

    /// Holds mail that a budget does not allow. A question is dropped instead: its asker no longer
    /// waits.
    pub fn refuse(&mut self, at: usize) {
        if self.mail[at].is_solo {
            self.go(at, DeliveryState::Dropped);
        } else {
            self.hold(at, Held::Budget);
        }
    }

    pub fn hold(&mut self, at: usize, why: Held) {
        self.go(at, DeliveryState::Held);
        self.mail[at].held = Some(why);
    }
}
