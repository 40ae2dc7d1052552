//! What is being written, and what was written and not sent. A text belongs to whom it is for, and
//! nothing but sending it, or deleting its letters, takes it away.

use std::{collections::BTreeMap, fmt, hash::Hash};

use agent_worker_protocol::{Conversation, MessageId, Name, ProposalId, QuestionId, Scope, Target};
use ratatui_textarea::{CursorMove, TextArea};
use serde::{Deserialize, Serialize};

use crate::{
    key::{Code, Key},
    model::Subject,
};

/// Whom a text is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Address {
    Channel(Scope),
    Group(Scope, Name),
    Agent(Target),
    /// Each of them alone.
    Each(Vec<Target>),
}

/// What a text is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Purpose {
    /// To be the next version of a document.
    Document(Scope, String),
    /// To answer a question.
    Answer(QuestionId),
    /// To be the reason of a vote.
    Vote(Scope, ProposalId),
    /// To be sent. It is written as its address alone: that is how drafts on disk have always been.
    #[serde(untagged)]
    Message(Address),
}

/// A text that was not sent, or not saved.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Draft {
    pub text: String,
    /// The caret's line and character
    pub caret: (usize, usize),
    /// The message it answers
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// The version of the document that it was made from
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
    /// Under which key it is on its way, or may be stored
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// A text on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sending {
    /// Under which key: however often it is sent, it is stored once
    pub key: String,
    pub address: Address,
    pub text: String,
    /// The message it answers
    pub reply_to: Option<MessageId>,
}

/// The list of names under the caret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// What was typed of the name, after the `@`
    pub typed: String,
    /// Names that begin so, or hold it
    pub names: Vec<Name>,
    /// Which one is marked
    pub marked: usize,
    /// Closed until another letter is typed
    pub is_closed: bool,
}

/// The line below, and the box it becomes.
#[derive(Debug)]
pub struct Composer {
    /// Whether keys go to it
    pub is_open: bool,
    pub address: Address,
    pub area: TextArea<'static>,
    /// The message that the text answers
    pub reply_to: Option<MessageId>,
    /// What is on its way
    pub sending: Option<Sending>,
    /// What was typed meanwhile: the beginning of the next text to the same
    pub next: String,
    /// Texts whose sending failed in a way that leaves open whether they were stored: sent again,
    /// each keeps its key
    pub unsure: BTreeMap<Address, Sending>,
    /// Names for what stands before the caret
    pub completion: Option<Completion>,
    /// The text whose unknown names the user was asked about
    pub asked_about: Option<String>,
    /// When the draft was last kept on disk, ms
    pub saved_at: Option<i64>,
    /// The text as it is on disk
    pub saved: String,
    /// When the text changed since, ms
    pub changed_at: Option<i64>,
    /// Sent texts, the newest last, and which one is shown
    pub sent: (Vec<String>, Option<usize>),
}

impl Address {
    /// What is written to for a subject; none where nothing is.
    pub fn of(subject: &Subject, identity: &Name) -> Option<Self> {
        match subject {
            Subject::All => Some(Self::Channel(Scope::global())),
            Subject::Workflow(scope) => Some(Self::Channel(scope.clone())),
            Subject::Agent(target) => Some(Self::Agent(target.clone())),
            Subject::Talk(scope, Conversation::Direct(one, other)) => {
                let peer = if one == identity { other } else { one };
                let is_own = one == identity || other == identity;
                is_own.then(|| Self::Agent(Target::member(peer.clone(), scope.clone())))
            }
            Subject::Talk(scope, Conversation::Group(name)) => {
                Some(Self::Group(scope.clone(), name.clone()))
            }
            Subject::Talk(_, Conversation::Channel) => None,
        }
    }

    /// The scope it is in.
    pub fn scope(&self) -> Scope {
        match self {
            Self::Channel(scope) | Self::Group(scope, _) => scope.clone(),
            Self::Agent(target) => target.scope_or(&Scope::global()),
            Self::Each(targets) => {
                targets.first().map_or_else(Scope::global, |first| first.scope_or(&Scope::global()))
            }
        }
    }

    /// The agents that get it as a direct message.
    pub fn agents(&self) -> &[Target] {
        match self {
            Self::Channel(_) | Self::Group(..) => &[],
            Self::Agent(target) => std::slice::from_ref(target),
            Self::Each(targets) => targets,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Channel(scope) => write!(f, "# {}", scope.key()),
            Self::Group(scope, name) => write!(f, "& {name} {scope}"),
            Self::Agent(target) => write!(f, "{target}"),
            Self::Each(targets) => {
                let targets: Vec<String> = targets.iter().map(ToString::to_string).collect();
                f.write_str(&targets.join(", "))
            }
        }
    }
}

