//! What the screen knows: the daemon's picture, where the person is, what is written, asked and
//! told. It holds no clock: time comes in with every message.

pub mod acts;
pub mod consequences;
pub mod contexts;
pub mod effects;
pub mod groups;
pub mod known;
pub mod layout;
pub mod layouts;
pub mod needs;
pub mod notes;
mod notice;
pub mod picked;
pub mod place;
pub mod possible;
pub mod reach;
pub mod refusal;
pub mod requests;
pub mod settings;
pub mod tree;
mod whole;
pub mod words;
pub mod writing;

pub use acts::Act;
pub use effects::{Effect, Outside, Record, Window};
pub use known::{files::Found, loaded::Loaded, paging::Paging};
pub use layouts::Layout;
pub use notice::{Until, has_passed};
pub use picked::{Pick, Picked, Sort};
pub use place::{Focus, Item, Place, Sought, Subject, Tab};
pub use possible::Possible;
pub use requests::{Answer, LogPage, Reply, Request, RequestError};
pub use tree::{NavId, family, lines as tree_lines};
pub use whole::{Display, Known, Model, Preferences, Reach};
pub use writing::{drafts::Address, history};
