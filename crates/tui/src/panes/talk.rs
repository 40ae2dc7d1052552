//! The keys of a conversation.

use crate::{
    action::Action,
    message::{Effect, Reply, Request, Trouble},
    state::State,
    update::talk,
    view::layout::channel_height,
};

/// Its keys.
pub fn act(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    let page = isize::try_from(channel_height(state)).unwrap_or(1).max(1);
    Some(match action {
        Action::Down => talk::scroll(state, 1),
        Action::Up => talk::scroll(state, -1),
        Action::HalfDown => talk::scroll(state, page / 2),
        Action::HalfUp => talk::scroll(state, -page / 2),
        Action::PageDown => talk::scroll(state, page),
        Action::PageUp => talk::scroll(state, -page),
        Action::NextItem => talk::step(state, 1),
        Action::PreviousItem => talk::step(state, -1),
        Action::First => talk::oldest(state),
        Action::Last => talk::newest(state),
        _ => return None,
    })
}

/// Looks for a text.
pub fn find(_: &mut State, _: &str, _: bool) -> Vec<Effect> {
    Vec::new()
}

/// It was found, or not.
pub fn found(_: &mut State, _: &Request, _: Result<Reply, Trouble>) -> Vec<Effect> {
    Vec::new()
}

/// The selected message's text.
pub fn copied(state: &State) -> Option<String> {
    let talk = state.talks.get(&talk::shown(state)?)?;
    talk.message().map(|message| message.content.clone())
}
