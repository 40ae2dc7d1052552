//! The side panel. Beside a conversation it follows the run that matters most there; beside an agent
//! it shows what belongs to that agent, beside a document its versions.

mod agent;
mod mail_rows;
mod panel;
mod target;

pub use panel::{act, click, draw, scroll, settle, shown};
pub use target::{run, target};
