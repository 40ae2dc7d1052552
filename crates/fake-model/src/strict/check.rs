//! The check of a request, by its interface.

use super::{
    anthropic::anthropic, chat::chat, gemini::gemini, refusal::Refusal, responses::responses,
};
use crate::{asked::Asked, interface::Interface};

/// What is wrong with a request, if anything is. No answer may be longer than `longest` tokens.
pub fn refusal(asked: &Asked, longest: u32) -> Option<Refusal> {
    let (body, model) = (&asked.body, asked.model.as_str());
    match asked.interface {
        Interface::Anthropic => anthropic(body, model, longest),
        Interface::Openai => chat(body, model),
        Interface::Responses => responses(body, model),
        Interface::Gemini => gemini(body),
    }
}
