//! Standard input: what the worker has to do, and then the sign that there still is a daemon.

use std::{
    io::{self, BufRead, Read},
    thread,
    time::Duration,
};

use agent_worker_protocol::WorkerConfig;

use crate::processes::tree;

/// How much a configuration may take: a script and a system prompt at their longest, and more.
const MAX_CONFIG: u64 = 64 << 20;

/// How much the guard's thread needs to look through processes.
const STACK: usize = 256 << 10;

/// What the first line says; nothing if the daemon is gone.
pub fn config() -> Result<Option<WorkerConfig>, String> {
    let mut line = Vec::new();
    let read = io::stdin().lock().take(MAX_CONFIG).read_until(b'\n', &mut line);
    if read.is_err() || line.last() != Some(&b'\n') {
        let is_whole = serde_json::from_slice::<serde::de::IgnoredAny>(&line).is_ok();
        return if is_whole || line.len() as u64 == MAX_CONFIG {
            Err("the worker's configuration is not one line of at most 64 MiB".to_owned())
        } else {
            Ok(None)
        };
    }
    // What is wrong with it is told, what it says is not: it holds the run's token.
    serde_json::from_slice(&line).map(Some).map_err(|bad| {
        format!(
            "the worker does not understand its configuration, at column {}: {:?}",
            bad.column(),
            bad.classify()
        )
    })
}

/// Watches over the rest of standard input, whatever else the worker does: its end is the end of
/// the daemon, and then also of the worker and of all below it, at once.
pub fn guard() -> io::Result<()> {
    let guard = thread::Builder::new().name("guard".to_owned()).stack_size(STACK);
    guard.spawn(|| {
        let mut stdin = io::stdin().lock();
        let mut ignored = [0; 256];
        loop {
            match stdin.read(&mut ignored) {
                Ok(1..) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => tree::end_and_exit(Duration::ZERO, 1),
            }
        }
    })?;
    Ok(())
}
