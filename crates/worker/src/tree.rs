//! The processes below the worker: how they are started, and how they end with it.

use std::{
    io,
    process::exit,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use agent_worker_protocol::{
    process::{Process, end_descendants},
    report::WorkerConfig,
};
use tokio::process::{Child, Command};

/// Whether nothing more is started, because all that runs is being ended.
static IS_CLOSED: Mutex<bool> = Mutex::new(false);

/// Makes all that will run below this process its own, whatever leaves its parents and sessions,
/// and asks for TERM when the daemon dies. Comes before all else.
pub fn adopt() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{
            Signal, getpid, set_child_subreaper, set_parent_process_death_signal,
        };
        // A kernel that has neither still has the end of standard input.
        let _ = set_child_subreaper(Some(getpid()));
        let _ = set_parent_process_death_signal(Some(Signal::TERM));
    }
}

/// Lets the system's lists of processes tell one worker from another.
pub fn name(config: &WorkerConfig) {
    #[cfg(target_os = "linux")]
    {
        let what = match config {
            WorkerConfig::Run(config) => config.agent.as_str(),
            WorkerConfig::Step(_) => "setup",
        };
        let name = std::ffi::CString::new(format!("aw:{what}"));
        let _ = name.map(|name| rustix::thread::set_name(&name));
    }
    #[cfg(not(target_os = "linux"))]
    let _ = config;
}

/// Starts a program, unless all is about to end.
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    let is_closed = IS_CLOSED.lock().unwrap_or_else(PoisonError::into_inner);
    if *is_closed {
        return Err(io::Error::other("the worker is about to end"));
    }
    command.spawn()
}

/// Ends all that runs below this process, and lets nothing more be started.
pub fn end(grace: Duration) {
    // Whoever starts something does so before this, or sees it: nothing is started after the
    // last look. The lock is not kept, so that one who is in more of a hurry can overtake.
    *IS_CLOSED.lock().unwrap_or_else(PoisonError::into_inner) = true;
    end_descendants(Process::current(), grace);
}

/// Does not return once all is being ended: what goes on then has lost its footing, and has nothing
/// to say any more.
pub fn halt_if_closed() {
    let is_closed = *IS_CLOSED.lock().unwrap_or_else(PoisonError::into_inner);
    if is_closed {
        loop {
            std::thread::park();
        }
    }
}

/// Ends all that runs below this process, and then the process.
pub fn end_and_exit(grace: Duration, code: i32) -> ! {
    end(grace);
    exit(code)
}
