//! The control room on a terminal: the real program and the real daemon, an emulator that answers as
//! a terminal does, and keys. Tests have the names of what `tui.md` asks for.

mod emulator;
mod keys;
mod quiet;
mod screen;
mod sizes;
mod slow;
mod stage;
mod start_and_end;
mod stopped;
mod tried;
