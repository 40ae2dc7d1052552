//! Agents that have a home.

mod days;
mod files;
mod heartbeat;
mod memory;
mod places;
mod prompt;

use std::{
    fs,
    path::{Path, PathBuf},
};

use agent_worker_protocol::{Run, RunState};

use crate::support::{Home, Watch, block_on};

/// A daemon with an agent that has a home and plays a script.
fn alice(home: &Home, script: &str) -> PathBuf {
    home.write("alice.yaml", script);
    home.ok(&["new", "alice", "--backend", "mock", "--script", "alice.yaml", "--home"]);
    path(home, "alice")
}

/// Where an agent's home is.
fn path(home: &Home, agent: &str) -> PathBuf {
    PathBuf::from(home.ok(&["home", "path", agent]).trim_end())
}

/// Has an agent do a run and waits for its end.
fn run(home: &Home, agent: &str, message: &str) -> Run {
    block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        home.ok(&["send", agent, message]);
        watch.run_ended(|_| true).await
    })
}

/// The same for a run that must succeed.
fn succeed(home: &Home, agent: &str, message: &str) -> Run {
    let run = run(home, agent, message);
    assert_eq!(run.state, RunState::Succeeded, "{run:?}");
    run
}

/// Everything that is noted in the files of days.
fn daily(path: &Path) -> String {
    let files = fs::read_dir(path.join("memory/daily")).unwrap();
    files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect()
}
