//! Conversations: of each a window of messages that follow each other, never the whole.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    rc::Rc,
};

use agent_worker_protocol::{Conversation, Group, Message, MessageId, MessagePage, Name, Scope};

use crate::{model::Notes, paint::Row, symbols::Set};

/// How many messages are asked for at once.
pub const PAGE: u32 = 200;

/// How many messages of one conversation are kept.
pub const MOST: usize = 1_000;

/// How many conversations keep their messages.
const MOST_TALKS: usize = 6;

/// Which messages are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Newest,
    Oldest,
    /// Those before this one.
    Before(MessageId),
    /// Those after this one.
    After(MessageId),
    /// Those on both sides of this one.
    Around(MessageId),
}

/// A line of a conversation, in its order: a message, or what happened after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Mark {
    /// The message's number, or that of the message before
    pub seq: i64,
    /// When it happened, ms, and the number of the note; nothing for a message
    pub note: Option<(i64, u32)>,
}

impl Mark {
    pub fn message(seq: i64) -> Self {
        Self { seq, note: None }
    }
}

/// What is shown of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kinds {
    #[default]
    All,
    /// What its members say.
    Said,
    /// What happened: the daemon's own lines, documents, failed runs.
    Happened,
}

/// Where the view of a conversation or of a transcript stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View<M = Mark> {
    /// At its end, and it stays there.
    #[default]
    Following,
    /// With this row of this line on top.
    At {
        mark: M,
        /// Which of its rows
        line: usize,
        /// In how many columns its rows were laid out; any number for its first row
        width: usize,
    },
}

/// Where what is new begins, while a conversation is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bookmark {
    /// The number of the last message that was read before
    pub read: Option<i64>,
    /// Whether messages were unread then, or have come since that were not under the person's eyes
    pub has_new: bool,
}

/// What is known of one conversation.
#[derive(Debug, Clone, Default)]
pub struct Talk {
    /// Messages that follow each other, oldest first
    pub messages: VecDeque<Message>,
    /// Whether there are older ones
    pub has_older: bool,
    /// Whether there are newer ones
    pub has_newer: bool,
    /// Whether anything was loaded
    pub is_loaded: bool,
    /// What is on its way
    pub loading: Option<Side>,
    /// How many pictures came since it was opened: a page that was asked for before the last may
    /// lack messages that no event will bring
    pub pictures: u32,
    /// What was said while it was on its way
    meanwhile: Vec<Message>,
    /// Where the view stands
    pub view: View,
    /// How many messages came since it left the end, and how many of those name the person
    pub arrived: (usize, usize),
    pub selected: Option<Mark>,
    /// The other end of what is selected together with that
    pub anchor: Option<Mark>,
    pub kinds: Kinds,
    /// How far it was read when it was opened
    pub bookmark: Bookmark,
    /// Messages shown whole, by number
    pub unfolded: BTreeSet<i64>,
    /// What is searched for
    pub find: String,
    /// The number of the match that was gone to last, until it is on the screen
    pub found: Option<i64>,
    /// The newest message whose reading was told to the daemon
    pub told: i64,
    /// Messages that were laid out
    pub laid: Laid,
}

/// On what a message was laid out: its number, the width, the characters, whether lines are cut.
pub type Paper = (i64, usize, Set, bool);

/// Messages in rows, as they were laid out last: none changes once it is stored.
#[derive(Debug, Clone, Default)]
pub struct Laid(RefCell<Sheets>);

#[derive(Debug, Clone, Default)]
struct Sheets {
    known: HashMap<Paper, Rc<Vec<Row>>>,
    /// Rows of all of them
    count: usize,
}

impl Laid {
    /// How many rows are kept: many screens of them.
    const MOST: usize = 5_000;

    /// The rows of a message, laid out if they are not known.
    pub fn rows(&self, paper: Paper, lay: impl FnOnce() -> Vec<Row>) -> Rc<Vec<Row>> {
        if let Some(rows) = self.0.borrow().known.get(&paper) {
            return Rc::clone(rows);
        }
        let rows = Rc::new(lay());
        let mut sheets = self.0.borrow_mut();
        if sheets.count + rows.len() > Self::MOST {
            *sheets = Sheets::default();
        }
        sheets.count += rows.len();
        sheets.known.insert(paper, Rc::clone(&rows));
        rows
    }
}

