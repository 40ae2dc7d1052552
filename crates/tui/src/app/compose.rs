//! Writing, and sending what was written.

use agent_worker_client::fresh_key;
use agent_worker_protocol::MessageId;
use ratatui_textarea::TextArea;

use super::App;
use crate::{
    action::Action,
    key::{Code, Key},
    keys::Context,
    model::{
        Address, Draft, Effect, Outside, Purpose, Record, Request, RequestError, Window,
        reach::{candidates, reach},
        writing::drafts::Sending,
    },
    panes::conversation::scroll,
    parts::field::recalled,
};

/// How many sent texts are remembered.
const SENT: usize = 500;

/// Opens the box for this address, with its draft.
pub fn open(app: &mut App, address: Address) -> Vec<Effect> {
    if app.model.settings.read_only {
        return app.model.warn("read-only: nothing is written from here");
    }
    if !app.model.has_picture() {
        return app.model.warn("not connected: nothing can be written yet");
    }
    let mut effects = Vec::new();
    if app.composer().address != address {
        effects = keep(app);
        let draft = app.model.writing.drafts.get(&address).cloned().unwrap_or_default();
        app.composer().saved.clone_from(&draft.text);
        app.composer().set(&draft);
        app.composer().address = address;
        app.composer().sent.1 = None;
        app.composer().saved_at = None;
    }
    app.composer().is_open = true;
    app.model.prompt.notice = None;
    app.model.prompt.question = None;
    effects
}

/// Opens the box for this address, and appends a text to its draft. With `answered` it becomes a
/// reply to that message.
pub fn write(
    app: &mut App,
    address: Address,
    text: &str,
    answered: Option<MessageId>,
) -> Vec<Effect> {
    if !text.is_empty() && app.composer().is_sending_to(&address) {
        return wait(app);
    }
    let effects = open(app, address);
    let composer = &mut app.model.writing.composer;
    if !composer.is_open || text.is_empty() {
        return effects;
    }
    let mut whole = composer.text();
    if !whole.is_empty() && !whole.ends_with('\n') {
        whole.push('\n');
    }
    whole.push_str(text);
    let reply_to = answered.or(composer.reply_to);
    composer.set(&Draft { reply_to, ..Draft::ended(whole) });
    composer.changed_at = Some(app.model.now);
    effects
}

/// Moves the text of the box to another address, and appends it to the draft there. It is not a
/// reply there.
pub fn retarget(app: &mut App, address: Address) -> Vec<Effect> {
    if app.composer().address == address {
        return Vec::new();
    }
    if app.composer().is_sending_to(&address) {
        return wait(app);
    }
    let (old, text) = (app.composer().address.clone(), app.composer().text());
    let mut effects = vec![app.model.writing.drafts.keep(&old, Draft::default())];
    // What is left in the box would be kept for the old address again.
    app.composer().set(&Draft::default());
    app.composer().saved.clear();
    effects.extend(write(app, address, &text, None));
    effects
}

/// Closes the box; the text stays a draft.
pub fn close(app: &mut App) -> Vec<Effect> {
    app.composer().is_open = false;
    app.composer().completion = None;
    keep(app)
}

/// Keeps the text on disk, if it is not there already.
pub fn keep(app: &mut App) -> Vec<Effect> {
    let composer = &mut app.model.writing.composer;
    composer.changed_at = None;
    if let Some(whole) = composer.whole() {
        if composer.saved == whole.text {
            return Vec::new();
        }
        composer.saved.clone_from(&whole.text);
        // On disk alone: in the box the text that is on its way stays as it is.
        return vec![Effect::Store(Record::Draft(Purpose::from(&composer.address), whole))];
    }
    let draft = composer.draft();
    // A box that never held the text on disk does not remove it.
    if draft.text.is_empty() && composer.saved.is_empty() {
        return Vec::new();
    }
    let address = &composer.address;
    let is_kept = app.model.writing.drafts.get(address) == Some(&draft);
    if is_kept && draft.text == composer.saved {
        return Vec::new();
    }
    composer.saved.clone_from(&draft.text);
    vec![app.model.writing.drafts.keep(address, draft)]
}

/// A draft is on disk.
pub fn saved(app: &mut App, purpose: &Purpose, text: &str) -> Vec<Effect> {
    if Purpose::from(&app.composer().address) == *purpose && app.composer().text() == text {
        app.composer().saved_at = Some(app.model.now);
    }
    if app.model.writing.drafts.saved(purpose) && !text.is_empty() {
        app.model.tell(format!("the draft for {purpose} is saved now"));
    }
    Vec::new()
}

/// A draft could not be written to disk.
pub fn not_saved(app: &mut App, purpose: Purpose, problem: String) -> Vec<Effect> {
    app.model.writing.drafts.not_saved(purpose);
    app.model.warn(problem)
}

