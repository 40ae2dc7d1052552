//! The check of a request, by its interface.

use agent_worker_protocol::provider::Wire;

use super::{anthropic::anthropic, chat::chat, refusal::Refusal, responses::responses};
use crate::fake_model::asked::Asked;

/// What is wrong with a request, if anything is. No answer may be longer than `longest` tokens.
pub fn refusal(asked: &Asked, longest: u32) -> Option<Refusal> {
    let (body, model) = (&asked.body, asked.model.as_str());
    match asked.wire {
        Wire::Anthropic => anthropic(body, model, longest),
        Wire::Openai => chat(body, model),
        Wire::Responses => responses(body, model),
    }
}
