//! What panes and overlays want done elsewhere. The app performs what is its own, until only what
//! the event loop does is left.

use agent_worker_protocol::{
    ByHand, Conversation, Explanation, Message, MessageId, Name, Proposal, Question, RunId,
    Schedule, Scope, Target,
};

use super::{
    Act, Address, Draft, Item, Layout, NavId, Place, Purpose, Request, RequestError, Subject, Tab,
};
use crate::{action::Action, paint::Row, text::fenced::Block};

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Show a place, with this selected in it.
    Go(Place, Option<Item>),
    /// Bring another daemon onto the screen, with this line of its tree selected.
    TurnTo(usize, NavId),
    /// Put something over the panes.
    Open(Window),
    /// Ask before an act in its tier, or do it.
    Act(Act),
    /// The same for what a window is about, which then goes away; it stays if nothing can be done.
    Settle(Act),
    /// Do an act that was confirmed.
    Perform(Act),
    /// Do what a key does.
    Do(Action),
    /// Open the composer for this address, and append a text to its draft, as a reply to a message.
    Write(Address, String, Option<MessageId>),
    /// Move the text to another address.
    Retarget(Address),
    Ask(Request),
    /// Ask for a new snapshot, after this many milliseconds.
    Fetch(u64),
    /// Follow a run's transcript.
    Follow(RunId),
    /// Follow it no more.
    Unfollow(RunId),
    /// Try the connection now.
    Retry,
    StartDaemon,
    Store(Record),
    /// Save the layout of the screen under this name.
    SaveLayout(String),
    /// Arrange the screen as it was saved under this name.
    Arrange(String),
    /// Put a text on the clipboard.
    Copy(String),
    Bell,
    /// Call the window this.
    Title(String),
    /// Take the mouse, or give it back.
    Mouse(bool),
    Redraw,
    Suspend,
    /// Another program gets the terminal for a while.
    Outside(Outside),
    /// The end, with this exit code.
    Quit(i32),
}

/// What outlives the program, on disk.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    /// A text that was not sent; one without a text is removed.
    Draft(Purpose, Draft),
    /// A text that was sent.
    Sent(String),
    /// A text that was typed behind a message that was not sent: it is offered with those that were.
    Unsent(Purpose, String),
    /// A filter that was written.
    Filter(String),
    /// Columns, layouts and bookmarks.
    Layout(Layout),
    /// A setting of the screen, in `config.toml`.
    Setting(&'static str, String),
    /// The keys of an action of a context, there; `None`: its default ones.
    Keys(&'static str, &'static str, Option<Vec<String>>),
}

/// What can lie over the panes.
#[derive(Debug, Clone, PartialEq)]
pub enum Window {
    Help,
    Palette,
    /// Everything with a name.
    Jump,
    /// What can be done with the selected thing.
    Menu,
    /// What of the shown pane is shown.
    Filters,
    /// Whom the text is for.
    Retarget,
    /// What lines of the tree must hold.
    TreeFilter,
    /// What is looked for in a conversation, with what was looked for last.
    SearchConversation(String),
    /// A time, to go to in a conversation.
    Moment,
    /// What lines of the shown table must be like.
    FilterTable(&'static [&'static str]),
    /// By what the shown table is sorted.
    Sort(&'static [&'static str]),
    /// Which columns of the shown table are shown, with this one marked.
    Columns(Option<&'static str>),
    /// What was bookmarked.
    Bookmarks,
    /// Saved layouts.
    Layouts,
    /// A name for the layout of the screen, or another one for this saved one.
    NameLayout(Option<String>),
    /// The settings of the screen, with this one marked.
    Settings(Option<&'static str>),
    /// Every key, with this row of the table marked.
    Keys(Option<usize>),
    /// Another key for this row of the table.
    NewKey(usize),
    /// What is looked for in the shown pane.
    SearchPane,
    /// What is looked for in everything.
    SearchAll,
    /// A workflow from a file.
    Start,
    NewAgent,
    /// A group in this scope, with these members.
    NewGroup(Scope, Vec<Name>),
    /// Members for a group.
    AddToGroup(Scope, Name),
    /// A schedule, to be changed.
    Schedule(Box<Schedule>),
    /// A new schedule, of this agent, or of one in this scope.
    NewSchedule(Option<Target>),
    /// Asks before an act, by name.
    Confirm(Act),
    /// What an agent asks the person.
    Question(Box<Question>),
    /// A vote of the person.
    Vote(Box<Proposal>),
    Pager {
        title: String,
        text: String,
        /// What is looked for in it; may be empty
        find: String,
    },
    /// What could not be done, and why.
    Refused(String, RequestError),
    /// A document that is not saved, and why.
    NotSaved(Scope, String, RequestError),
    /// A message that is not stored.
    NotSent(Address, String, RequestError),
    /// Why something is as it is.
    Why(Explanation),
    /// How the connection is.
    Connection,
    /// Code blocks, to copy one.
    Blocks(Vec<Block>),
    /// Rows to read, with a title.
    Rows(String, Vec<Row>),
    /// A message whole, as far as it is known.
    Message(MessageId, Option<Box<Message>>),
    /// What an agent does.
    Peek(Target),
}

impl Window {
    /// A whole text, from its beginning.
    pub fn pager(title: impl Into<String>, text: &str) -> Self {
        Self::finding(title, text, "")
    }

    /// A whole text, from the first match of `find` on; from its beginning if that is empty or not
    /// in the text.
    pub fn finding(title: impl Into<String>, text: &str, find: &str) -> Self {
        Self::Pager { title: title.into(), text: text.to_owned(), find: find.to_owned() }
    }
}

/// What another program gets the terminal for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outside {
    /// To write the message.
    Message(String),
    /// To change a document.
    Document {
        scope: Scope,
        file: String,
        /// Which version is changed
        version: i64,
        text: String,
    },
    /// To look at a text.
    Look(String),
    /// For the program of a run, which goes on with its session.
    Program {
        run: RunId,
        by_hand: ByHand,
        /// The folder the run worked in
        cwd: Option<String>,
    },
}

impl Effect {
    /// Shows a message in its conversation.
    pub fn show_message(scope: &Scope, group: &Conversation, message: MessageId) -> Self {
        Self::Go(Place::of_conversation(scope, group), Some(Item::Message(message)))
    }

    /// Copies a code block; which of several is asked first. `None` without a block.
    pub fn copy_code(mut blocks: Vec<Block>) -> Option<Self> {
        match blocks.len() {
            0 => None,
            1 => Some(Self::Copy(blocks.remove(0).text)),
            _ => Some(Self::Open(Window::Blocks(blocks))),
        }
    }

    /// Shows the newest version of a document.
    pub fn show_document(scope: &Scope, file: &str) -> Self {
        let place = Place::at(Subject::Workflow(scope.clone()), Tab::Documents);
        Self::Go(place, Some(Item::Document(file.to_owned())))
    }

    /// Shows a run's transcript.
    pub fn show_run(agent: &Target, run: RunId) -> Self {
        let place = Place::at(Subject::Agent(agent.clone()), Tab::Run);
        Self::Go(place, Some(Item::Run(run)))
    }

    /// Shows the run of an agent that was shown last.
    pub fn show_agent(agent: Target) -> Self {
        Self::Go(Place::at(Subject::Agent(agent), Tab::Run), None)
    }
}