/// A key, while the box is open.
pub fn key(app: &mut App, key: Key) -> Vec<Effect> {
    let is_listed = app.composer().completion.as_ref().is_some_and(|list| !list.is_closed);
    if is_listed && let Some(effects) = in_list(app, key) {
        return effects;
    }
    let action = app.model.settings.keymap.action(&[Context::Composer], key);
    if app.composer().is_sending() && action != Some(Action::Close) {
        return ahead(app, key);
    }
    match action {
        Some(Action::Send) => enter(app),
        Some(Action::Close) => close(app),
        Some(Action::NewLine) => edit(app, TextArea::insert_newline),
        Some(Action::Complete) => complete(app),
        Some(Action::Retarget) => app.open(Window::Retarget),
        Some(Action::Editor) => {
            vec![Effect::Outside(Outside::Message(app.composer().text()))]
        }
        Some(Action::Sent) => sent(app, true),
        Some(Action::Help) => app.open(Window::Help),
        _ => typed(app, key),
    }
}

/// A key while the text is on its way: what is typed waits for the box to be free.
fn ahead(app: &mut App, key: Key) -> Vec<Effect> {
    app.model.writing.composer.changed_at.get_or_insert(app.model.now);
    let next = &mut app.composer().next;
    match (key.code, key.written()) {
        (Code::Backspace, _) => _ = next.pop(),
        (_, Some(c)) => next.push(c),
        _ => return wait(app),
    }
    Vec::new()
}

/// A text that is on its way stays as it is until the answer comes.
fn wait(app: &mut App) -> Vec<Effect> {
    app.model.tell("the message is on its way")
}

fn in_list(app: &mut App, key: Key) -> Option<Vec<Effect>> {
    let list = app.composer().completion.as_mut()?;
    match key.code {
        Code::Esc => list.is_closed = true,
        Code::Up => list.marked = (list.marked + list.names.len() - 1) % list.names.len(),
        Code::Down => list.marked = (list.marked + 1) % list.names.len(),
        Code::Tab => return Some(complete(app)),
        Code::Enter if !key.alt && !key.shift => return Some(complete(app)),
        _ => return None,
    }
    Some(Vec::new())
}

/// Keys that move out of the text at its edge stay in it, and do nothing else.
fn typed(app: &mut App, key: Key) -> Vec<Effect> {
    if key.code == Code::Up && (app.composer().is_blank() || app.composer().sent.1.is_some()) {
        return sent(app, true);
    }
    if key.code == Code::Down && app.composer().sent.1.is_some() {
        return sent(app, false);
    }
    match key {
        _ if app.composer().leaves(key) => Vec::new(),
        _ if key == Key::ctrl('_') || key == Key::ctrl('z') => edit(app, |area| _ = area.undo()),
        _ if key == Key::ctrl('u') => edit(app, |area| _ = area.delete_line_by_head()),
        _ => edit(app, |area| _ = area.input(key)),
    }
}

