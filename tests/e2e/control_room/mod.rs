//! The control room on a terminal: the real program and the real daemon, an emulator that answers as
//! a terminal does, and keys; and the mirror that it stands on. Tests have the names of what the
//! control room's acceptance list asks for.

mod breaking;
mod emulator;
mod follower;
mod keys;
mod mirror;
mod quiet;
mod screen;
mod sizes;
mod slow;
mod stage;
mod start_and_end;
mod stopped;
mod talk;
mod tried;