/// All conversations that were looked at.
#[derive(Debug, Default)]
pub struct Talks {
    known: BTreeMap<(Scope, Conversation), Talk>,
    seen: VecDeque<(Scope, Conversation)>,
    /// What happened beside what was said
    pub notes: Notes,
}

impl Talks {
    /// A conversation, if it was looked at.
    pub fn get(&self, key: &(Scope, Conversation)) -> Option<&Talk> {
        self.known.get(key)
    }

    pub fn get_mut(&mut self, key: &(Scope, Conversation)) -> &mut Talk {
        self.known.entry(key.clone()).or_default()
    }

    /// Notes that a conversation is looked at; of others, those that were not for longest are
    /// forgotten.
    pub fn look(&mut self, key: &(Scope, Conversation)) {
        self.seen.retain(|seen| seen != key);
        self.seen.push_back(key.clone());
        while self.seen.len() > MOST_TALKS {
            let oldest = self.seen.pop_front().expect("it is longer than nothing");
            self.known.remove(&oldest);
        }
    }

    /// A message was stored.
    pub fn take(&mut self, message: &Message, person: &Name) {
        if let Some(talk) = self.known.get_mut(&(message.scope.clone(), message.group.clone())) {
            if talk.view != View::Following {
                talk.arrived.0 += 1;
                talk.arrived.1 += usize::from(message.mentions.resolved.contains(person));
            }
            talk.append(message);
        }
    }

    /// There is a new picture of the daemon: pages that are on their way are not taken any more.
    pub fn renew(&mut self) {
        for talk in self.known.values_mut() {
            talk.pictures += 1;
        }
        self.distrust();
    }

    /// Everything is to be asked for again. What is on the screen stays until then. So does what
    /// was said while a page was on its way: that page may still come first.
    pub fn distrust(&mut self) {
        for talk in self.known.values_mut() {
            talk.is_loaded = false;
            talk.loading = None;
        }
        self.tell_again();
    }

    /// How far the person has read is told once more, in case the daemon did not take it.
    pub fn tell_again(&mut self) {
        for talk in self.known.values_mut() {
            talk.told = 0;
        }
    }

    /// The database is another: its messages have the numbers of those that are known.
    pub fn begin_anew(&mut self) {
        for talk in self.known.values_mut() {
            let Talk { kinds, find, pictures, .. } = std::mem::take(talk);
            *talk = Talk { pictures, kinds, find, ..Talk::default() };
        }
    }

    /// A scope is gone.
    pub fn forget(&mut self, scope: &Scope) {
        self.notes.forget(scope);
        self.known.retain(|(of, _), _| of != scope);
        self.seen.retain(|(of, _)| of != scope);
    }
}

impl Talk {
    /// Where a message is in the window.
    pub fn index(&self, seq: i64) -> Option<usize> {
        self.messages.binary_search_by_key(&seq, |message| message.seq).ok()
    }

    /// Whether a line is one of several that are selected together.
    pub fn is_among_selected(&self, mark: Mark) -> bool {
        let range = self.anchor.zip(self.selected);
        range.is_some_and(|(one, other)| (one.min(other)..=one.max(other)).contains(&mark))
    }

    fn append(&mut self, message: &Message) {
        if self.loading.is_some() {
            // The page that is on its way may have been made before it was stored.
            self.meanwhile.push(message.clone());
        }
        let is_next = self.messages.back().is_none_or(|last| last.seq < message.seq);
        if !self.is_loaded || self.has_newer || !is_next {
            return;
        }
        self.messages.push_back(message.clone());
        if self.messages.len() > MOST && self.view == View::Following {
            self.keep_newest();
        } else if self.messages.len() >= MOST * 2 {
            self.keep_seen();
        }
    }

