//! Terms that everything else is said in: names, addresses, ids, times, and how they are written.

pub mod forms;
pub mod id;
pub mod lowered;
pub mod member;
pub mod mention;
pub mod name;
pub mod nearest;
pub mod ordered;
pub mod shell;
pub mod target;
pub(crate) mod text;
pub mod time;
pub mod word;
pub mod words;

pub use self::forms::FromText;

pub use self::{member::*, mention::*, name::*, ordered::*, target::*, time::*, word::*};
// What ids number is named with its module: `RunKind` is why a run began.
pub use id::{BadId, MessageId, ProposalId, QuestionId, ResourceId, RunId, ScheduleId, SessionId};
