//! A panic while the daemon starts.

use std::{
    panic, process,
    sync::atomic::{AtomicBool, Ordering},
};

use crate::output::Output;

/// Ends the process at a panic until the returned function is called. A runtime that got only some
/// of its threads would hang. `is_detached` says that the command that started it reads why.
pub fn end_at_panic(output: Output, is_detached: bool) -> impl FnOnce() {
    static HAS_STARTED: AtomicBool = AtomicBool::new(false);
    let tell = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        tell(panic);
        if HAS_STARTED.load(Ordering::Relaxed) {
            return;
        }
        if is_detached {
            let why = panic.payload_as_str().unwrap_or("a panic");
            let place = panic.location().map_or_else(String::new, |place| format!(", at {place}"));
            drop(output.print(&format!("failed cannot start: {why}{place}")));
        }
        process::exit(1);
    }));
    || HAS_STARTED.store(true, Ordering::Relaxed)
}