    fn keep_newest(&mut self) {
        self.messages.drain(..self.messages.len() - MOST);
        self.has_older = true;
    }

    fn keep_oldest(&mut self) {
        self.messages.truncate(MOST);
        self.has_newer = true;
    }

    /// Keeps the half that is looked at. The other is loaded when it is looked for.
    fn keep_seen(&mut self) {
        let View::At { mark, .. } = self.view else { return self.keep_newest() };
        let at = self.messages.partition_point(|message| message.seq < mark.seq);
        if at < MOST { self.keep_oldest() } else { self.keep_newest() }
    }

    /// Whether a page that was asked for is still waited for.
    pub fn awaits(&self, side: Side, pictures: u32) -> bool {
        self.loading == Some(side) && self.pictures == pictures
    }

    /// Takes a page that is waited for.
    pub fn load(&mut self, side: Side, page: MessagePage) {
        self.loading = None;
        let MessagePage { messages, more_before, more_after, .. } = page;
        match side {
            Side::Newest | Side::Oldest | Side::Around(_) => {
                self.replace(side, messages);
                (self.has_older, self.has_newer) = (more_before, more_after);
            }
            Side::Before(before) => {
                if self.messages.front().is_some_and(|first| first.id == before) {
                    self.has_older = more_before;
                    for message in messages.into_iter().rev() {
                        self.messages.push_front(message);
                    }
                    if self.messages.len() > MOST {
                        self.keep_oldest();
                    }
                }
            }
            Side::After(after) => {
                if self.messages.back().is_some_and(|last| last.id == after) {
                    self.has_newer = more_after;
                    self.messages.extend(messages);
                    if self.messages.len() > MOST {
                        self.keep_newest();
                    }
                }
            }
        }
        for message in std::mem::take(&mut self.meanwhile) {
            self.append(&message);
        }
    }

    /// Puts a message at the top, and selects it.
    pub fn go_to(&mut self, seq: i64) {
        let mark = Mark::message(seq);
        self.look(View::At { mark, line: 0, width: 0 });
        self.selected = Some(mark);
    }

    pub fn look(&mut self, view: View) {
        if view == View::Following {
            self.arrived = (0, 0);
        }
        self.view = view;
    }

    fn replace(&mut self, side: Side, messages: Vec<Message>) {
        self.messages = messages.into();
        self.is_loaded = true;
        match side {
            Side::Oldest => self.go_to(self.messages.front().map_or(0, |first| first.seq)),
            Side::Around(id) => self.go_to(id.number()),
            _ => {}
        }
    }
}

/// How many messages of a conversation the person has not read.
pub fn unread(group: &Group) -> i64 {
    (group.messages - group.read_messages).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::story::message;

    #[test]
    fn a_message_is_laid_out_once_on_the_same_paper_and_old_ones_are_forgotten() {
        let laid = Laid::default();
        let mut lays = 0;
        let mut rows = |seq, width, count| {
            laid.rows((seq, width, Set::Unicode, false), || {
                lays += 1;
                vec![Row::new(); count]
            })
        };
        for _ in 0..3 {
            assert_eq!((rows(1, 80, 4).len(), rows(1, 40, 8).len()), (4, 8));
        }
        rows(2, 80, Laid::MOST);
        rows(1, 80, 4);
        assert_eq!(lays, 4, "twice on two papers, then a large one, then the first again");
        assert!(laid.0.borrow().count <= Laid::MOST);
    }

    #[test]
    fn the_message_that_is_looked_at_is_kept_wherever_it_stands() {
        for seq in [1, 999, 1_000, 1_001, 1_002, 1_999, 2_000] {
            let mut talk = Talk { is_loaded: true, ..Talk::default() };
            talk.look(View::At { mark: Mark::message(seq), line: 0, width: 0 });
            for new in 1..=2_001 {
                talk.append(&message(new, "alice", "hi"));
            }
            assert!(talk.index(seq).is_some(), "message {seq}");
            assert!(talk.messages.len() <= MOST + 1, "{}", talk.messages.len());
        }
    }
}
