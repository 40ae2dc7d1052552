//! The control room on a terminal: the real program and the real daemon, an emulator that answers as
//! a terminal does, and keys.

mod emulator;
mod screen;
mod tried;
