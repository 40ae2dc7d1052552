//! What the main pane shows: a subject, and one of its tabs.

use std::hash::Hash;

use agent_worker_protocol::{
    Conversation, MessageId, ProposalId, RunId, ScheduleId, Scope, Target,
};

use serde::{Deserialize, Serialize};

use crate::keys::Context;

/// What it is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    All,
    Workflow(Scope),
    Agent(Target),
    /// A conversation other than a workflow's channel.
    Talk(Scope, Conversation),
}

/// One view of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tab {
    Channel,
    Agents,
    Documents,
    Proposals,
    Schedules,
    Events,
    Runs,
    Cost,
    Run,
    Inbox,
    Queue,
    History,
    Prompt,
    Info,
    Messages,
    Members,
}

/// Which part of the screen keys go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Focus {
    #[default]
    Nav,
    /// What the selection is about.
    Main,
    /// The panel beside it.
    Dock,
}

/// What is selected in a place that is gone to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Item {
    /// A message of a conversation.
    Message(MessageId),
    /// A document, by its path.
    Document(String),
    Proposal(ProposalId),
    Schedule(ScheduleId),
    /// A run of the agent.
    Run(RunId),
}

/// What was gone to from a search in everything.
#[derive(Debug)]
pub struct Sought {
    pub place: Place,
    pub item: Item,
    /// The word that was found in it; may be empty
    pub word: String,
}

/// A subject with a tab.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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

    /// The agent that it is.
    pub fn agent(&self) -> Option<&Target> {
        match self {
            Self::Agent(target) => Some(target),
            _ => None,
        }
    }

    /// Its tabs, in order.
    pub fn tabs(&self) -> &'static [Tab] {
        match self {
            Self::All => &[Tab::Agents, Tab::Runs, Tab::Events, Tab::Schedules, Tab::Cost],
            Self::Workflow(_) => &[
                Tab::Channel,
                Tab::Agents,
                Tab::Documents,
                Tab::Proposals,
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

/// Each tab: what it is called, what where there is little room, and where its keys are.
const TABS: [(Tab, &str, &str, Option<Context>); 16] = [
    (Tab::Channel, "Channel", "Channel", Some(Context::Channel)),
    (Tab::Agents, "Agents", "Agents", Some(Context::Agents)),
    (Tab::Documents, "Docs", "Docs", Some(Context::Documents)),
    (Tab::Proposals, "Votes", "Votes", Some(Context::Votes)),
    (Tab::Schedules, "Sched", "Sched", Some(Context::Schedules)),
    (Tab::Events, "Events", "Events", Some(Context::Events)),
    (Tab::Runs, "Runs", "Runs", Some(Context::Runs)),
    (Tab::Cost, "Cost", "Cost", Some(Context::Cost)),
    (Tab::Run, "Run", "Run", Some(Context::Run)),
    (Tab::Inbox, "Inbox", "Inbox", Some(Context::Inbox)),
    (Tab::Queue, "Queue", "Queue", Some(Context::Inbox)),
    (Tab::History, "History", "Hist", Some(Context::Runs)),
    (Tab::Prompt, "Prompt", "Prompt", Some(Context::Run)),
    (Tab::Info, "Info", "Info", None),
    (Tab::Messages, "Messages", "Messages", Some(Context::Channel)),
    (Tab::Members, "Members", "Members", Some(Context::Members)),
];

impl Tab {
    /// What it is called, and what where there is little room.
    pub fn label(self) -> (&'static str, &'static str) {
        let (_, long, short, _) = TABS[self as usize];
        (long, short)
    }

    /// Where its keys are.
    pub fn context(self) -> Option<Context> {
        TABS[self as usize].3
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

    /// What is said in a conversation.
    pub fn of_conversation(scope: &Scope, conversation: &Conversation) -> Self {
        match conversation {
            Conversation::Channel => Self::at(Subject::Workflow(scope.clone()), Tab::Channel),
            other => Self::of(Subject::Talk(scope.clone(), other.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_stand_in_the_table_in_their_order() {
        assert!(TABS.iter().enumerate().all(|(at, (tab, ..))| *tab as usize == at));
    }
}
