//! A copy in the person's editor, and back as a new revision: over the one it was made from, or not
//! at all.

use agent_worker_protocol::{document::DocumentWritten, target::Scope};

use super::state::{Documents, key_of};
use crate::{
    model::{Effect, Model, Outside, Request, RequestError, Window},
    panes::Pane as _,
};

impl Documents {
    /// Opens a copy of the newest revision in the editor.
    pub fn edit(&mut self, model: &mut Model) -> Vec<Effect> {
        if !model.is_live() {
            return model.warn("not connected: nothing was done");
        }
        let Some(document) = self.selected(model).cloned() else { return Vec::new() };
        if let Some(owner) =
            document.owner.as_ref().filter(|owner| **owner != model.settings.identity)
        {
            return model.warn(format!("{} is written by {owner} alone", document.file));
        }
        if self.version(&document) != document.version {
            return model
                .warn("this is an older revision: R shows the newest, which can be edited");
        }
        let Some(text) = self.text(&key_of(&document), document.version) else {
            return model.warn("the text is on its way");
        };
        vec![Effect::Outside(Outside::Document {
            scope: document.scope,
            file: document.file,
            version: document.version,
            text: text.as_str().to_owned(),
        })]
    }
}

/// The copy came back from the editor.
pub fn edited(
    model: &mut Model,
    scope: Scope,
    file: String,
    version: i64,
    before: &str,
    text: String,
) -> Vec<Effect> {
    if text == before || text.trim_end_matches('\n') == before {
        return model.tell(format!("{file} is as it was"));
    }
    model.tell(format!("saving {file}"));
    vec![Effect::Ask(Request::Save { scope, file, text, version })]
}

impl Documents {
    /// It is a new revision.
    pub fn saved(
        &mut self,
        model: &mut Model,
        request: &Request,
        written: DocumentWritten,
    ) -> Vec<Effect> {
        let Request::Save { scope, text, .. } = request else { return Vec::new() };
        let key = (scope.clone(), written.file.clone());
        model.tell(format!("saved {} as revision {}", written.file, written.version));
        self.keep(key.clone(), written.version, text);
        self.shown.insert(key, written.version);
        self.on_show(model)
    }

    /// Somebody wrote it meanwhile, or it may not be written: nothing is overwritten, and the person's
    /// text is shown whole, against what is there now.
    pub fn not_saved(
        &mut self,
        model: &mut Model,
        request: &Request,
        trouble: RequestError,
    ) -> Vec<Effect> {
        let Request::Save { scope, file, text, version } = request else { return Vec::new() };
        let key = (scope.clone(), file.clone());
        let title = format!("{file}: your text, made from revision {version}, which was not saved");
        let mut effects = vec![
            Effect::Open(Window::pager(title, text)),
            Effect::Open(Window::Refused(format!("save {file}"), trouble)),
        ];
        let newest = model.mirror().document(scope, file).map(|document| document.version);
        if let Some(newest) = newest.filter(|newest| newest != version) {
            self.shown.insert(key.clone(), newest);
            self.base.insert(key, *version);
            self.is_diff = true;
        }
        effects.extend(self.on_show(model));
        effects
    }
}
