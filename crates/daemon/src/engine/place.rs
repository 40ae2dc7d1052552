//! The daemon's hold on its state directory, kept for as long as it runs. A removed `daemon.lock` or
//! `daemon.json` is put back. The daemon ends if another has its place, or if its database or the
//! database's log is gone.

use std::{
    fs::{self, File, Metadata},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Mutex,
};

use agent_worker_protocol::DaemonFile;

use crate::{
    announce::{self, NotTheDaemon},
    fault::if_there,
    lock::lock,
    store::file::{LOG, MAIN},
};

/// Why the daemon cannot stay.
#[derive(Debug, thiserror::Error)]
pub enum Lost {
    /// Another process holds the present lock, or no lock can be made.
    #[error(transparent)]
    Lock(#[from] NotTheDaemon),
    /// Where the daemon is cannot be said.
    #[error("putting daemon.json back")]
    File(#[from] io::Error),
    /// What is stored from here on would be in a file that no daemon opens again.
    #[error("{path} was removed or replaced")]
    Database { path: String },
}

/// The locked `daemon.lock`, and `daemon.json` once the daemon can be reached.
#[derive(Debug)]
pub struct Place {
    home: PathBuf,
    lock: Mutex<File>,
    announced: Mutex<Option<DaemonFile>>,
    /// The database and its log, which are open then
    database: Mutex<[Option<FileId>; 2]>,
}

/// Device and inode.
type FileId = (u64, u64);

impl Place {
    /// A state directory whose lock this process holds.
    pub fn new(home: &Path, lock: File) -> Self {
        let (announced, database) = (Mutex::default(), Mutex::default());
        Self { home: home.to_owned(), lock: Mutex::new(lock), announced, database }
    }

    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Says where the daemon is, from here on. Its database is open.
    pub fn announce(&self, file: DaemonFile) -> io::Result<()> {
        *lock(&self.database) = self.database();
        announce::publish(&self.home, &file)?;
        *lock(&self.announced) = Some(file);
        Ok(())
    }

    /// Removes `daemon.json`, unless it is that of another daemon.
    pub fn withdraw(&self) -> io::Result<()> {
        let announced = lock(&self.announced).take();
        if announced.is_none() || !self.is_held() {
            return Ok(());
        }
        if_there(fs::remove_file(self.home.join("daemon.json")))?;
        Ok(())
    }

    /// The database and its log, as they are in the state directory now.
    fn database(&self) -> [Option<FileId>; 2] {
        [MAIN, LOG].map(|name| there(&self.home.join(name)))
    }

    /// Whether this process holds the lock file in the state directory.
    pub fn is_held(&self) -> bool {
        let held = lock(&self.lock).metadata().ok().map(|file| id(&file));
        held.is_some() && held == there(&announce::lock_path(&self.home))
    }

    /// Puts missing files back. The lock comes before `daemon.json`: its holder is the daemon. It is
    /// not taken in a directory with another database.
    async fn restore(&self) -> Result<(), Lost> {
        if lock(&self.database)[0] != self.database()[0] {
            let path = self.home.join(MAIN).display().to_string();
            return Err(Lost::Database { path });
        }
        if !self.is_held() {
            let taken = announce::acquire(&self.home).await?;
            *lock(&self.lock) = taken;
            tracing::warn!("daemon.lock was removed and is put back");
        }
        let announced = lock(&self.announced);
        if let Some(file) = announced.as_ref()
            && !self.home.join("daemon.json").exists()
        {
            announce::publish(&self.home, file)?;
            tracing::warn!("daemon.json was removed and is put back");
        }
        Ok(())
    }

    /// Puts back what is removed, as soon as it is. Resolves when the daemon cannot stay: with `None`
    /// if it is to stop as usual, because only its last checkpoint saves what a removed log held.
    pub async fn keep(&self) -> Option<Lost> {
        let mut watch = watch::Watch::on(&self.home);
        loop {
            if let Err(lost) = self.restore().await {
                return Some(lost);
            }
            if *lock(&self.database) != self.database() {
                tracing::warn!("the write-ahead log was removed, and the daemon stops");
                return None;
            }
            watch.changed().await;
        }
    }
}

fn id(file: &Metadata) -> FileId {
    (file.dev(), file.ino())
}

fn there(path: &Path) -> Option<FileId> {
    fs::metadata(path).ok().map(|file| id(&file))
}

#[cfg(target_os = "linux")]
mod watch {
    //! What the system tells of the names in a folder.

    use std::{io, mem::MaybeUninit, path::Path, sync::Arc, thread};

    use rustix::{
        fd::OwnedFd,
        fs::inotify::{self, CreateFlags, WatchFlags},
    };
    use tokio::sync::Notify;

    pub struct Watch(Arc<Notify>);

    impl Watch {
        pub fn on(folder: &Path) -> Self {
            let told = Arc::new(Notify::new());
            let watched = open(folder).and_then(|inotify| listen(inotify, told.clone()));
            if let Err(error) = watched {
                tracing::warn!(%error, "the state directory cannot be watched");
            }
            Self(told)
        }

        /// Resolves after names were removed from the folder, or moved.
        pub async fn changed(&mut self) {
            self.0.notified().await;
        }
    }

    fn open(folder: &Path) -> io::Result<OwnedFd> {
        let inotify = inotify::init(CreateFlags::CLOEXEC)?;
        let removals = WatchFlags::DELETE | WatchFlags::MOVED_FROM | WatchFlags::MOVED_TO;
        let itself = WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF;
        inotify::add_watch(&inotify, folder, removals | itself)?;
        Ok(inotify)
    }

    /// Waits for the system on a thread, which ends with the process.
    fn listen(inotify: OwnedFd, told: Arc<Notify>) -> io::Result<()> {
        let listening = move || {
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut events = inotify::Reader::new(inotify, &mut buffer);
            while events.next().is_ok() {
                told.notify_one();
            }
        };
        thread::Builder::new().name("place".to_owned()).spawn(listening).map(drop)
    }
}

#[cfg(not(target_os = "linux"))]
mod watch {
    //! Where the system is not asked, the folder is looked at now and then.

    use std::{path::Path, time::Duration};

    const LOOK: Duration = Duration::from_secs(5);

    pub struct Watch;

    impl Watch {
        pub fn on(_: &Path) -> Self {
            Self
        }

        pub async fn changed(&mut self) {
            tokio::time::sleep(LOOK).await;
        }
    }
}
