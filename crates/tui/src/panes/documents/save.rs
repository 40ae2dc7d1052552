//! A copy in the person's editor, and back as a new revision: over the one it was made from, or not
//! at all.

use agent_worker_protocol::{document::DocumentWritten, target::Scope};

use super::{key_of, selected, shown, version};
use crate::{
    model::{
        State,
        requests::{Effect, Outside, Request, Trouble},
    },
    overlays::Overlay,
};

/// Opens a copy of the newest revision in the editor.
pub fn edit(state: &mut State) -> Vec<Effect> {
    if !state.is_live() {
        state.warn("not connected: nothing was done");
        return Vec::new();
    }
    let Some(document) = selected(state).cloned() else { return Vec::new() };
    if let Some(owner) = document.owner.as_ref().filter(|owner| **owner != state.identity) {
        state.warn(format!("{} is written by {owner} alone", document.file));
        return Vec::new();
    }
    if version(state, &document) != document.version {
        state.warn("this is an older revision: R shows the newest, which can be edited");
        return Vec::new();
    }
    let Some(text) = state.panes.docs.text(&key_of(&document), document.version) else {
        state.warn("the text is on its way");
        return Vec::new();
    };
    vec![Effect::Outside(Outside::Document {
        scope: document.scope,
        file: document.file,
        version: document.version,
        text: text.as_str().to_owned(),
    })]
}

/// The copy came back from the editor.
pub fn edited(
    state: &mut State,
    scope: Scope,
    file: String,
    version: i64,
    before: &str,
    text: String,
) -> Vec<Effect> {
    if text == before || text.trim_end_matches('\n') == before {
        state.tell(format!("{file} is as it was"));
        return Vec::new();
    }
    state.tell(format!("saving {file}"));
    vec![Effect::Ask(Request::Save { scope, file, text, version })]
}

/// It is a new revision.
pub fn saved(state: &mut State, request: &Request, written: DocumentWritten) -> Vec<Effect> {
    let Request::Save { scope, text, .. } = request else { return Vec::new() };
    let key = (scope.clone(), written.file.clone());
    state.tell(format!("saved {} as revision {}", written.file, written.version));
    state.panes.docs.keep(key.clone(), written.version, text);
    state.panes.docs.shown.insert(key, written.version);
    shown(state)
}

/// Somebody wrote it meanwhile, or it may not be written: nothing is overwritten, and the person's
/// text is shown whole, against what is there now.
pub fn not_saved(state: &mut State, request: &Request, trouble: Trouble) -> Vec<Effect> {
    let Request::Save { scope, file, text, version } = request else { return Vec::new() };
    let key = (scope.clone(), file.clone());
    let title = format!("{file}: your text, made from revision {version}, which was not saved");
    state.overlays.push(Overlay::pager(title, text));
    state.overlays.push(Overlay::refused(&format!("save {file}"), trouble));
    let newest = state.mirror().document(scope, file).map(|document| document.version);
    if let Some(newest) = newest.filter(|newest| newest != version) {
        state.panes.docs.shown.insert(key.clone(), newest);
        state.panes.docs.base.insert(key, *version);
        state.panes.docs.is_diff = true;
    }
    shown(state)
}
