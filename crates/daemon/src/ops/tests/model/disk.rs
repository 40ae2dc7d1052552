//! The database of a history: in memory, or in a file that outlives the daemon.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::AtomicI64},
};

use crate::{
    changes::daemon::recover,
    context::{credential::Credential, cx::Cx, repeat::once, surroundings::Surroundings},
    error::OpError,
    ops::tests::{BEGIN, World},
    settings::Settings,
    store::connections::WriterEnd,
};

/// The operations on their database.
pub struct Real {
    pub world: World,
    disk: Option<Disk>,
    /// Under which key requests are sent
    key: Option<String>,
    /// Whether the daemon dies before anything further is committed
    is_doomed: bool,
}

/// A folder of databases: what a daemon leaves behind when it dies is a copy of its files.
struct Disk {
    folder: tempfile::TempDir,
    /// How many have died
    count: usize,
    /// When the writer has ended
    end: Option<WriterEnd>,
}

/// The database and its log. What goes with them is in memory, and not there after a crash.
const FILES: [&str; 2] = ["agent-worker.db", "agent-worker.db-wal"];

impl Disk {
    /// The folder of a daemon.
    fn place(&self, count: usize) -> PathBuf {
        self.folder.path().join(count.to_string())
    }

    fn open(&mut self, settings: Settings, clock: Arc<AtomicI64>) -> World {
        let (world, end) = World::on_disk(&self.place(self.count).join(FILES[0]), settings, clock);
        self.end = Some(end);
        // What is copied here stands for the same file: no daemon is to take it for a copy.
        world.daemon(|cx| {
            Ok(cx.conn.execute("DELETE FROM daemon_state WHERE key = 'file'", []).map(drop)?)
        });
        world
    }
}

/// Copies the files as they are, which is what a killed process leaves of them.
fn leave(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for name in FILES.map(|name| (from.join(name), to.join(name))) {
        std::fs::copy(name.0, name.1).expect("a copy");
    }
}

impl Real {
    pub fn new(settings: Settings, is_on_disk: bool) -> Self {
        let mut disk = is_on_disk.then(|| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let disk = Disk { folder, count: 0, end: None };
            std::fs::create_dir(disk.place(0)).expect("a folder");
            disk
        });
        let world = match &mut disk {
            Some(disk) => disk.open(settings, Arc::new(BEGIN.into())),
            None => World::of(settings),
        };
        Self { world, disk, key: None, is_doomed: false }
    }

    /// Sends what follows under this key.
    pub fn send_under(&mut self, key: Option<String>) {
        self.key = key;
    }

    /// Has the daemon die before anything further is committed.
    pub fn doom(&mut self) {
        self.is_doomed = true;
    }

    /// Does a request, or tells what it was answered when it was done before.
    pub fn request<T>(
        &self,
        credential: Credential,
        request: [u8; 32],
        mut work: impl FnMut(&mut Cx<'_>) -> Result<T, OpError> + Send + 'static,
    ) -> Result<T, OpError>
    where
        T: serde::Serialize + serde::de::DeserializeOwned + Send + 'static,
    {
        let key = self.key.clone();
        self.write(credential, move |cx| once(cx, key.as_deref(), &request, |cx| work(cx)))
    }

    /// Does what the daemon does by itself.
    pub fn daemon<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut Cx<'_>) -> Result<T, OpError> + Send + 'static,
    ) -> T {
        self.write(Credential::Daemon, work).expect("the daemon refuses itself nothing")
    }

    fn write<T: Send + 'static>(
        &self,
        credential: Credential,
        mut work: impl FnMut(&mut Cx<'_>) -> Result<T, OpError> + Send + 'static,
    ) -> Result<T, OpError> {
        let store = &self.world.store;
        if !self.is_doomed {
            return store.blocking_write(credential, work);
        }
        let around = Surroundings::new(store.clock().clone(), store.settings().clone());
        let folders = |disk: &Disk| (disk.place(disk.count), disk.place(disk.count + 1));
        let places = self.disk.as_ref().map(folders);
        let done = Arc::new(Mutex::new(None));
        let kept = done.clone();
        let lost = store.blocking_write(credential.clone(), move |cx| {
            let mut inner = Cx::open(cx.conn, cx.db, &around, &credential)?;
            let answer = work(&mut inner).and_then(|answer| inner.settle().map(|_| answer));
            if let Some((from, to)) = &places {
                // What is not committed may stand in the log already.
                cx.conn.cache_flush()?;
                leave(from, to);
            }
            *kept.lock().expect("nobody broke") = Some(answer);
            Err::<(), _>(OpError::Broken("the daemon dies".to_owned()))
        });
        match done.lock().expect("nobody broke").take() {
            Some(answer) => answer,
            // Its caller was refused before it began.
            None => Err(lost.expect_err("nothing is committed")),
        }
    }

    /// The daemon dies, and another begins.
    pub fn die(&mut self) {
        self.is_doomed = false;
        let Some(disk) = &mut self.disk else {
            self.world.daemon(|cx| recover::begin(cx, "another"));
            return;
        };
        let (from, to) = (disk.place(disk.count), disk.place(disk.count + 1));
        if !to.exists() {
            leave(&from, &to);
        }
        disk.count += 1;
        let settings = self.world.store.settings().as_ref().clone();
        let world = disk.open(settings, self.world.clock.clone());
        let mut dead = std::mem::replace(&mut self.world, world);
        dead.is_examined = false;
        assert_eq!(self.world.findings(), []);
    }

    /// The daemon ends as it should, and another begins.
    pub fn restart(&mut self) {
        let disk = match &mut self.disk {
            Some(disk) if !self.is_doomed => disk,
            _ => {
                self.daemon(|cx| recover::begin(cx, "another"));
                return;
            }
        };
        self.world.daemon(recover::note_clean_stop);
        self.world.store.close();
        let ended = disk.end.take().expect("it is open").blocking_recv();
        assert!(ended.is_err(), "{ended:?}");
        let (settings, clock) = (self.world.store.settings().clone(), self.world.clock.clone());
        // Every connection is closed before another opens the file.
        let nothing = World::of(Settings::default()).unexamined();
        let mut closed = std::mem::replace(&mut self.world, nothing);
        closed.is_examined = false;
        drop(closed);
        self.world = disk.open(settings.as_ref().clone(), clock);
    }
}
