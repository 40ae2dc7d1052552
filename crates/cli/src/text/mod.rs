//! What the texts of all commands are made of. Everything here makes text of values and does nothing
//! else; what agents wrote is sanitized on its way.

pub mod layout;
mod list;
mod loss;
pub mod usage;
mod view;

pub use agent_worker_client::text::Clock;
pub use list::{Column, List, MORE};
pub use loss::Loss;
#[cfg(test)]
pub use view::plain;
pub use view::{
    View, bold, cell, cell_or_dash, coloured, dim, hint, line, line_or_dash, or_dash, paragraphs,
};
