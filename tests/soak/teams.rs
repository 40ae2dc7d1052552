//! Who works: four teams of four, whose runs go wrong now and then.

use std::{collections::BTreeMap, fmt::Write};

use agent_worker_protocol::{Mode, Source, WorkflowStart};

use crate::daemon::Daemon;

/// How many teams there are.
pub const TEAMS: usize = 4;

/// How many agents each has.
pub const AGENTS: usize = 4;

/// What a run does, by a word of its mail. Whatever goes wrong does so once for each message, and
/// leaves something behind.
const SCRIPT: &str = r#"
- when: "crash (?<n>\\d+)"
  times: 0
  do:
    - shell: "[ -e ${{ match.n }} ] || { touch ${{ match.n }}; setsid sleep 600 & sleep 601 & kill -9 $PPID; sleep 602; }"
    - say: "after a crash"
- when: "hang (?<n>\\d+)"
  times: 0
  do:
    - shell: "[ -e ${{ match.n }} ] || { touch ${{ match.n }}; setsid sleep 600 & trap '' TERM; sleep 601; }"
    - say: "after a hang"
- when: "pass (?<n>\\d+) to (?<who>[a-z0-9-]+)"
  times: 0
  do:
    - call: channel_send
      with: { message: "@${{ match.who }} here is ${{ match.n }}" }
- when: "long (?<n>\\d+)"
  times: 0
  do:
    - say: "LONG"
- times: 0
  do: [ { think: hm }, { say: "done" }, { usage: { input: 100, output: 20 } } ]
"#;

/// The name of an agent.
pub fn agent(n: usize) -> String {
    format!("agent-{}", n % AGENTS)
}

/// Starts all teams.
pub async fn start(daemon: &Daemon) {
    let client = daemon.client().await;
    let long = "a long answer with many words in it. ".repeat(60);
    let files = BTreeMap::from([("script.yaml".to_owned(), SCRIPT.replace("LONG", &long))]);
    for team in 0..TEAMS {
        let mut text = format!("name: team-{team}\nagents:\n");
        for n in 0..AGENTS {
            writeln!(text, "  {}: {{ backend: mock, script: script.yaml }}", agent(n))
                .expect("a string takes all");
        }
        let source = Source {
            file_name: "soak.yaml".to_owned(),
            text,
            folder: daemon.work().display().to_string(),
            files: files.clone(),
            path_env: std::env::var("PATH").ok(),
            ..Source::default()
        };
        let start = WorkflowStart { source, mode: Mode::Start, fresh: false };
        client.call(&start).await.expect("it starts");
    }
}
