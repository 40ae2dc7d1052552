//! How long the answer of a tool is. Clients cut a longer one, or keep it from their model.

use agent_worker_protocol::{ChannelRead, Message, Messages};

/// Most characters of text in an answer, unless the call asks for more.
pub const MOST_CHARS: u32 = 40_000;

/// Most characters of an answer that asks for more, as JSON: what a client should not cut.
pub const LONGEST_RESULT: u32 = 500_000;

/// Returns as many messages as fit into an answer, at least one: the first ones after a message,
/// else the newest.
pub fn fitted(mut page: Messages, look: &ChannelRead) -> Messages {
    let all = page.messages.len();
    if look.after.is_some() {
        let kept = fitting(page.messages.iter());
        page.messages.truncate(kept);
    } else {
        let kept = fitting(page.messages.iter().rev());
        page.messages.drain(..all - kept);
    }
    page.more |= page.messages.len() < all;
    page
}

pub fn fitting<'m>(messages: impl Iterator<Item = &'m Message>) -> usize {
    let mut left = MOST_CHARS as usize;
    let fits = |(n, message): &(usize, &Message)| {
        let chars = serde_json::to_string(message).map_or(0, |text| text.chars().count());
        let fits = chars <= left || *n == 0;
        left = left.saturating_sub(chars);
        fits
    };
    messages.enumerate().take_while(fits).count()
}
