//! What an agent's own loop keeps from run to run: the session, which the daemon stores turn by
//! turn and that only this can read.

mod binding;
mod keeper;
mod kept;
mod lines;
mod stored;
mod summary;

#[cfg(test)]
mod tests;

pub use self::{
    binding::Head,
    keeper::Keeper,
    kept::{Kept, Opening, Seen, leave_out_thinking, push},
    lines::Lines,
    stored::History,
    summary::{gist, summarise},
};
