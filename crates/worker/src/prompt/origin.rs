//! Who sent a message, and when.

use std::fmt::{self, Write as _};

use agent_worker_protocol::{Message, Name, Timestamp};

/// Who sent a message when, and which one it answers.
pub fn write_origin(text: &mut String, message: &Message, me: Option<&Name>) -> fmt::Result {
    let is_mine = if me == Some(&message.sender) { ", you" } else { "" };
    let (sender, kind) = (&message.sender, message.sender_kind.as_str());
    write!(text, "from: @{sender} ({kind}{is_mine}) | sent: {}", time(message.created_at))?;
    match message.reply_to {
        Some(answered) => writeln!(text, " | answers: {answered}"),
        None => writeln!(text),
    }
}

/// A point in time for people and models, to the second.
pub fn time(at: Timestamp) -> String {
    match jiff::Timestamp::from_millisecond(at.0) {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        Err(_) => "unknown".to_owned(),
    }
}
