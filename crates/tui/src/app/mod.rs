//! What becomes of the control room when something comes in.

mod act;
mod allowed;
mod answer;
mod compose;
mod feed;
mod go;
mod kept;
mod keys;
mod mouse;
mod moving;
mod msg;
mod selected;
mod show;
pub mod side_panel;
pub mod tabs;
mod timers;
mod tree;
mod update;
mod view;
mod whole;
mod windows;

pub use act::leave;
pub use allowed::{allowed, is_possible};
pub use go::go;
pub use keys::takes_text;
pub use msg::Msg;
pub use timers::next as next_timer;
pub use update::update;
pub use view::asked;
pub use whole::App;
