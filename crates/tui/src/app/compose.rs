//! Writing, and sending what was written.

use agent_worker_client::fresh_key;

use super::keys::input;
use crate::{
    action::Action,
    key::{Code, Key},
    keys::Context,
    model::{
        State,
        drafts::{Address, Draft, Sending, candidates, reach},
        requests::{Effect, Outside, Request, Trouble},
    },
    overlays::{self, Overlay},
};

/// How many sent texts are remembered.
const SENT: usize = 500;

/// Opens the box for somebody, with what was written to them before.
pub fn open(state: &mut State, address: Address) -> Vec<Effect> {
    if state.read_only {
        state.warn("read-only: nothing is written from here");
        return Vec::new();
    }
    let mut effects = Vec::new();
    if state.composer.address != address {
        effects = keep(state);
        let draft = state.drafts.get(&address).cloned().unwrap_or_default();
        state.composer.saved.clone_from(&draft.text);
        state.composer.set(&draft);
        state.composer.address = address;
        state.composer.sent.1 = None;
    }
    state.composer.is_open = true;
    state.notice = None;
    state.question = None;
    effects
}

/// Closes the box; the text stays a draft.
pub fn close(state: &mut State) -> Vec<Effect> {
    state.composer.is_open = false;
    state.composer.completion = None;
    keep(state)
}

/// Keeps the text on disk, if it is not there already.
pub fn keep(state: &mut State) -> Vec<Effect> {
    let composer = &mut state.composer;
    composer.changed_at = None;
    let draft = composer.draft();
    let address = composer.address.clone();
    let is_kept = draft.text == composer.saved
        && state.drafts.get(&address).is_none_or(|kept| kept.caret == draft.caret);
    if is_kept {
        return Vec::new();
    }
    composer.saved.clone_from(&draft.text);
    state.drafts.keep(&address, draft.clone());
    vec![Effect::Keep(address, draft)]
}

/// A draft is on disk.
pub fn saved(state: &mut State, address: &Address, text: &str) -> Vec<Effect> {
    if state.composer.address == *address && state.composer.text() == text {
        state.composer.saved_at = Some(state.now);
    }
    Vec::new()
}

/// A key, while the box is open.
pub fn key(state: &mut State, key: Key) -> Vec<Effect> {
    let is_listed = state.composer.completion.as_ref().is_some_and(|list| !list.is_closed);
    if is_listed && let Some(effects) = in_list(state, key) {
        return effects;
    }
    if state.composer.sending.is_some() && key != Key::plain(Code::Esc) {
        state.tell("the message is on its way");
        return Vec::new();
    }
    match state.keymap.action(&[Context::Composer], key) {
        Some(Action::Send) => enter(state),
        Some(Action::Close) => close(state),
        Some(Action::NewLine) => edit(state, ratatui_textarea::TextArea::insert_newline),
        Some(Action::Complete) => complete(state),
        Some(Action::Retarget) => overlays::open(state, Overlay::retarget(state)),
        Some(Action::Editor) => vec![Effect::Outside(Outside::Message(state.composer.text()))],
        Some(Action::Sent) => sent(state, true),
        Some(Action::Help) => overlays::open(state, Overlay::help(state)),
        _ => typed(state, key),
    }
}

fn in_list(state: &mut State, key: Key) -> Option<Vec<Effect>> {
    let list = state.composer.completion.as_mut()?;
    match key.code {
        Code::Esc => list.is_closed = true,
        Code::Up => list.marked = (list.marked + list.names.len() - 1) % list.names.len(),
        Code::Down => list.marked = (list.marked + 1) % list.names.len(),
        Code::Tab => return Some(complete(state)),
        Code::Enter if !key.alt && !key.shift => return Some(complete(state)),
        _ => return None,
    }
    Some(Vec::new())
}

/// Keys that move out of the text at its edge stay in it, and do nothing else.
fn typed(state: &mut State, key: Key) -> Vec<Effect> {
    if key.code == Code::Up && (state.composer.is_blank() || state.composer.sent.1.is_some()) {
        return sent(state, true);
    }
    if key.code == Code::Down && state.composer.sent.1.is_some() {
        return sent(state, false);
    }
    if key == Key::ctrl('_') || key == Key::ctrl('z') {
        return edit(state, |area| _ = area.undo());
    }
    edit(state, |area| _ = area.input(input(key)))
}

