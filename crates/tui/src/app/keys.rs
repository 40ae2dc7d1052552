//! Keys, to whatever has focus.

use super::{App, act, compose};
use crate::{
    action::Action,
    key::{Code, Key},
    keys::{self, Context},
    model::{Effect, has_passed},
};

/// How long a question takes no answer: a key that was pressed twice answers nothing, ms.
const HESITATION: i64 = 150;

/// A key was pressed.
pub fn key(app: &mut App, key: Key) -> Vec<Effect> {
    let now = app.model.now;
    let notice = &mut app.model.prompt.notice;
    notice.take_if(|notice| notice.is_error && has_passed(now, notice.since, HESITATION));
    // A key may act on the selected line of the tree, which is therefore shown again.
    app.model.selection.tree.scrolled_from = None;
    let keymap = &app.model.settings.keymap;
    if keymap.action(&[Context::Anywhere], key) != Some(Action::QuitHard) {
        app.model.prompt.leaving = None;
    }
    if app.model.display.is_too_small() {
        return unseen(app, key);
    }
    if !app.overlays.is_empty() {
        return app.overlay_key(key);
    }
    if app.model.writing.composer.is_open {
        return compose::key(app, key);
    }
    if app.model.prompt.question.is_some() {
        return answer(app, key);
    }
    app.model.selection.hit.take_if(|hit| hit.place != app.model.place);
    match app.model.settings.keymap.action(&app.contexts(), key) {
        Some(action) => act::act(app, action),
        None => unknown(app, key),
    }
}

/// A key while the window is too small: what it would act on is not seen, so only what the screen
/// names is done. What is being written is kept.
fn unseen(app: &mut App, key: Key) -> Vec<Effect> {
    match app.model.settings.keymap.action(&[Context::Anywhere], key) {
        Some(Action::Quit) => act::leave(app, 0),
        Some(action @ (Action::QuitHard | Action::Suspend)) => act::act(app, action),
        _ => Vec::new(),
    }
}

/// A key that means nothing here says so, and where those are that do.
fn unknown(app: &mut App, key: Key) -> Vec<Effect> {
    if let Some(help) = app.model.settings.keymap.name(&[Context::Anywhere], Action::Help) {
        app.model.tell(format!("{} does nothing here: {help} shows the keys", keys::short(key)));
    }
    Vec::new()
}

/// `y` alone says yes: Enter is pressed too often by habit to end a run. Any other key says no.
fn answer(app: &mut App, key: Key) -> Vec<Effect> {
    let now = app.model.now;
    let asked = app.model.prompt.question.take_if(|it| has_passed(now, it.since, HESITATION));
    let Some(question) = asked else { return Vec::new() };
    if key == Key::char('y') {
        return act::perform(app, question.act);
    }
    app.model.tell(question.kept())
}

/// Keys that came in a burst: text for a text field, ignored elsewhere.
pub fn burst(app: &mut App, keys: &[Key]) -> Vec<Effect> {
    if !takes_text(app) {
        let write = app.model.key(Action::Write);
        let text = format!("keys came too fast to be typed: ignored, press {write} to write");
        return app.model.warn(text);
    }
    // A line's end in it must not send what is only half there.
    let text: String = keys.iter().filter_map(|key| as_text(*key)).collect();
    paste(app, &text)
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

pub fn paste(app: &mut App, text: &str) -> Vec<Effect> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    if app.model.display.is_too_small() {
        return ignored(app);
    }
    if !app.overlays.is_empty() {
        return app.overlay_paste(&text).unwrap_or_else(|| ignored(app));
    }
    if app.model.writing.composer.is_open {
        return compose::paste(app, &text);
    }
    ignored(app)
}

fn ignored(app: &mut App) -> Vec<Effect> {
    let write = app.model.key(Action::Write);
    app.model.warn(format!("paste ignored, press {write} to write"))
}

/// Whether keys are text now.
pub fn takes_text(app: &mut App) -> bool {
    match app.overlays.last_mut() {
        _ if app.model.display.is_too_small() => false,
        Some(overlay) => overlay.field().is_some(),
        None => app.model.writing.composer.is_open,
    }
}
