//! The control room on a terminal: the real program and the real daemon, an emulator that answers as
//! a terminal does, and keys; and the mirror that it stands on. Tests have the names of what the
//! control room's acceptance list asks for.

#![expect(
    clippy::needless_pass_by_value,
    clippy::redundant_closure_for_method_calls,
    clippy::type_complexity,
    clippy::unchecked_time_subtraction,
    reason = "tables of what a terminal asks and answers, and times that only grow"
)]

mod asked;
mod breaking;
mod crowd;
mod deep;
mod drafts;
mod emulator;
mod first;
mod follower;
mod keys;
mod linear;
mod link;
mod live;
mod long;
mod lost;
mod mirror;
mod payload;
mod quiet;
mod recorded;
mod refused;
mod remote;
pub mod screen;
mod several;
mod sizes;
mod slow;
mod stage;
mod start_and_end;
mod stopped;
mod tried;
mod unread;
mod viewed;
mod way;
mod wide;
