//! A message before it is stored.

use std::{array, ops::Range};

use agent_worker_protocol::{Intent, Mentioned, Reason};
use sha2::{Digest, Sha256};

use crate::rows::{AgentRow, ConversationRow, RunRow, WorkflowRow};

/// A message that is about to be stored.
#[derive(Debug)]
pub struct Draft<'a> {
    pub scope: &'a WorkflowRow,
    pub group: &'a ConversationRow,
    /// The sender; the daemon if `None`
    pub sender: Option<&'a AgentRow>,
    /// The run in which it is said
    pub run: Option<&'a RunRow>,
    pub text: &'a str,
    /// Which bytes of the text are values and not words of the sender
    pub data: &'a [Range<usize>],
    /// Whether it asks for work
    pub intent: Intent,
    /// Whom it names
    pub mentions: Mentioned,
    /// Who gets it, each once
    pub recipients: Vec<(AgentRow, Reason)>,
    /// How many runs lie between it and a person
    pub hop: i64,
    /// The message it goes back to; itself if none
    pub root: Option<i64>,
    /// The message it answers
    pub reply_to: Option<i64>,
    /// Whether it must have a run for itself
    pub solo: bool,
    /// Whether it wakes the members of a group whom it does not name
    pub rouses: bool,
    /// Recipients whom it does not wake
    pub spares: &'a [i64],
}

impl<'a> Draft<'a> {
    /// A message of the daemon without mentions: it reaches and wakes no member.
    pub fn new(scope: &'a WorkflowRow, group: &'a ConversationRow, text: &'a str) -> Self {
        Self {
            scope,
            group,
            sender: None,
            run: None,
            text,
            data: &[],
            intent: Intent::Inform,
            mentions: Mentioned::default(),
            recipients: Vec::new(),
            hop: 0,
            root: None,
            reply_to: None,
            solo: false,
            rouses: false,
            spares: &[],
        }
    }

    /// What the loop guard knows its text by; none for what no run says.
    pub fn likeness(&self) -> Option<[u8; 8]> {
        self.run.map(|_| likeness(self.text))
    }
}

/// A text without regard to case and white space, as the first eight bytes of a hash.
pub fn likeness(text: &str) -> [u8; 8] {
    let mut hash = Sha256::new();
    for word in text.split_whitespace() {
        hash.update(word.to_lowercase());
        hash.update(" ");
    }
    let hash = hash.finalize();
    array::from_fn(|at| hash[at])
}
