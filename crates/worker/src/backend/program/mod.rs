//! Agent programs: programs with a loop and tools of their own, which the worker starts, hears and
//! ends. What all of them have in common is here; what one of them calls it is in its own module.

mod acp;
mod adapter;
mod by_hand;
mod claude;
mod codex;
mod content;
mod converse;
mod cursor;
mod find;
mod judge;
mod kept;
mod launch;
mod lines;
mod permitted;
mod run_program;
mod running;
mod servers;
mod story;

#[cfg(test)]
mod tests;

pub use self::{
    adapter::Adapter,
    converse::answer,
    judge::{Closing, Fault},
    kept::Kept,
    launch::Launch,
    lines::Said,
    run_program::Program,
    running::{Ended, Running},
    story::Story,
};
