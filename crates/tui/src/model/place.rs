//! What the main pane shows: a subject, and one of its tabs.

use agent_worker_protocol::{
    conversation::Conversation,
    target::{Scope, Target},
};

use crate::keys::Context;

/// What it is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// Everything.
    All,
    /// A workflow.
    Workflow(Scope),
    /// An agent.
    Agent(Target),
    /// A conversation other than a workflow's channel.
    Talk(Scope, Conversation),
}

/// One view of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tab {
    Channel,
    Agents,
    Documents,
    Votes,
    Schedules,
    Events,
    Runs,
    Run,
    Inbox,
    Queue,
    History,
    Prompt,
    Info,
    Messages,
    Members,
}

/// A subject with a tab.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// What it is about
    pub subject: Subject,
    /// Which view of it
    pub tab: Tab,
}

impl Subject {
    /// Where it is; of everything nowhere.
    pub fn scope(&self) -> Option<&Scope> {
        match self {
            Self::All => None,
            Self::Workflow(scope) | Self::Talk(scope, _) => Some(scope),
            Self::Agent(target) => target.scope.as_ref(),
        }
    }

    /// Its tabs, in order.
    pub fn tabs(&self) -> &'static [Tab] {
        match self {
            Self::All => &[Tab::Agents, Tab::Runs, Tab::Events, Tab::Schedules],
            Self::Workflow(_) => &[
                Tab::Channel,
                Tab::Agents,
                Tab::Documents,
                Tab::Votes,
                Tab::Schedules,
                Tab::Events,
            ],
            Self::Agent(_) => {
                &[Tab::Run, Tab::Inbox, Tab::Queue, Tab::History, Tab::Prompt, Tab::Info]
            }
            Self::Talk(..) => &[Tab::Messages, Tab::Members],
        }
    }

    /// The conversation that is written to and read here, if it has one.
    pub fn conversation(&self) -> Option<(Scope, Conversation)> {
        match self {
            Self::Workflow(scope) => Some((scope.clone(), Conversation::Channel)),
            Self::Talk(scope, conversation) => Some((scope.clone(), conversation.clone())),
            _ => None,
        }
    }
}

impl Tab {
    /// What it is called, and what where there is little room.
    pub fn label(self) -> (&'static str, &'static str) {
        match self {
            Self::Channel => ("Channel", "Channel"),
            Self::Agents => ("Agents", "Agents"),
            Self::Documents => ("Docs", "Docs"),
            Self::Votes => ("Votes", "Votes"),
            Self::Schedules => ("Sched", "Sched"),
            Self::Events => ("Events", "Events"),
            Self::Runs => ("Runs", "Runs"),
            Self::Run => ("Run", "Run"),
            Self::Inbox => ("Inbox", "Inbox"),
            Self::Queue => ("Queue", "Queue"),
            Self::History => ("History", "Hist"),
            Self::Prompt => ("Prompt", "Prompt"),
            Self::Info => ("Info", "Info"),
            Self::Messages => ("Messages", "Messages"),
            Self::Members => ("Members", "Members"),
        }
    }

    /// Where its keys are.
    pub fn context(self) -> Option<Context> {
        Some(match self {
            Self::Channel | Self::Messages => Context::Channel,
            Self::Agents => Context::Agents,
            Self::Documents => Context::Documents,
            Self::Votes => Context::Votes,
            Self::Schedules => Context::Schedules,
            Self::Events => Context::Events,
            Self::Runs | Self::History => Context::Runs,
            Self::Run | Self::Prompt => Context::Run,
            Self::Inbox | Self::Queue => Context::Inbox,
            Self::Info | Self::Members => return None,
        })
    }
}

impl Place {
    /// The first tab of a subject.
    pub fn of(subject: Subject) -> Self {
        let tab = subject.tabs()[0];
        Self { subject, tab }
    }

    /// A tab of a subject.
    pub fn at(subject: Subject, tab: Tab) -> Self {
        Self { subject, tab }
    }
}
