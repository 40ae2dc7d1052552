//! Texts that could not be written to disk, and are printed at the end.

use std::collections::BTreeMap;

use agent_worker_client::Clean;

use crate::model::{Draft, Purpose, Record};

/// Texts that could not be written, each with what it is for and the reason.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Unsaved {
    pub drafts: BTreeMap<Purpose, (Draft, String)>,
    /// Those that were typed behind a message that was not sent
    pub unsent: Vec<(Purpose, String, String)>,
}

impl Unsaved {
    pub fn is_empty(&self) -> bool {
        self.drafts.is_empty() && self.unsent.is_empty()
    }

    /// Takes what could not be written for this reason, if it is a text that is nowhere else. A text
    /// that is sent after all is with the daemon.
    pub fn add(&mut self, record: Record, problem: String) {
        match record {
            Record::Draft(purpose, draft) => drop(self.drafts.insert(purpose, (draft, problem))),
            Record::Unsent(purpose, text) => self.unsent.push((purpose, text, problem)),
            Record::Sent(text) => self.unsent.retain(|(_, unsent, _)| *unsent != text),
            Record::Filter(_) | Record::Layout(_) | Record::Setting(..) | Record::Keys(..) => {}
        }
    }

    /// Each text as it was written, below what it is for and why it is not on disk. An empty draft
    /// is a file that could not be removed.
    pub fn told(&self) -> Vec<String> {
        let drafts = self.drafts.iter().filter(|(_, (draft, _))| !draft.text.is_empty());
        let drafts = drafts.map(|(purpose, (draft, problem))| told(purpose, &draft.text, problem));
        let unsent = self.unsent.iter();
        let unsent = unsent.map(|(purpose, text, problem)| told(purpose, text, problem));
        drafts.chain(unsent).collect()
    }
}

fn told(purpose: &Purpose, text: &str, problem: &str) -> String {
    let heading = format!("draft for {purpose}, not saved: {problem}");
    format!("{}\n{text}", Clean::line(&heading))
}
