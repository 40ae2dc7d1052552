//! What can happen to a team, one thing at a time. A step names runs and messages by random
//! numbers that point to one of those there are, so a history stays one when steps are left out.

use agent_worker_protocol::{Limits, MemberKind};

use crate::{ops::tests::model::spec::File, rows::run::EndCause};

/// The agents that a team may have.
pub const NAMES: [&str; 5] = ["alice", "bob", "carol", "dave", "erin"];

/// A message to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Post {
    pub to: Vec<&'static str>,
    /// The words after an `@`
    pub names: Vec<&'static str>,
    /// Which text; none at all is refused
    pub words: Option<u8>,
    pub is_long: bool,
    pub is_inform: bool,
    /// The number of the message it answers
    pub answers: Option<i64>,
}

/// Who does something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Person,
    /// The person, to a member that the request's target names
    PersonTo(&'static str),
    /// The operator in the name of a member
    Outside(&'static str),
    /// The run that the step points to
    Run,
}

/// How a run ends.
#[derive(Debug, Clone)]
pub enum End {
    Success(Option<Post>),
    Failure(EndCause, Option<i64>),
}

/// What the person does with mail that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    Retry,
    Drop,
    Release,
}

/// Which mail the person means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    Agent(&'static str),
    Team,
    /// The message that the step points to
    Message,
}

/// How a setup ends.
#[derive(Debug, Clone)]
pub enum Setup {
    Done(Option<Post>),
    NothingToDo,
    Failed,
}

/// How the clock moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    By(i64),
    /// To the next time at which something is due
    NextDue,
}

#[derive(Debug, Clone)]
pub enum Step {
    Send(By, Post),
    Ask(&'static str),
    Claim {
        is_backlog_open: bool,
    },
    Inbox(By, Option<u32>),
    Ack(By),
    Note {
        started: bool,
        tokens: i64,
        cents: i64,
    },
    Label,
    Finish(End),
    BeginEnd(EndCause, Option<i64>),
    /// The supervisor ends the runs whose time is over
    EndDue,
    Cancel,
    Stop {
        agent: &'static str,
        now: bool,
    },
    Resume(&'static str),
    Wake(&'static str),
    Remove(&'static str),
    Create(&'static str, MemberKind),
    Kept(Verb, Named),
    RetryRun,
    Limits(Limits),
    StopAll {
        now: bool,
    },
    ResumeAll,
    Start(File),
    EndSetup(Setup),
    ShutDown,
    Restart,
    Sweep,
    Clock(Move),
    /// The person has read the conversation that the step points to
    Read,
}

/// What becomes of a step and of the daemon that does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is done and answered.
    Answered,
    /// The daemon dies before it is committed, and another begins.
    Lost {
        /// Whether who asked for it asks again
        again: bool,
    },
    /// The daemon dies before it is answered, and another begins.
    Unanswered {
        /// Whether who asked for it asks again
        again: bool,
    },
}

/// A step, and what it points to.
#[derive(Debug, Clone)]
pub struct Turn {
    pub step: Step,
    pub fate: Fate,
    /// A run
    pub run: u32,
    /// A message, or a conversation
    pub message: u32,
}

impl Turn {
    /// A step that points to nothing of its own.
    pub fn of(step: Step) -> Self {
        Self { step, fate: Fate::Answered, run: 1, message: 0 }
    }
}

impl Step {
    /// Whether a client requests the step from the daemon, and so may repeat the request.
    pub fn is_request(&self) -> bool {
        !matches!(
            self,
            Self::Claim { .. }
                | Self::Note { .. }
                | Self::Finish(_)
                | Self::BeginEnd(..)
                | Self::EndDue
                | Self::EndSetup(_)
                | Self::ShutDown
                | Self::Restart
                | Self::Sweep
                | Self::Clock(_)
        )
    }

    /// Whether it is a run that asks for it.
    pub fn is_of_run(&self) -> bool {
        match self {
            Self::Send(by, _) | Self::Inbox(by, _) | Self::Ack(by) => *by == By::Run,
            step => matches!(step, Self::Label),
        }
    }
}

impl Post {
    pub fn text(&self) -> String {
        let mut text = String::new();
        let Some(words) = self.words else { return text };
        for name in &self.names {
            text.push('@');
            text.push_str(name);
            text.push(' ');
        }
        text.push_str("number ");
        text.push(char::from(b'0' + words));
        if self.is_long {
            text.push_str(&" and so on".repeat(8));
        }
        text
    }
}
