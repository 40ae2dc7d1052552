//! Answers in the words of each interface.

mod anthropic;
mod gemini;
mod openai;
mod responses;
mod sent;
mod stream;

pub use self::{
    sent::Sent,
    stream::{about, error, garbage, refusal, stream, stream_error, whole},
};
