//! Links that break, and daemons that restart behind them.

use std::process::{Child, Stdio};

use agent_worker_protocol::Mode;
use rustix::process::{Pid, Signal, kill_process};

use super::{BOX, Machines};
use crate::support::{Lines, Team, block_on, mock, wait_until};

/// A command that follows the messages of the far daemon, and its output.
struct Follower {
    child: Child,
    lines: Lines,
    printed: Vec<String>,
}

impl Follower {
    /// Starts it, and waits until it follows.
    fn start(machines: &Machines) -> Self {
        let args = ["--host", BOX, "events", "--follow", "--kind", "message.sent"];
        let mut command = machines.near.command(&args);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = Lines::of(child.stdout.take().unwrap());
        let mut follower = Self { child, lines, printed: Vec::new() };
        wait_until("the feed is there", || {
            say(machines, "early");
            machines.far.members().beginning("agent-worker remote-end").len() == 1
        });
        say(machines, "begun");
        follower.hear("begun");
        follower
    }

    fn hear(&mut self, text: &str) {
        loop {
            let line = self.lines.next().expect("it goes on");
            self.printed.push(line);
            if self.printed.last().unwrap().contains(text) {
                return;
            }
        }
    }

    fn times(&self, text: &str) -> usize {
        self.printed.iter().filter(|line| line.contains(text)).count()
    }
}

fn say(machines: &Machines, text: &str) {
    machines.far.ok(&["send", "@global", text]);
}

#[test]
fn a_feed_goes_on_after_a_cut_and_after_a_restart_of_the_daemon_there() {
    let machines = Machines::new();
    machines.far.ok(&["list"]);
    let mut follower = Follower::start(&machines);
    machines.set_reachable(false);
    machines.cut();
    say(&machines, "while it was cut");
    machines.set_reachable(true);
    follower.hear("while it was cut");
    let before = machines.far.daemon_file().unwrap();
    machines.far.ok(&["daemon", "restart"]);
    assert_ne!(machines.far.daemon_file().unwrap().pid, before.pid);
    say(&machines, "after a restart");
    follower.hear("after a restart");
    for text in ["begun", "while it was cut", "after a restart"] {
        assert_eq!(follower.times(text), 1, "{text}: {:?}", follower.printed);
    }
    kill_process(Pid::from_child(&follower.child), Signal::KILL).unwrap();
    follower.child.wait().unwrap();
    machines.assert_nothing_is_left();
}

#[test]
fn a_question_whose_link_is_cut_is_stored_and_the_command_says_so() {
    let machines = Machines::new();
    let _daemon = machines.far.daemon();
    let client = machines.far.client();
    let team = Team::new("team", "").agent("alice", &mock("- say: \"hm\"\n- sleep: 10m"));
    block_on(async { team.start(&machines.far, &client, Mode::Start).await });
    let asking = machines.near.start(&["--host", BOX, "ask", "alice@team", "well?"]);
    wait_until("it is asked", || machines.far.ok(&["status", "--json"]).contains("\"alice@team\""));
    machines.set_reachable(false);
    machines.cut();
    let asked = asking.finish();
    assert_eq!(asked.code, Some(3), "{asked:?}");
    assert!(asked.stderr.contains("lost the daemon: the question is stored"), "{asked:?}");
    machines.assert_nothing_is_left();
}

#[test]
fn a_machine_that_cannot_be_reached_is_told_with_the_words_of_ssh() {
    let machines = Machines::new();
    machines.set_reachable(false);
    for args in [&["list"][..], &["events", "--follow"], &["tui", "--dump", "80x24"]] {
        let refused = machines.run(args);
        assert_eq!(refused.code, Some(3), "{refused:?}");
        let said = "cannot reach me@box: ssh: connect to host box port 22: Connection timed out";
        assert!(refused.stderr.contains(said), "{refused:?}");
        assert!(refused.stderr.contains("hint: test: ssh me@box true"), "{refused:?}");
    }
    machines.assert_nothing_is_left();
}
