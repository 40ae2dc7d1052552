//! What was looked for in everything, and what was found.

use agent_worker_protocol::search::{Hit, Hits};

use crate::model::{
    State,
    requests::{Effect, Request, Trouble},
};

/// What the search keeps.
#[derive(Debug, Default)]
pub struct Finds {
    wanted: String,
    /// What the daemon is asked for; one question at a time
    asked: Option<(String, Option<i64>)>,
    /// What was found, and for which words
    found: Option<(String, Hits)>,
    problem: Option<String>,
    marked: usize,
}

/// What is looked for.
pub fn wanted(state: &State) -> &str {
    &state.panes.finds.wanted
}

/// The line that was gone to last.
pub fn marked(state: &State) -> usize {
    state.panes.finds.marked
}

/// Notes the line that is gone to.
pub fn mark(state: &mut State, marked: usize) {
    state.panes.finds.marked = marked;
}

/// What was found.
pub fn hits(state: &State) -> &[Hit] {
    state.panes.finds.found.as_ref().map_or(&[], |(_, hits)| &hits.hits)
}

/// What is wrong with what is looked for.
pub fn problem(state: &State) -> Option<&str> {
    state.panes.finds.problem.as_deref()
}

/// How far the search is, in words.
pub fn told(state: &State) -> String {
    let finds = &state.panes.finds;
    match &finds.found {
        _ if finds.wanted.is_empty() => "messages, documents, resources".to_owned(),
        _ if !state.is_live() => "not connected".to_owned(),
        Some((text, hits)) if *text == finds.wanted => match (hits.hits.len(), hits.more) {
            (0, _) => "nothing is found".to_owned(),
            (count, true) => format!("the newest {count}; more below"),
            (count, false) => format!("{count} found"),
        },
        _ => "searching".to_owned(),
    }
}

/// Looks for something else.
pub fn want(state: &mut State, text: &str) -> Vec<Effect> {
    let finds = &mut state.panes.finds;
    if finds.wanted != text {
        text.clone_into(&mut finds.wanted);
        finds.marked = 0;
        finds.problem = None;
    }
    ask(state, None)
}

/// Loads more of what is found.
pub fn more(state: &mut State) -> Vec<Effect> {
    let next = match &state.panes.finds.found {
        Some((text, hits)) if *text == state.panes.finds.wanted && hits.more => hits.next,
        _ => None,
    };
    if next.is_some() { ask(state, next) } else { Vec::new() }
}

fn ask(state: &mut State, next: Option<i64>) -> Vec<Effect> {
    let is_live = state.is_live();
    let finds = &mut state.panes.finds;
    let is_known =
        next.is_none() && finds.found.as_ref().is_some_and(|(text, _)| *text == finds.wanted);
    if !is_live || finds.asked.is_some() || finds.wanted.is_empty() || is_known {
        return Vec::new();
    }
    finds.asked = Some((finds.wanted.clone(), next));
    vec![Effect::Ask(Request::Search(finds.wanted.clone(), next))]
}

/// What was found; what was typed meanwhile is looked for next.
pub fn loaded(state: &mut State, text: &str, next: Option<i64>, hits: Hits) -> Vec<Effect> {
    let finds = &mut state.panes.finds;
    finds.asked = None;
    match &mut finds.found {
        Some((known, all)) if next.is_some() && known == text => {
            all.hits.extend(hits.hits);
            (all.more, all.next) = (hits.more, hits.next);
        }
        _ => finds.found = Some((text.to_owned(), hits)),
    }
    ask(state, None)
}

/// It could not be looked for.
pub fn failed(state: &mut State, text: &str, trouble: &Trouble) -> Vec<Effect> {
    let finds = &mut state.panes.finds;
    finds.asked = None;
    if finds.wanted == text {
        finds.problem = Some(trouble.message.clone());
        finds.found = None;
        return Vec::new();
    }
    ask(state, None)
}

/// The picture is a new one: what was found may be of another database.
pub fn renewed(state: &mut State) {
    state.panes.finds.asked = None;
    state.panes.finds.found = None;
}
