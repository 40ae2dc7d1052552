//! Several lines selected together, to copy them.

use agent_worker_protocol::Message;

use super::{
    item::Entry,
    pages::{Pages, happened},
    scroll,
};
use crate::{
    action::Action,
    model::{Effect, Model},
    parts::flow::Flow as _,
};

/// Begins to select several lines from the selected one, or ends it.
pub fn turn(model: &mut Model) -> Vec<Effect> {
    let current = model.conversation().zip(scroll::current(model));
    let Some((key, mark)) = current else { return model.tell("no message here") };
    let talk = model.known.talks.get_mut(&key);
    if talk.anchor.take().is_some() {
        return Vec::new();
    }
    (talk.anchor, talk.selected) = (Some(mark), Some(mark));
    let [down, up, copy, end] =
        [Action::Down, Action::Up, Action::Copy, Action::Back].map(|action| model.key(action));
    model.tell(format!("{down} {up} select more, {copy} copies them, {end} ends it"))
}

fn entries<'a>(pages: &Pages<'a>) -> Vec<Entry<'a>> {
    let all = (0..pages.len()).filter_map(|line| pages.get(line));
    all.filter(|entry| pages.talk.is_among_selected(entry.mark())).collect()
}

/// How many lines are selected together; 0 if none are.
pub fn count(model: &Model) -> usize {
    let talk = model.conversation().and_then(|key| model.known.talks.get(&key));
    let talk = talk.filter(|talk| talk.anchor.is_some());
    talk.map_or(0, |talk| entries(&Pages::new(model, talk)).len())
}

/// Copies what is selected together, and ends the selection; `None` if nothing is.
pub fn copy(model: &mut Model) -> Option<Vec<Effect>> {
    let key = model.conversation()?;
    let talk = model.known.talks.get(&key).filter(|talk| talk.anchor.is_some())?;
    let text = match entries(&Pages::new(model, talk)).as_slice() {
        [Entry::Message(only)] => only.content.clone(),
        all => all.iter().map(|entry| told(model, *entry)).collect::<Vec<_>>().join("\n"),
    };
    model.known.talks.get_mut(&key).anchor = None;
    Some(vec![Effect::Copy(text)])
}

fn told(model: &Model, entry: Entry<'_>) -> String {
    let at = model.zone().clock(entry.at());
    match entry {
        Entry::Message(Message { sender, content, .. }) => {
            format!("{at} {sender}: {}", content.trim_end())
        }
        Entry::Note(note, _) => format!("{at} ~ {}", happened(model, note)),
    }
}
