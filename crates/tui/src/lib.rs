//! The control room: a screen of the daemon's state, kept true by its feed. It depends on nothing
//! of the daemon but what is on the wire.
//!
//! ```text
//! terminal ──── Input ──┐                    ┌─ Effect ─ connection ─ the daemon
//! connection ── answers ┼─ Msg ─ update(App) ┼─ Effect ─ terminal, disk, editor
//! clock ─────── ticks ──┘                    └─ draw(&App) ─ cells ─ bytes
//! ```

#![expect(
    clippy::needless_pass_by_value,
    reason = "what comes in belongs to its receiver, and so do answers that are shown"
)]
#![expect(
    clippy::unnecessary_wraps,
    reason = "panes and overlays answer alike, whether each of them has something to say or not"
)]
#![cfg_attr(
    test,
    expect(
        clippy::default_trait_access,
        clippy::format_push_string,
        clippy::format_collect,
        reason = "a story is told shortly"
    )
)]

mod action;
mod app;
mod cells;
mod clipboard;
mod event_loop;
mod key;
mod keys;
mod model;
mod mouse;
mod overlays;
mod paint;
mod panes;
mod parts;
mod screen;
mod symbols;
mod terminal;
mod text;
mod theme;

#[cfg(test)]
mod tests;

pub use event_loop::{
    Collect, Ended, Options,
    config::{Problem, check_config, hosts},
    dump::dump,
    linear::linear,
    run,
};
pub use terminal::{NotATerminal, install_panic_hook};

#[cfg(any(test, feature = "figures"))]
#[path = "../../../benches/in_tui/mod.rs"]
pub mod figures;

#[cfg(test)]
#[path = "../../../tests/cases.rs"]
mod cases;
