//! A message as it stands in a conversation: what it names is told apart, lists and quotes hang,
//! and code keeps its place. Whom it names is decided by the grammar that delivers it.

mod inline;
mod marks;
mod rows;

pub use marks::Reached;
pub use rows::rows;
