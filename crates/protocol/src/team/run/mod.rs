//! Runs: one worker process doing one piece of work for one agent, and its transcript.

mod ask;
mod block;
mod ops;
mod state;

pub use self::{
    ask::{Answer, Ask, AskEvent, Asked},
    block::{Block, BlockKind, BlockState, OutputEvent},
    ops::{ModelAway, Run, RunCancel, RunDetail, RunList, RunRetry, RunShow, Runs, SILENT},
    state::{FailureClass, MOST_DOLLARS, RunKind, RunState, Usage},
};
