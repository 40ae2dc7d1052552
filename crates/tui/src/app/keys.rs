//! Keys, to whatever has focus.

use super::{act, compose};
use crate::{
    action::Action,
    key::{Code, Key},
    keys::{self, Context},
    model::{State, requests::Effect},
    overlays,
};

/// How long a question takes no answer: a key that was pressed twice answers nothing, ms.
const HESITATION: i64 = 150;

/// A key was pressed.
pub fn key(state: &mut State, key: Key) -> Vec<Effect> {
    if let Some(notice) = &state.notice
        && notice.is_error
        && state.now - notice.since > HESITATION
    {
        state.notice = None;
    }
    if key != Key::ctrl('c') {
        state.leaving = None;
    }
    if !state.overlays.is_empty() {
        return overlays::key(state, key);
    }
    if state.composer.is_open {
        return compose::key(state, key);
    }
    if state.question.is_some() {
        return answer(state, key);
    }
    match state.keymap.action(&state.contexts(), key) {
        Some(action) => act::act(state, action),
        None => unknown(state, key),
    }
}

/// A key that means nothing here says so, and where those are that do.
fn unknown(state: &mut State, key: Key) -> Vec<Effect> {
    let help = keys::rows(Context::Anywhere).find(|row| row.action == Action::Help);
    if let Some(help) = help.and_then(|row| state.keymap.shown(row)) {
        state.tell(format!("{} does nothing here: {help} shows the keys", keys::short(key)));
    }
    Vec::new()
}

/// `y` and Enter say yes, as everywhere; any other key says no, and nothing else.
fn answer(state: &mut State, key: Key) -> Vec<Effect> {
    let Some(question) = &state.question else { return Vec::new() };
    if state.now - question.since < HESITATION {
        return Vec::new();
    }
    let question = state.question.take().expect("it was there");
    if key == Key::char('y') || key == Key::plain(Code::Enter) {
        return act::perform(state, question.act);
    }
    state.tell(format!("kept: nothing was done ({})", question.yes));
    Vec::new()
}

/// Keys that nobody typed one by one: text for a text field, and nothing elsewhere.
pub fn burst(state: &mut State, keys: &[Key]) -> Vec<Effect> {
    if !takes_text(state) {
        state.warn("keys came too fast to be typed: ignored, press i to write");
        return Vec::new();
    }
    // A line's end in it must not send what is only half there.
    let text: String = keys.iter().filter_map(|key| as_text(*key)).collect();
    paste(state, &text)
}

/// What a key is in a text that comes as keys.
fn as_text(key: Key) -> Option<char> {
    match key.code {
        Code::Enter => Some('\n'),
        Code::Tab => Some('\t'),
        _ if key == Key::ctrl('j') => Some('\n'),
        _ => key.written(),
    }
}

/// A pasted text.
pub fn paste(state: &mut State, text: &str) -> Vec<Effect> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    if !state.overlays.is_empty() {
        return overlays::paste(state, &text).unwrap_or_else(|| ignored(state));
    }
    if state.composer.is_open {
        return compose::paste(state, &text);
    }
    ignored(state)
}

fn ignored(state: &mut State) -> Vec<Effect> {
    state.warn("paste ignored, press i to write");
    Vec::new()
}

/// Whether keys are text now.
pub fn takes_text(state: &State) -> bool {
    match state.overlays.last() {
        Some(overlay) => overlay.takes_text(),
        None => state.composer.is_open,
    }
}

/// The key that a text field takes itself, as [`ratatui_textarea`] knows it.
pub fn input(key: Key) -> ratatui_textarea::Input {
    use ratatui_textarea::Key as Named;
    let named = match key.code {
        Code::Char(c) => Named::Char(c),
        Code::Enter => Named::Enter,
        Code::Esc => Named::Esc,
        Code::Tab => Named::Tab,
        Code::Backspace => Named::Backspace,
        Code::Delete => Named::Delete,
        Code::Insert => Named::Null,
        Code::Up => Named::Up,
        Code::Down => Named::Down,
        Code::Left => Named::Left,
        Code::Right => Named::Right,
        Code::Home => Named::Home,
        Code::End => Named::End,
        Code::PageUp => Named::PageUp,
        Code::PageDown => Named::PageDown,
        Code::F(number) => Named::F(number),
    };
    ratatui_textarea::Input { key: named, ctrl: key.ctrl, alt: key.alt, shift: key.shift }
}