fn edit(app: &mut App, change: impl FnOnce(&mut TextArea<'static>)) -> Vec<Effect> {
    let before = app.composer().text();
    change(&mut app.composer().area);
    let is_same = before == app.composer().text();
    changed(app, is_same);
    Vec::new()
}

fn changed(app: &mut App, is_same: bool) {
    app.composer().completion = candidates(&app.model);
    if is_same {
        return;
    }
    if app.composer().is_blank() {
        app.composer().reply_to = None;
    }
    app.model.writing.composer.changed_at.get_or_insert(app.model.now);
    app.composer().asked_about = None;
    app.model.prompt.notice = None;
}

/// A text was pasted: it is text, whatever is in it.
pub fn paste(app: &mut App, text: &str) -> Vec<Effect> {
    if app.composer().is_sending() {
        app.model.writing.composer.changed_at.get_or_insert(app.model.now);
        app.composer().next.push_str(text);
        return Vec::new();
    }
    app.composer().area.insert_str(text);
    changed(app, false);
    app.composer().completion = None;
    Vec::new()
}

/// The text came back from an editor.
pub fn edited(app: &mut App, text: &str) -> Vec<Effect> {
    let text = text.trim_end_matches('\n').to_owned();
    let reply_to = app.composer().reply_to;
    app.composer().set(&Draft { reply_to, ..Draft::ended(text) });
    app.composer().is_open = true;
    changed(app, false);
    keep(app)
}

/// Puts the marked name into the text.
fn complete(app: &mut App) -> Vec<Effect> {
    let list = app.composer().completion.take().or_else(|| candidates(&app.model));
    let Some(list) = list else {
        return edit(app, |area| _ = area.insert_tab());
    };
    let name = list.names[list.marked.min(list.names.len() - 1)].to_string();
    let typed = list.typed.chars().count();
    edit(app, |area| {
        for _ in 0..typed {
            area.delete_char();
        }
        area.insert_str(format!("{name} "));
    })
}

/// A text that was sent before, in place of this one.
fn sent(app: &mut App, older: bool) -> Vec<Effect> {
    let composer = &app.model.writing.composer;
    let (texts, at) = &composer.sent;
    if texts.is_empty() {
        return app.model.tell("nothing was sent from here yet");
    }
    if at.is_none() && !composer.is_blank() {
        return app.model.tell("sent messages come into an empty box only");
    }
    let to = recalled(*at, older, texts.len());
    let text = to.map(|to| texts[to].clone()).unwrap_or_default();
    app.composer().set(&Draft::ended(text));
    app.composer().sent.1 = to;
    changed(app, false);
    Vec::new()
}

/// Enter: a line that ends in a backslash continues; unknown names are asked about once.
fn enter(app: &mut App) -> Vec<Effect> {
    if app.composer().before_caret().ends_with('\\') {
        return edit(app, |area| {
            area.delete_char();
            area.insert_newline();
        });
    }
    let text = app.composer().text();
    if text.trim().is_empty() {
        let close = app.model.key(Action::Close);
        return app.model.tell(format!("nothing to send: write something, or {close} closes"));
    }
    if !app.model.is_live() {
        let is_on_disk = app.model.writing.drafts.is_on_disk(&app.model.writing.composer.address);
        let kept = if is_on_disk { "kept as draft" } else { "the draft is not saved" };
        app.model.warn(format!("not connected: {kept}"));
        return keep(app);
    }
    if app.composer().sending.is_some() {
        return app.model.tell("another message is on its way");
    }
    let unknown = reach(&app.model).unknown;
    if !unknown.is_empty() && app.composer().asked_about.as_ref() != Some(&text) {
        let (names, send) = (unknown.join(", @"), app.model.key(Action::Send));
        app.model.warn(format!("unknown member @{names}: {send} again sends it all the same"));
        app.composer().asked_about = Some(text);
        return Vec::new();
    }
    send(app, text)
}

/// Sends the text. One whose sending failed before it was known whether it is stored keeps its
/// key, so that it is stored once.
fn send(app: &mut App, text: String) -> Vec<Effect> {
    let composer = &mut app.model.writing.composer;
    let (address, reply_to) = (composer.address.clone(), composer.reply_to);
    let is_same = |it: &Sending| it.text == text && it.reply_to == reply_to;
    let same = composer.unsure.remove(&address).filter(is_same);
    let sending = same.unwrap_or_else(|| Sending { key: fresh_key(), address, text, reply_to });
    composer.sending = Some(sending.clone());
    composer.completion = None;
    [keep(app), vec![Effect::Ask(Request::Send(sending))]].concat()
}

/// The message is stored.
pub fn stored(app: &mut App, address: &Address, key: &str) -> Vec<Effect> {
    let Some(sending) = app.composer().sending.take_if(|sending| sending.key == key) else {
        return Vec::new();
    };
    let mut effects = vec![offer(app, sending.text, Record::Sent)];
    let next = Draft::ended(std::mem::take(&mut app.composer().next));
    effects.push(app.model.writing.drafts.keep(address, next.clone()));
    if app.composer().address == *address {
        app.composer().set(&next);
        app.composer().saved.clone_from(&next.text);
        app.composer().saved_at = None;
        app.composer().changed_at = None;
        app.composer().is_open &= !next.text.is_empty();
    }
    if !address.agents().is_empty() {
        app.model.selection.marked.clear();
        app.model.tell(format!("sent to {address}"));
    }
    let shown = Address::of(&app.model.place.subject, &app.model.settings.identity);
    if shown.as_ref() == Some(address) {
        effects.extend(scroll::newest(&mut app.model));
    }
    effects
}

/// The message is not stored, or its fate is unknown.
pub fn failed(app: &mut App, address: &Address, key: &str, trouble: RequestError) -> Vec<Effect> {
    let Some(sending) = app.composer().sending.take_if(|sending| sending.key == key) else {
        return Vec::new();
    };
    // Sent again, the text must be the same: what was typed behind it is offered beside it.
    let next = std::mem::take(&mut app.composer().next);
    let (mut effects, mut more) = (Vec::new(), "");
    if !next.is_empty() {
        effects.push(offer(app, next, |next| Record::Unsent(Purpose::from(address), next)));
        effects.extend(app.model.writing.drafts.again(address));
        more = "; what was typed since is with the sent messages";
    }
    if trouble.is_unsure || trouble.code.is_none() {
        app.composer().unsure.insert(address.clone(), sending);
        let send = app.model.key_in(&[Context::Composer], Action::Send);
        let kept = format!("kept: {send} sends it again, it is stored once{more}");
        let in_part = trouble.code.map(|_| format!("{}; {kept}", trouble.message));
        app.model.warn(in_part.unwrap_or_else(|| format!("{kept} ({})", trouble.message)));
        return effects;
    }
    app.open(Window::NotSent(address.clone(), sending.text, trouble));
    effects
}

/// Offers a text again, as the newest of those that were sent.
pub fn offer(app: &mut App, text: String, record: impl FnOnce(String) -> Record) -> Effect {
    let (texts, at) = &mut app.composer().sent;
    texts.retain(|known| *known != text);
    texts.push(text.clone());
    if texts.len() > SENT {
        texts.remove(0);
    }
    *at = None;
    Effect::Store(record(text))
}
