//! What the tests stand on.

mod chance;
mod cutter;
mod home;
mod ledger;
mod lines;
mod processes;
mod skip;
mod stub_agent;
mod team;
mod transcript;
mod watch;

use std::time::Duration;

use agent_worker_client::Client;
use agent_worker_protocol::{RunList, RunState};

pub use chance::Chance;
pub use cutter::Cutter;
pub use home::{Finished, Home, PROGRAM, Running};
pub use ledger::Ledger;
pub use lines::Lines;
pub use processes::{Members, own_memory, peak_memory, wait_until};
pub use skip::{Node, node_with, not_permitted, python_with, real_program, skip};
pub use stub_agent::{Script, Step, stub_agent};
pub use team::{Team, mock};
pub use transcript::transcript;
pub use watch::Watch;

/// How long a test waits for something that must happen. It is generous: the machines are slow
/// and shared, and only a test that fails waits so long.
pub const DEADLINE: Duration = Duration::from_mins(3);

/// How many runs ended with their daemon.
pub async fn lost_runs(client: &Client) -> usize {
    let newest = RunList { limit: Some(500), ..RunList::default() };
    let page = client.call(&newest).await.expect("the daemon answers");
    assert!(!page.more, "these are all of them");
    page.runs.iter().filter(|run| run.state == RunState::Lost).count()
}

/// Runs a test's future, with all that it needs.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(future)
}

/// Waits for something that must happen, and says what if it does not.
pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    let in_time = tokio::time::timeout(DEADLINE, future).await;
    in_time.unwrap_or_else(|_| panic!("not within {DEADLINE:?}: {what}"))
}
