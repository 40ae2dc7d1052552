//! A small disk of a test's own, to be filled up.

use std::{fs::File, io::Write, path::PathBuf, process::Command};

use crate::support::{Home, not_permitted};

/// A file system in place of a home's state directory, gone at the end of the test.
pub struct Room {
    at: PathBuf,
}

impl Room {
    /// Mounts a file system of this number of MiB there, if the test may. A `config.toml` stays.
    pub fn mount(test: &str, home: &Home, megabytes: usize) -> Option<Self> {
        Self::mount_at(test, home.path(), megabytes)
    }

    /// The same in place of another folder.
    pub fn mount_at(test: &str, at: PathBuf, megabytes: usize) -> Option<Self> {
        Self::mount_as(test, at, &format!("size={megabytes}m"))
    }

    /// One for that number of files and folders, itself among them.
    pub fn mount_with_inodes(test: &str, home: &Home, inodes: usize) -> Option<Self> {
        Self::mount_as(test, home.path(), &format!("nr_inodes={inodes}"))
    }

    fn mount_as(test: &str, at: PathBuf, options: &str) -> Option<Self> {
        let config = std::fs::read(at.join("config.toml"));
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("{options},mode=0700"), "tmpfs"])
            .arg(&at)
            .output()
            .is_ok_and(|output| output.status.success());
        if !mounted {
            not_permitted(test, "this user may mount nothing");
            return None;
        }
        let room = Self { at };
        if let Ok(config) = config {
            std::fs::write(room.at.join("config.toml"), config).unwrap();
        }
        Some(room)
    }

    /// Lets nothing be written any more.
    pub fn set_read_only(&self) {
        self.remount("remount,ro");
    }

    /// Lets many files be made.
    pub fn give_inodes(&self) {
        self.remount("remount,nr_inodes=1000");
    }

    fn remount(&self, options: &str) {
        let mut command = Command::new("mount");
        command.args(["-o", options]).arg(&self.at);
        assert!(command.status().unwrap().success());
    }

    /// Takes all the room there is.
    pub fn fill(&self) {
        let mut ballast = File::create(self.ballast()).unwrap();
        for size in [1 << 20, 1 << 12, 1] {
            while ballast.write_all(&vec![b'x'; size]).is_ok() {}
        }
    }

    /// Fills the file system except for `bytes` bytes.
    pub fn leave(&self, bytes: u64) {
        self.fill();
        let ballast = File::options().write(true).open(self.ballast()).unwrap();
        let length = ballast.metadata().unwrap().len();
        ballast.set_len(length - bytes).unwrap();
    }

    /// Gives it back.
    pub fn clear(&self) {
        std::fs::remove_file(self.ballast()).unwrap();
    }

    fn ballast(&self) -> PathBuf {
        self.at.join("ballast")
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // Detaches it at once; the system removes it when its last file is closed.
        let mut command = Command::new("umount");
        command.arg("--lazy").arg(&self.at);
        drop(command.status());
    }
}
