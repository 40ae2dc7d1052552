//! How a message is told.

use agent_worker_client::Clean;
use agent_worker_protocol::{Conversation, Message, MessageDetail};

use super::search::sought_in;
use crate::{
    model::{Effect, Item, Model, Request, Window},
    paint::Row,
    text::{
        cut,
        mentions::{self, Reached},
    },
};

/// The first line of a message that says something.
pub fn first_line(message: &Message) -> String {
    let text = Clean::text(cut::part(&message.content));
    let mut lines = text.as_str().lines().map(str::trim);
    lines.find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

/// A message in one line: which, by whom, and how it begins.
pub fn label(message: &Message) -> String {
    format!("{} {}: {}", message.id, message.sender, first_line(message))
}

/// A message's text in rows.
pub fn text(model: &Model, message: &Message, width: usize) -> Vec<Row> {
    let reached = Reached {
        names: &message.mentions.resolved,
        all: message.mentions.all,
        person: model.person(),
    };
    let text = Clean::text(cut::part(&message.content));
    mentions::rows(&text, reached, model.symbols(), width)
}

/// Whom a message is for.
pub fn to(message: &Message) -> String {
    let names: Vec<_> = message.mentions.resolved.iter().map(ToString::to_string).collect();
    match &message.group {
        Conversation::Direct(one, other) => {
            format!("{} alone", if *one == message.sender { other } else { one })
        }
        _ if message.mentions.all => "all".to_owned(),
        Conversation::Group(name) => format!("the group {name}"),
        Conversation::Channel if names.is_empty() => "-".to_owned(),
        Conversation::Channel => names.join(" "),
    }
}

/// The recipients: `all (5): reviewer coder …`; `None` without deliveries.
pub fn recipients(detail: &MessageDetail) -> Option<String> {
    let names =
        detail.deliveries.iter().filter_map(|delivery| delivery.delivery.agent.name.as_ref());
    let names: Vec<_> = names.map(ToString::to_string).collect();
    if names.is_empty() {
        return None;
    }
    let all = detail.message.mentions.all.then(|| format!("all ({}): ", names.len()));
    Some(all.unwrap_or_default() + &names.join(" "))
}

/// Who has read it, and when.
pub fn read_by(model: &Model, detail: &MessageDetail) -> String {
    if detail.read_by.is_empty() {
        return "not known yet".to_owned();
    }
    let readers = detail.read_by.iter().map(|reader| match reader.at {
        Some(at) => format!("{} {}", reader.name, model.zone().clock(at)),
        None => reader.name.to_string(),
    });
    readers.collect::<Vec<_>>().join(", ")
}

/// Shows a message's whole text, from the first match of a search on; that of a long one is asked
/// for.
pub fn whole(model: &mut Model, message: &Message) -> Vec<Effect> {
    let find = sought_in(model, &Item::Message(message.id)).to_owned();
    match message.resource {
        Some(resource) if model.is_live() => {
            model.tell(format!("loading {resource}"));
            vec![Effect::Ask(Request::Resource(message.scope.clone(), resource, find))]
        }
        _ => {
            let title = message.id.to_string();
            vec![Effect::Open(Window::finding(title, &message.content, &find))]
        }
    }
}
