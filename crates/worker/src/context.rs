//! What a run is given to work with, pulled from the daemon.

use agent_worker_protocol::{
    agent::{Team, TeamMembers},
    channel::{ChannelRead, Messages},
    document::{DocRead, DocumentText},
    inbox::{InboxPage, MyInbox},
};

use crate::tools::{NotDone, Tools};

/// Messages to handle, and their context.
#[derive(Debug, Clone)]
pub struct Context {
    /// The mail of this run.
    pub inbox: InboxPage,
    /// The newest messages of the channel.
    pub channel: Messages,
    /// Document of the team, if it exists.
    pub document: Option<DocumentText>,
    pub team: Team,
}

impl Context {
    /// Asks the daemon for all of it. The mail comes first: what is asked for later is newer, so
    /// nothing falls between.
    pub async fn pull(tools: &Tools) -> Result<Self, NotDone> {
        let inbox = tools.ask(&MyInbox::in_full()).await?;
        let channel = tools.ask(&ChannelRead::of_prompt()).await?;
        let document = match tools.ask(&DocRead::of_prompt()).await {
            Err(NotDone::Refused { .. }) => None,
            document => Some(document?),
        };
        let team = tools.ask(&TeamMembers {}).await?;
        Ok(Self { inbox, channel, document, team })
    }

    /// The whole text of the mail.
    pub fn mail(&self) -> String {
        let texts = self.inbox.messages.iter().map(|mail| mail.message.content.as_str());
        texts.collect::<Vec<_>>().join("\n")
    }
}
