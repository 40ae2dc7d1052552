//! Frames as an emulator shows them, and the terminal over a pseudo-terminal.

mod allowed;
mod frames;
mod held;
mod pty;
