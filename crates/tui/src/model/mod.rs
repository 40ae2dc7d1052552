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

pub use self::{
    acts::Act,
    effects::{Effect, Outside, Record, Window},
    family::Branch,
    known::{
        files::{Found, Setting},
        inboxes::Mailbox,
        loaded::Loaded,
        messages::Messages,
        paging::Paging,
        runs::Tables,
        talks::{Talk, Talks},
    },
    layout::Regions,
    layouts::{Arrangement, Layout},
    notes::Notes,
    notice::{Notice, Until, has_passed},
    picked::{Pick, Picked, Sort},
    place::{Focus, Item, Place, Sought, Subject, Tab},
    possible::Possible,
    requests::{Answer, LogPage, Reply, Request, RequestError},
    settings::{Environment, Settings, Wishes},
    tree::{NavId, Root, Roots, family, lines as tree_lines},
    whole::{Display, Known, Model, Preferences, Reach},
    writing::{
        drafts::{Address, Completion, Composer, Draft, Purpose},
        history,
        kept::Drafts,
    },
};
