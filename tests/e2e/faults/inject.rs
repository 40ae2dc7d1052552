//! System calls of a daemon that fail, by `strace`.

use std::{
    fs,
    process::{Child, Command, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{not_permitted, skip, wait_until};

/// As long as this is there, the calls fail.
pub struct Inject {
    strace: Child,
}

impl Inject {
    /// Lets these calls fail with this error in all threads of a process; without any, all go on as
    /// they would. None where processes cannot be traced.
    pub fn attach(test: &str, pid: u32, failing: Option<(&str, &str)>) -> Option<Self> {
        let (trace, inject) = match failing {
            Some((calls, error)) => {
                (format!("trace={calls}"), format!("inject={calls}:error={error}"))
            }
            None => ("trace=none".to_owned(), "signal=none".to_owned()),
        };
        let strace = Command::new("strace")
            .args(["-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject])
            .args(["-p", &pid.to_string()])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut strace) = strace else {
            skip(test, "there is no strace");
            return None;
        };
        let mut has_ended = false;
        wait_until("all threads are traced", || {
            has_ended = strace.try_wait().expect("it is a child").is_some();
            has_ended || are_traced(pid, strace.id())
        });
        if has_ended {
            not_permitted(test, "strace may not trace another process");
            return None;
        }
        Some(Self { strace })
    }
}

fn are_traced(pid: u32, tracer: u32) -> bool {
    let by = format!("TracerPid:\t{tracer}\n");
    let threads = fs::read_dir(format!("/proc/{pid}/task")).expect("the process is there");
    threads.flatten().all(|thread| {
        let status = fs::read_to_string(thread.path().join("status"));
        status.is_ok_and(|status| status.contains(&by))
    })
}

impl Drop for Inject {
    fn drop(&mut self) {
        // It lets go of the process before it ends.
        let _ = kill_process(Pid::from_child(&self.strace), Signal::INT);
        drop(self.strace.wait());
    }
}
