//! What was looked for in everything, and what was found.

use agent_worker_protocol::{Hit, Hits};

use crate::model::{Effect, Model, Request, RequestError};

/// What the search keeps.
#[derive(Debug, Default)]
pub struct Search {
    /// What is looked for
    pub wanted: String,
    /// Whether the daemon is asked; one question at a time
    is_asked: bool,
    /// What was found, and for which words
    found: Option<(String, Hits)>,
    /// What is wrong with what is looked for
    pub problem: Option<String>,
    /// The line that was gone to last
    pub marked: usize,
}

impl Search {
    pub fn hits(&self) -> &[Hit] {
        self.found.as_ref().map_or(&[], |(_, hits)| &hits.hits)
    }

    /// How far the search is, in words.
    pub fn told(&self, model: &Model) -> String {
        match &self.found {
            _ if self.wanted.is_empty() => "messages, documents, resources".to_owned(),
            _ if !model.is_live() => "not connected".to_owned(),
            _ if self.problem.is_some() => "not searched".to_owned(),
            Some((text, hits)) if *text == self.wanted => match (hits.hits.len(), hits.more) {
                (0, _) => "nothing is found".to_owned(),
                (count, true) => format!("the newest {count}; more below"),
                (count, false) => format!("{count} found"),
            },
            _ if self.is_asked => "searching".to_owned(),
            _ => "not searched".to_owned(),
        }
    }

    /// Looks for something else.
    pub fn want(&mut self, model: &Model, text: &str) -> Vec<Effect> {
        if self.wanted != text {
            text.clone_into(&mut self.wanted);
            self.marked = 0;
            self.problem = None;
        }
        self.ask(model, None)
    }

    /// Looks for the same again, unless it is found or on its way.
    pub fn again(&mut self, model: &Model) -> Vec<Effect> {
        if model.is_live() && !self.is_asked {
            self.problem = None;
        }
        self.ask(model, None)
    }

    /// Loads more of what is found.
    pub fn more(&mut self, model: &Model) -> Vec<Effect> {
        let is_more = |(text, hits): &&(String, Hits)| *text == self.wanted && hits.more;
        let next = self.found.as_ref().filter(is_more).and_then(|(_, hits)| hits.next);
        if next.is_some() { self.ask(model, next) } else { Vec::new() }
    }

    fn ask(&mut self, model: &Model, next: Option<i64>) -> Vec<Effect> {
        let is_known =
            next.is_none() && self.found.as_ref().is_some_and(|(text, _)| *text == self.wanted);
        if !model.is_live() || self.is_asked || self.wanted.is_empty() || is_known {
            return Vec::new();
        }
        self.is_asked = true;
        vec![Effect::Ask(Request::Search(self.wanted.clone(), next))]
    }

    /// What was found; what was typed meanwhile is looked for next.
    pub fn loaded(
        &mut self,
        model: &Model,
        text: &str,
        next: Option<i64>,
        hits: Hits,
    ) -> Vec<Effect> {
        self.is_asked = false;
        match &mut self.found {
            Some((known, all)) if next.is_some() && known == text => {
                all.hits.extend(hits.hits);
                (all.more, all.next) = (hits.more, hits.next);
            }
            _ => self.found = Some((text.to_owned(), hits)),
        }
        self.ask(model, None)
    }

    /// It could not be looked for. What is found stays if it was more of it.
    pub fn failed(
        &mut self,
        model: &mut Model,
        text: &str,
        next: Option<i64>,
        trouble: &RequestError,
    ) -> Vec<Effect> {
        self.is_asked = false;
        if next.is_some() {
            model.warn(format!("more was not loaded: {}", trouble.message));
        } else if self.wanted == text {
            self.problem = Some(trouble.message.clone());
            self.found = None;
            return Vec::new();
        }
        self.ask(model, None)
    }

    /// The picture is a new one: what was found may be of another database.
    pub fn reset(&mut self) {
        self.is_asked = false;
        self.found = None;
    }
}
