//! What real servers refuse, in their own words, so that a request that a paid server would refuse
//! fails in a rehearsal too.

mod anthropic;
mod chat;
mod check;
mod gemini;
mod refusal;
mod responses;

pub use self::{
    anthropic::{is_current_claude, signature},
    check::refusal,
    responses::{call_id, encrypted},
};