fn edit(
    state: &mut State,
    change: impl FnOnce(&mut ratatui_textarea::TextArea<'static>),
) -> Vec<Effect> {
    let before = state.composer.text();
    change(&mut state.composer.area);
    let is_same = before == state.composer.text();
    changed(state, is_same);
    Vec::new()
}

fn changed(state: &mut State, is_same: bool) {
    state.composer.completion = candidates(state);
    if is_same {
        return;
    }
    state.composer.changed_at.get_or_insert(state.now);
    state.composer.asked_about = None;
    state.notice = None;
}

/// A text was pasted: it is text, whatever is in it.
pub fn paste(state: &mut State, text: &str) -> Vec<Effect> {
    if state.composer.sending.is_some() {
        state.tell("the message is on its way");
        return Vec::new();
    }
    state.composer.area.insert_str(text);
    changed(state, false);
    state.composer.completion = None;
    Vec::new()
}

/// The text came back from an editor.
pub fn edited(state: &mut State, text: &str) -> Vec<Effect> {
    let text = text.trim_end_matches('\n').to_owned();
    let last = text.lines().count().saturating_sub(1);
    let end = text.lines().last().map_or(0, |line| line.chars().count());
    state.composer.set(&Draft { text, caret: (last, end) });
    state.composer.is_open = true;
    changed(state, false);
    keep(state)
}

/// Puts the marked name into the text.
fn complete(state: &mut State) -> Vec<Effect> {
    let list = state.composer.completion.take().or_else(|| candidates(state));
    let Some(list) = list else {
        return edit(state, |area| _ = area.insert_tab());
    };
    let name = list.names[list.marked.min(list.names.len() - 1)].to_string();
    let typed = list.typed.chars().count();
    edit(state, |area| {
        for _ in 0..typed {
            area.delete_char();
        }
        area.insert_str(format!("{name} "));
    })
}

/// A text that was sent before, in place of this one.
fn sent(state: &mut State, older: bool) -> Vec<Effect> {
    let (texts, at) = &state.composer.sent;
    let count = texts.len();
    if count == 0 {
        state.tell("nothing was sent from here yet");
        return Vec::new();
    }
    if at.is_none() && !state.composer.is_blank() {
        state.tell("sent messages come into an empty box only");
        return Vec::new();
    }
    let to = match (at, older) {
        (None, _) => Some(count - 1),
        (Some(at), true) => Some(at.saturating_sub(1)),
        (Some(at), false) if at + 1 < count => Some(at + 1),
        (Some(_), false) => None,
    };
    let text = to.map(|to| texts[to].clone()).unwrap_or_default();
    let end = text.lines().last().map_or(0, |line| line.chars().count());
    let row = text.lines().count().saturating_sub(1);
    state.composer.set(&Draft { text, caret: (row, end) });
    state.composer.sent.1 = to;
    changed(state, false);
    Vec::new()
}

/// Enter: a line that ends in a backslash goes on; names that are nobody's are asked about once.
fn enter(state: &mut State) -> Vec<Effect> {
    if state.composer.before_caret().ends_with('\\') {
        return edit(state, |area| {
            area.delete_char();
            area.insert_newline();
        });
    }
    let text = state.composer.text();
    if text.trim().is_empty() {
        state.tell("nothing to send: write something, or Esc closes");
        return Vec::new();
    }
    if !state.is_live() {
        state.warn("not connected: kept as draft");
        return keep(state);
    }
    let unknown = reach(state).unknown;
    if !unknown.is_empty() && state.composer.asked_about.as_ref() != Some(&text) {
        state.warn(format!(
            "@{} is nobody here: Enter again sends it all the same",
            unknown.join(", @")
        ));
        state.composer.asked_about = Some(text);
        return Vec::new();
    }
    send(state, text)
}

/// Sends the text. One whose sending failed before it was known whether it is stored keeps its
/// key, so that it is stored once.
fn send(state: &mut State, text: String) -> Vec<Effect> {
    let composer = &mut state.composer;
    let address = composer.address.clone();
    let same = composer.unsure.take().filter(|it| it.address == address && it.text == text);
    let sending = same.unwrap_or_else(|| Sending { key: fresh_key(), address, text });
    composer.sending = Some(sending.clone());
    composer.completion = None;
    let mut effects = keep(state);
    let Sending { key, address, text } = sending;
    effects.push(Effect::Ask(Request::Send { address, text, key }));
    effects
}

/// The message is stored.
pub fn stored(state: &mut State, address: &Address, key: &str) -> Vec<Effect> {
    let Some(sending) = state.composer.sending.take_if(|sending| sending.key == key) else {
        return Vec::new();
    };
    let texts = &mut state.composer.sent.0;
    texts.retain(|text| *text != sending.text);
    texts.push(sending.text.clone());
    if texts.len() > SENT {
        texts.remove(0);
    }
    state.composer.sent.1 = None;
    let mut effects = vec![Effect::NoteSent(sending.text)];
    state.drafts.keep(address, Draft::default());
    effects.push(Effect::Keep(address.clone(), Draft::default()));
    if state.composer.address == *address {
        state.composer.set(&Draft::default());
        state.composer.saved.clear();
        state.composer.saved_at = None;
        state.composer.changed_at = None;
        state.composer.is_open = false;
    }
    if let Address::Agent(target) = address {
        state.tell(format!("sent to {target}"));
    }
    effects.extend(crate::panes::conversation::scroll::newest(state));
    effects
}

/// The message is not stored, or nobody knows.
pub fn failed(state: &mut State, address: &Address, key: &str, trouble: Trouble) -> Vec<Effect> {
    let Some(sending) = state.composer.sending.take_if(|sending| sending.key == key) else {
        return Vec::new();
    };
    if trouble.is_unsure || trouble.code.is_none() {
        state.composer.unsure = Some(sending);
        state.warn(format!("kept: Enter sends it again, it is stored once ({})", trouble.message));
        return Vec::new();
    }
    let text = sending.text;
    state.overlays.push(Overlay::not_sent(address, &text, trouble));
    Vec::new()
}
