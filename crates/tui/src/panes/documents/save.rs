//! A copy in the person's editor, and back as a new version: over the one it was made from, or not
//! at all.

use agent_worker_protocol::{Document, DocumentWritten, Name, Scope, shell};

use super::{
    state::{Documents, key_of, purpose_of},
    top::Top,
};
use crate::{
    action::Action,
    model::{Draft, Effect, Model, Outside, Purpose, Request, RequestError, Tab, Window},
    panes::Pane as _,
};

impl Documents {
    /// Opens a copy of the newest version in the editor, or the text of the person that was not
    /// saved.
    pub fn edit(&mut self, model: &mut Model) -> Vec<Effect> {
        if !model.is_live() {
            return model.warn("not connected: nothing was done");
        }
        let Some(document) = self.selected(model).cloned() else { return Vec::new() };
        if let Some(owner) = other_owner(model, &document) {
            // The line below has no room for the command.
            let message = format!("only {owner} writes {}", document.file);
            let trouble = RequestError::with_command(message, own(model, &document));
            let what = format!("edit {}", document.file);
            return vec![Effect::Open(Window::Refused(what, trouble))];
        }
        if self.version(&document) != document.version {
            let newest = model.key(Action::Refresh);
            return model.warn(format!(
                "this is an older version: {newest} shows the newest, which can be edited"
            ));
        }
        let text = self.text(&key_of(&document), document.version);
        let Some(text) = text else { return model.warn("the text is on its way") };
        let drafts = &mut model.writing.drafts;
        let purpose = purpose_of(&key_of(&document));
        // A save whose answer was lost may have been done.
        let begun = drafts.get(purpose.clone()).map(|draft| draft.text.clone());
        let is_saved = begun.as_ref() == Some(&text.raw);
        let dropped = is_saved.then(|| drafts.keep(purpose, Draft::default()));
        let text = begun.unwrap_or_else(|| text.raw.clone());
        let Document { scope, file, version, .. } = document;
        let opened = Effect::Outside(Outside::Document { scope, file, version, text });
        dropped.into_iter().chain([opened]).collect()
    }
}

/// The member that alone writes a document, if that is not the user.
pub(super) fn other_owner<'d>(model: &Model, document: &'d Document) -> Option<&'d Name> {
    document.owner.as_ref().filter(|owner| **owner != model.settings.identity)
}

/// The command that makes the user the owner of a document.
fn own(model: &Model, document: &Document) -> String {
    let Document { scope, file, .. } = document;
    let (user, file) = (&model.settings.identity, shell::option("--file", file));
    let line = format!("agent-worker doc owner {user} {file} --in {scope}");
    model.connection.in_shell(&line)
}

/// What the line of the composer says; another thing while a text of the person was not saved.
pub(super) fn line(model: &Model, document: Option<&Document>, is_begun: bool) -> String {
    let edit = model.key_in(Tab::Documents.context().as_slice(), Action::Edit);
    if is_begun {
        return format!(
            "your text was not saved: {edit} goes on with it, and drops it once all of it is \
             deleted"
        );
    }
    if let Some((document, owner)) = document.and_then(|it| Some((it, other_owner(model, it)?))) {
        return format!("only {owner} writes {}; {edit} says how that is changed", document.file);
    }
    format!(
        "documents are written by agents; {edit} opens a copy in $EDITOR and saves as a new \
         version"
    )
}

/// The copy came back from the editor. Until it is saved it is a draft; without a letter left, a
/// draft is no more.
pub fn edited(
    model: &mut Model,
    scope: Scope,
    file: String,
    version: i64,
    before: &str,
    text: String,
) -> Vec<Effect> {
    let purpose = Purpose::Document(scope.clone(), file.clone());
    let is_same = text == before || text.trim_end_matches(['\r', '\n']) == before;
    let drafts = &mut model.writing.drafts;
    match drafts.get(purpose.clone()).map(|draft| draft.version) {
        None if is_same => return model.tell(format!("{file} is as it was")),
        Some(_) if text.trim().is_empty() => {
            let dropped = drafts.keep(purpose, Draft::default());
            model.tell(format!("your text of {file} that was not saved is dropped"));
            return vec![dropped];
        }
        // It would take back what others have written since.
        Some(made_from) if is_same && made_from != Some(version) => {
            return model.warn(format!(
                "kept, not saved: put in what version {version} of {file} brought, or delete all"
            ));
        }
        _ => {}
    }
    let draft = Draft { text: text.clone(), version: Some(version), ..Draft::default() };
    let kept = drafts.keep(purpose, draft);
    model.tell(format!("saving {file}"));
    vec![kept, Effect::Ask(Request::Save { scope, file, text, version })]
}

impl Documents {
    /// It is a new version.
    pub fn saved(
        &mut self,
        model: &mut Model,
        request: &Request,
        written: DocumentWritten,
    ) -> Vec<Effect> {
        let Request::Save { scope, text, .. } = request else { return Vec::new() };
        let key = (scope.clone(), written.file.clone());
        model.tell(format!("saved {} as version {}", written.file, written.version));
        self.settle(model);
        self.keep(key.clone(), written.version, text);
        self.shown.insert(key.clone(), written.version);
        self.refused.take_if(|refused| *refused == key);
        let purpose = purpose_of(&key);
        let drafts = &mut model.writing.drafts;
        // It may have been changed again meanwhile.
        let is_draft = drafts.get(purpose.clone()).is_some_and(|draft| draft.text == *text);
        let dropped = is_draft.then(|| drafts.keep(purpose, Draft::default()));
        dropped.into_iter().chain(self.on_show(model)).collect()
    }

    /// Nothing is overwritten. What the text of the user would change in a version that was
    /// written meanwhile is shown as a diff; a text refused for another reason is shown whole.
    pub fn not_saved(
        &mut self,
        model: &mut Model,
        request: &Request,
        trouble: RequestError,
    ) -> Vec<Effect> {
        let Request::Save { scope, file, text, version } = request else { return Vec::new() };
        model.prompt.notice.take_if(|notice| !notice.is_error);
        let key = (scope.clone(), file.clone());
        let mut effects = Vec::new();
        let newest = model.mirror().document(scope, file).map(|document| document.version);
        if let Some(newest) = newest.filter(|newest| newest != version) {
            self.shown.insert(key.clone(), newest);
            self.refused = Some(key);
            (self.is_diff, self.is_past_mine, self.top) = (true, false, Top::default());
        } else {
            let title =
                format!("{file}: your text, made from version {version}, which was not saved");
            effects.push(Effect::Open(Window::pager(title, text)));
        }
        self.laid.replace(None);
        effects.push(Effect::Open(Window::NotSaved(scope.clone(), file.clone(), trouble)));
        effects.extend(self.on_show(model));
        effects
    }
}
