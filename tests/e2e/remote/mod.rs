//! `--host`: the daemon of another machine, over an `ssh` that runs its command beside it.

mod cuts;
mod refused;
mod used;

use std::{os::unix::fs::PermissionsExt as _, path::PathBuf};

use rustix::process::{Signal, kill_process};

use crate::support::{Finished, Home, PROGRAM, wait_until};

/// What the tests call the other machine.
pub const BOX: &str = "me@box";

/// Two machines: what a command keeps is near, its daemon is far.
pub struct Machines {
    pub near: Home,
    pub far: Home,
}

impl Machines {
    pub fn new() -> Self {
        let program = PathBuf::from(PROGRAM);
        Self::with_path(&format!("{}:/usr/bin:/bin", program.parent().unwrap().display()))
    }

    /// The search path of the far machine is this.
    pub fn with_path(path: &str) -> Self {
        let (mut near, far) = (Home::new(), Home::new());
        let (at, work, home) = (near.work(), far.work(), far.path());
        let ssh = near.write(
            "bin/ssh",
            &format!(
                "#!/bin/sh\n\
                 echo \"$*\" >>'{at}/logins'\n\
                 if [ -e '{at}/down' ]; then\n\
                 echo 'ssh: connect to host box port 22: Connection timed out' >&2; exit 255\n\
                 fi\n\
                 while [ \"$1\" != -- ] && [ \"$1\" != -t ]; do shift; done\n\
                 shift 2\n\
                 [ -e '{at}/shell' ] && cat '{at}/shell'\n\
                 cd '{work}'\n\
                 exec env -i HOME='{work}' TMPDIR='{work}' LANG=C.UTF-8 PATH='{path}' \
                 AGENT_WORKER_HOME='{home}' sh -c \"$*\"\n",
                at = at.display(),
                work = work.display(),
                home = home.display(),
            ),
        );
        std::fs::set_permissions(&ssh, std::fs::Permissions::from_mode(0o755)).unwrap();
        near.set("PATH", &format!("{}:/usr/bin:/bin", at.join("bin").display()));
        Self { near, far }
    }

    /// Runs a command that uses the far daemon.
    pub fn run(&self, args: &[&str]) -> Finished {
        let args: Vec<_> = ["--host", BOX].iter().chain(args).copied().collect();
        self.near.run(&args)
    }

    /// The same, which must succeed; what it printed.
    pub fn ok(&self, args: &[&str]) -> String {
        let finished = self.run(args);
        assert_eq!(finished.code, Some(0), "{args:?}: {finished:?}");
        finished.stdout
    }

    /// How ssh was called, each time.
    pub fn logins(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.near.work().join("logins")).unwrap_or_default();
        text.lines().map(ToOwned::to_owned).collect()
    }

    /// Whether the far machine can be reached.
    pub fn set_reachable(&self, is_reachable: bool) {
        let down = self.near.work().join("down");
        if is_reachable {
            std::fs::remove_file(down).unwrap();
        } else {
            std::fs::write(down, "").unwrap();
        }
    }

    /// Ends every link, as a broken network does.
    pub fn cut(&self) {
        for process in self.ends() {
            kill_process(process, Signal::KILL).unwrap();
        }
    }

    fn ends(&self) -> Vec<rustix::process::Pid> {
        self.far.members().beginning("agent-worker remote-end")
    }

    /// No process of a link is left, and no file of the near machine.
    pub fn assert_nothing_is_left(&self) {
        wait_until("no link is left", || self.ends().is_empty() && self.near.members().is_empty());
        let left: Vec<_> = std::fs::read_dir(self.near.path()).unwrap().flatten().collect();
        assert!(left.is_empty(), "{left:?}");
        let beside = std::fs::read_dir(self.near.path().parent().unwrap()).unwrap().flatten();
        let mut beside: Vec<_> = beside.map(|entry| entry.file_name()).collect();
        beside.sort();
        assert_eq!(beside, ["home", "work"]);
    }
}