impl Draft {
    /// A text with the caret at its end.
    pub fn ended(text: String) -> Self {
        let last = text.rsplit('\n').next().unwrap_or_default();
        let caret = (text.matches('\n').count(), last.chars().count());
        Self { text, caret, ..Self::default() }
    }
}

impl From<&Address> for Purpose {
    fn from(address: &Address) -> Self {
        Self::Message(address.clone())
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Document(scope, file) => write!(f, "{file} {scope}"),
            Self::Answer(question) => write!(f, "{question}"),
            Self::Vote(scope, proposal) => write!(f, "{proposal} {scope}"),
            Self::Message(address) => address.fmt(f),
        }
    }
}

impl Default for Composer {
    fn default() -> Self {
        Self {
            is_open: false,
            address: Address::Channel(Scope::global()),
            area: blank(),
            reply_to: None,
            sending: None,
            next: String::new(),
            unsure: BTreeMap::new(),
            completion: None,
            asked_about: None,
            saved_at: None,
            saved: String::new(),
            changed_at: None,
            sent: (Vec::new(), None),
        }
    }
}

fn blank() -> TextArea<'static> {
    let mut area = TextArea::default();
    area.set_tab_length(4);
    area.set_max_histories(200);
    area
}

impl Composer {
    /// Whether the text in the box is on its way.
    pub fn is_sending(&self) -> bool {
        self.is_sending_to(&self.address)
    }

    /// Whether a text for this address is on its way.
    pub fn is_sending_to(&self, address: &Address) -> bool {
        self.sending.as_ref().is_some_and(|sending| sending.address == *address)
    }

    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Whether there is a text.
    pub fn is_blank(&self) -> bool {
        self.area.lines().iter().all(String::is_empty)
    }

    /// The line and the character that the caret is at.
    pub fn caret(&self) -> (usize, usize) {
        let caret = self.area.cursor();
        (caret.0, caret.1)
    }

    /// The text with its caret.
    pub fn draft(&self) -> Draft {
        let (text, reply_to) = (self.text(), self.reply_to);
        let sending = self.sending.as_ref().filter(|_| self.is_sending());
        let begun = sending.or_else(|| self.unsure.get(&self.address));
        let same = begun.filter(|it| it.text == text && it.reply_to == reply_to);
        let key = same.map(|it| it.key.clone());
        Draft { text, caret: self.caret(), reply_to, version: None, key }
    }

    /// The text that is on its way and what was typed behind it, if anything was.
    pub fn whole(&self) -> Option<Draft> {
        let is_more = self.is_sending() && !self.next.is_empty();
        let sending = self.sending.as_ref().filter(|_| is_more)?;
        let text = format!("{}\n{}", sending.text, self.next);
        Some(Draft { reply_to: sending.reply_to, ..Draft::ended(text) })
    }

    /// Puts a text into the box, with the caret where it was.
    pub fn set(&mut self, draft: &Draft) {
        let mut area = blank();
        area.insert_str(&draft.text);
        let to = |part: usize| u16::try_from(part).unwrap_or(u16::MAX);
        area.move_cursor(CursorMove::Jump(to(draft.caret.0), to(draft.caret.1)));
        self.area = area;
        self.reply_to = draft.reply_to;
        self.completion = None;
    }

    /// Ends the line that was begun, with the caret behind it. What is typed while a text is on its
    /// way has a last line of its own.
    pub fn end_line(&mut self) {
        let is_begun = |text: &str| text.ends_with(|c: char| !c.is_whitespace());
        if self.is_sending() {
            if is_begun(&self.next) {
                self.next.push('\n');
            }
            return;
        }
        self.area.move_cursor(CursorMove::Bottom);
        self.area.move_cursor(CursorMove::End);
        if is_begun(&self.text()) {
            self.area.insert_newline();
        }
    }

    /// What stands before the caret in its line.
    pub fn before_caret(&self) -> &str {
        let caret = self.area.cursor();
        self.area.lines().get(caret.0).map_or("", |line| &line[..offset(line, caret.1)])
    }

    /// Whether a key moves up from the first line, or down from the last: it does nothing. The text
    /// area would measure the line up to the caret before it finds that out.
    pub fn leaves(&self, key: Key) -> bool {
        let line = self.area.cursor().0;
        let is_at_edge = match key.code {
            Code::Up => line == 0,
            Code::Down => line + 1 == self.area.lines().len(),
            _ => false,
        };
        is_at_edge && !key.ctrl && !key.alt
    }
}

/// The byte at which a character of a line begins, or the line's end. The characters before it are
/// passed over many at once: a line may have a megabyte, and this is asked several times for a key.
pub fn offset(line: &str, number: usize) -> usize {
    let mut rest = line.chars();
    if let Some(before) = number.checked_sub(1) {
        _ = rest.nth(before);
    }
    line.len() - rest.as_str().len()
}
