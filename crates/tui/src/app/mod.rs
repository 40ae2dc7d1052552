//! What becomes of the state when something comes in. No I/O, no clock: what is to be done is
//! answered as effects.

pub mod act;
pub mod allowed;
pub mod answer;
pub mod compose;
pub mod feed;
pub mod go;
pub mod keys;
pub mod mouse;
pub mod search;
pub mod side_panel;
pub mod timers;

use crate::{
    model::{
        Reach, State,
        requests::{Effect, Msg, Outside},
    },
    panes::conversation::scroll,
    symbols::{Set, Symbols},
    terminal::Taken,
};

/// Takes what came in.
pub fn update(state: &mut State, now: i64, msg: Msg) -> Vec<Effect> {
    state.now = now;
    let mut effects = match msg {
        Msg::Key(key) => keys::key(state, key),
        Msg::Burst(keys) => keys::burst(state, &keys),
        Msg::Paste(text) => keys::paste(state, &text),
        Msg::Mouse(mouse) => mouse::mouse(state, mouse),
        Msg::Resize(width, height) => {
            state.size = (width, height);
            Vec::new()
        }
        Msg::Focus(has_focus) => {
            state.has_focus = has_focus;
            scroll::read(state)
        }
        Msg::Background(is_light) => {
            state.look.theme.on_light = is_light;
            Vec::new()
        }
        Msg::WideSymbols => {
            if state.look.symbols.set == Set::Unicode && state.settings.has_free_symbols() {
                state.look.symbols = Symbols::of(Set::Narrow);
            }
            Vec::new()
        }
        Msg::Tick => timers::tick(state),
        Msg::Reach(reach, host) => reached(state, reach, host),
        Msg::Feed(item) => feed::hear(state, item),
        Msg::FeedEnded(error) => feed::ended(state, error),
        Msg::Snapshot(answer) => feed::loaded(state, answer),
        Msg::RetryIn(left) => {
            state.retry_at = Some(now + left);
            Vec::new()
        }
        Msg::Copied(taken, count, file) => {
            state.tell(match taken {
                Taken::Yes => format!("copied {count} characters"),
                Taken::Unsaid => format!(
                    "sent {count} characters; this terminal does not say if it copied: also in {file}"
                ),
                Taken::TooLong => format!("too long for the clipboard: it is in {file}"),
            });
            Vec::new()
        }
        Msg::Output(run, event) => crate::panes::run::output(state, run, event),
        Msg::Answer(request, answer) => answer::take(state, &request, answer),
        Msg::Saved(address, text) => compose::saved(state, &address, &text),
        Msg::NotSaved(problem) => {
            state.warn(problem);
            Vec::new()
        }
        Msg::NotStarted(problem) => {
            state.warn(format!("the daemon was not started: {problem}"));
            Vec::new()
        }
        Msg::Outside(outside, result) => came_back(state, outside, result),
    };
    effects.extend(scroll::read(state));
    effects.extend(crate::panes::run::sync(state));
    effects
}

fn reached(state: &mut State, reach: Reach, host: Option<String>) -> Vec<Effect> {
    if let Some(host) = host {
        state.host = host;
    }
    if state.reach != reach && !matches!(reach, Reach::Looking) {
        state.as_of = if state.reach == Reach::Found { state.now } else { state.as_of };
    }
    state.reach = reach;
    Vec::new()
}

fn came_back(state: &mut State, outside: Outside, result: Result<String, String>) -> Vec<Effect> {
    match (outside, result) {
        (_, Err(problem)) => {
            state.warn(problem);
            Vec::new()
        }
        (Outside::Message(_), Ok(text)) => compose::edited(state, &text),
        (Outside::Document { scope, file, version, text }, Ok(edited)) => {
            crate::panes::documents::edited(state, scope, file, version, &text, edited)
        }
        (Outside::Look(_), Ok(_)) => Vec::new(),
    }
}
