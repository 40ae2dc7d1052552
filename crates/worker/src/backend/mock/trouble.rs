//! The ways in which a scripted run fails.

use std::{future::pending, process::abort};

use agent_worker_process::{Process, Signal};
use agent_worker_protocol::FailureClass;
use agent_worker_workflow_file::script;

use crate::{
    failure::Failure,
    processes::{tree, tree::GRACE},
    reports::Reports,
};

/// How much is written at once.
const CHUNK: usize = 8 << 10;

/// Lines that say nothing to the daemon, each for another reason.
const GARBAGE: [&[u8]; 5] = [
    b"this is not a report\n",
    b"{\"report\":\"applause\"}\n",
    b"{\"report\":\"delta\",\"n\":\"one\"}\n",
    b"[1, 2, {\"report\":\"finished\",\"text\":\"no\"}]\n",
    b"\xff\xfe\x00{\n",
];

/// Fails in the way that is asked for, if need be by not returning.
pub async fn make(failure: script::Failure, reports: &Reports) -> Failure {
    let failed = |class, error: &str| Failure::new(class, format!("the script says: {error}"));
    match failure {
        script::Failure::RateLimited(retry_after) => Failure {
            retry_after,
            ..failed(FailureClass::Unavailable, "the model is asked too often")
        },
        script::Failure::Unavailable => {
            failed(FailureClass::Unavailable, "the model cannot be reached")
        }
        script::Failure::Transient => failed(FailureClass::Transient, "something went wrong"),
        script::Failure::Permanent => failed(FailureClass::Permanent, "this will never work"),
        script::Failure::Overflow => failed(FailureClass::Overflow, "the context is too long"),
        script::Failure::Exit(code) => tree::end_and_exit(GRACE, i32::from(code)),
        script::Failure::Silent => tree::end_and_exit(GRACE, 0),
        script::Failure::Hang => pending().await,
        script::Failure::Crash => {
            Process::current().signal(Signal::KILL);
            abort()
        }
        script::Failure::Flood(bytes) => {
            flood(bytes, reports);
            tree::end_and_exit(GRACE, 0)
        }
        script::Failure::Garbage => {
            for line in GARBAGE {
                reports.write(line);
            }
            tree::end_and_exit(GRACE, 0)
        }
    }
}

fn flood(bytes: u64, reports: &Reports) {
    let chunk = [b'x'; CHUNK];
    for _ in 0..bytes / CHUNK as u64 {
        reports.write(&chunk);
    }
    let rest = usize::try_from(bytes % CHUNK as u64).expect("less than a chunk");
    reports.write(&chunk[..rest]);
}
