//! How long the answer of a tool is. Clients cut a longer one, or keep it from their model.

use agent_worker_protocol::{ChannelRead, Documents, Messages, Op, Search, Team};
use serde::Serialize;

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

/// Returns the members that fit into an answer, with the one who asks, and how many more there are.
pub fn fitted_team(team: Team) -> Team {
    let kept = fitting(team.members.iter());
    team.at_most(kept)
}

/// Returns the documents that fit into an answer, and how to find the others.
pub fn fitted_documents(mut list: Documents) -> Documents {
    let kept = fitting(list.documents.iter());
    let more = list.documents.len() - kept;
    list.documents.truncate(kept);
    list.more =
        (more > 0).then(|| format!("{more} more: `{}` finds them by their text", Search::NAME));
    list
}

/// How many of these fit into an answer, at least one.
pub fn fitting<'m, T: Serialize + 'm>(all: impl Iterator<Item = &'m T>) -> usize {
    let mut left = MOST_CHARS as usize;
    let fits = |(n, one): &(usize, &T)| {
        let chars = serde_json::to_string(one).map_or(0, |text| text.chars().count());
        let fits = chars <= left || *n == 0;
        left = left.saturating_sub(chars);
        fits
    };
    all.enumerate().take_while(fits).count()
}
