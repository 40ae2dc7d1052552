//! Folders on a disk that hangs: only what works there waits.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use agent_worker_protocol::{EventBody, Mode, RunCancel, RunState};

use crate::support::{Home, Team, block_on, mock, not_permitted};

/// Mounts a file system whose server answers nothing, and holds the server's end of it.
const MOUNT: &str = "exec 3<>/dev/fuse && \
    mount -i -t fuse -o fd=3,rootmode=40000,user_id=$(id -u),group_id=$(id -g) hung \"$0\" && \
    echo mounted && read line";

/// A folder that hangs, until the end of the test.
struct Hung {
    at: PathBuf,
    server: Child,
}

impl Hung {
    /// Has a folder hang, if this may be done.
    fn mount_at(test: &str, at: PathBuf) -> Option<Self> {
        let mut command = Command::new("sh");
        command.args(["-c", MOUNT]).arg(&at).stderr(Stdio::null());
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        if line.trim() != "mounted" {
            server.wait().unwrap();
            not_permitted(test, "this user may mount nothing");
            return None;
        }
        Some(Self { at, server })
    }
}

impl Drop for Hung {
    fn drop(&mut self) {
        // Without a server, each call that waits there fails.
        drop(self.server.kill());
        drop(self.server.wait());
        drop(Command::new("umount").arg("--lazy").arg(&self.at).status());
    }
}

#[test]
fn a_working_folder_that_hangs_keeps_no_other_agent_from_work() {
    let test = "a_working_folder_that_hangs_keeps_no_other_agent_from_work";
    let home = Home::new();
    let folder = home.work().join("hung");
    fs::create_dir(&folder).unwrap();
    let daemon = home.daemon();
    let team = Team::new("team", "")
        .file("script.yaml", &mock("- say: done"))
        .with("  alice: { backend: mock, script: script.yaml, cwd: hung }")
        .with("  bob: { backend: mock, script: script.yaml }");
    block_on(async {
        let client = home.client();
        let mut watch = team.watched(&home, &client, Mode::Start).await;
        let Some(_hung) = Hung::mount_at(test, folder) else { return };
        home.ok(&["send", "@team", "@alice go"]);
        let begun = watch.wait("alice's run begins", |event| match &event.body {
            EventBody::RunChanged(run) => Some(run.id),
            _ => None,
        });
        let id = begun.await;
        home.ok(&["send", "@team", "@bob go"]);
        let ended = watch.run_ended(|_| true).await;
        assert_eq!(ended.agent.to_string(), "bob@team", "{ended:?}");
        assert_eq!(ended.state, RunState::Succeeded, "{ended:?}");
        client.call(&RunCancel { id }).await.unwrap();
        let ended = watch.run_ended(|run| run.id == id).await;
        assert_eq!(ended.state, RunState::Cancelled, "{ended:?}");
    });
    daemon.stop();
}
