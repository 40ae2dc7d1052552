//! What comes in.

use agent_worker_client::{ClientError, FeedItem};
use agent_worker_protocol::{OutputEvent, RunId, Snapshot};

use crate::{
    clipboard::Taken,
    key::Key,
    keys::Keymap,
    model::{
        Answer, Display, Focus, NavId, Outside, Purpose, Reach, Request, RequestError, Roots,
        Settings,
    },
    mouse::Mouse,
};

#[derive(Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(Key),
    /// Keys came faster than anybody types.
    Burst(Vec<Key>),
    /// A text was pasted.
    Paste(String),
    /// The mouse did something.
    Mouse(Mouse),
    /// The terminal has another size.
    Resize(u16, u16),
    /// The terminal got focus, or lost it.
    Focus(bool),
    /// The terminal said whether its background is light.
    Background(bool),
    /// The terminal takes some symbols for two cells.
    WideSymbols,
    Tick,
    /// The daemon comes onto the screen.
    TurnedTo(Box<Turn>),
    /// What is known of where the daemon is.
    Reach(Reach, Option<String>),
    /// The feed says something.
    Feed(FeedItem),
    /// The feed has ended for good.
    FeedEnded(ClientError),
    /// The snapshot that was asked for.
    Snapshot(Result<Box<Snapshot>, RequestError>),
    /// In how long the connection is tried again, ms.
    RetryIn(i64),
    /// Whether the terminal took a text, how many characters it has, and in which file it is.
    Copied(Taken, usize, String),
    /// A run's transcript grows.
    Output(RunId, OutputEvent),
    /// The daemon has answered.
    Answer(Box<Request>, Answer),
    /// A draft is on disk.
    Saved(Purpose, String),
    /// Another control room has a text for the same.
    AlsoOpen(Purpose),
    /// Control rooms that have ended left these texts, which are with the sent messages now.
    Left(Vec<(Purpose, String)>),
    /// Something could not be kept on disk.
    NotSaved(String),
    /// A draft could not be kept on disk. It is tried again.
    DraftNotSaved(Purpose, String),
    /// The daemon could not be started.
    NotStarted(String),
    /// A program outside has ended.
    Outside(Outside, Result<String, String>),
}

/// What a daemon that comes onto the screen takes over from the one before it.
#[derive(Debug)]
pub struct Turn {
    /// The line of its tree that is selected
    pub line: NavId,
    pub focus: Focus,
    pub display: Display,
    pub chosen: Settings,
    pub keymap: Keymap,
    pub roots: Roots,
}
