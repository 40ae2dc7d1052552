//! What answers a prompt: each backend in a folder of its own.

mod answer;
mod default;
mod failed;
mod marks;
mod mock;
mod narration;
mod program;
mod spoken;

pub use self::{
    answer::{answer, tell},
    program::Program,
};
