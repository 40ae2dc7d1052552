//! All panes, and which tab is whose.

use super::{
    agents::Agents, conversation::Talking, cost::Costs, documents::Documents, events::Log,
    inbox::Inbox, info::Infos, members::Members, pane::Pane, proposals::Proposals,
    run::Transcripts, runs::History, schedules::Schedules, search::Search,
};
use crate::model::{Request, Tab};

/// What the panes keep for themselves.
#[derive(Debug, Default)]
pub struct Panes {
    /// The table of agents
    pub agents: Agents,
    pub conversation: Talking,
    pub run: Transcripts,
    pub inbox: Inbox,
    pub members: Members,
    pub runs: History,
    /// What was used
    pub cost: Costs,
    pub documents: Documents,
    pub proposals: Proposals,
    /// When agents run by themselves
    pub schedules: Schedules,
    pub events: Log,
    pub info: Infos,
    /// What was searched for in everything
    pub search: Search,
}

/// Each pane with its tabs.
macro_rules! tabs {
    ($self:ident, $tab:expr, $($borrow:tt)+) => {
        match $tab {
            Tab::Channel | Tab::Messages => $($borrow)+ $self.conversation,
            Tab::Agents => $($borrow)+ $self.agents,
            Tab::Documents => $($borrow)+ $self.documents,
            Tab::Proposals => $($borrow)+ $self.proposals,
            Tab::Schedules => $($borrow)+ $self.schedules,
            Tab::Run | Tab::Prompt => $($borrow)+ $self.run,
            Tab::Inbox | Tab::Queue => $($borrow)+ $self.inbox,
            Tab::History | Tab::Runs => $($borrow)+ $self.runs,
            Tab::Cost => $($borrow)+ $self.cost,
            Tab::Events => $($borrow)+ $self.events,
            Tab::Info => $($borrow)+ $self.info,
            Tab::Members => $($borrow)+ $self.members,
        }
    };
}

impl Panes {
    /// The pane of a tab.
    pub fn of(&self, tab: Tab) -> &dyn Pane {
        tabs!(self, tab, &)
    }

    /// The pane of a tab, to be changed.
    pub fn of_mut(&mut self, tab: Tab) -> &mut dyn Pane {
        tabs!(self, tab, &mut)
    }

    /// All that hear of events, in order.
    pub fn each(&mut self) -> [&mut dyn Pane; 10] {
        [
            &mut self.agents,
            &mut self.conversation,
            &mut self.run,
            &mut self.inbox,
            &mut self.runs,
            &mut self.documents,
            &mut self.proposals,
            &mut self.schedules,
            &mut self.events,
            &mut self.info,
        ]
    }

    /// The pane that asks this; none if no pane does.
    pub fn asker(&mut self, request: &Request) -> Option<&mut dyn Pane> {
        Some(match request {
            Request::Page(..)
            | Request::Find { .. }
            | Request::Since(..)
            | Request::Story(..)
            | Request::Read(..) => &mut self.conversation,
            Request::Inbox(_) | Request::Unfinished(_) | Request::Queue(_) => &mut self.inbox,
            Request::Runs(..) => &mut self.runs,
            Request::Run(_) => &mut self.run,
            Request::Agent(_) => &mut self.info,
            Request::Log(..) => &mut self.events,
            Request::Proposals(..) => &mut self.proposals,
            Request::Schedules(_) => &mut self.schedules,
            Request::Document(..) | Request::Versions(..) | Request::Save { .. } => {
                &mut self.documents
            }
            _ => return None,
        })
    }
}
