//! `daemon.log`: what the daemon has to say of itself. When it is long it becomes
//! `daemon.log.1`, in place of the one before.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::Mutex,
};

use tracing_subscriber::{EnvFilter, filter::LevelFilter};

/// The log filter by default. A caller that disconnects is not an error, whatever the MCP library
/// says, and callers could fill the log with it.
const FILTER: &str = "info,rmcp=warn,rmcp::service=off,hyper=warn";

/// Sends the log of this process to the file. `AGENT_WORKER_LOG` says what is logged.
pub fn begin(home: &Path, most_bytes: u64) -> io::Result<()> {
    let log = Log::open(home.join("daemon.log"), most_bytes)?;
    let wanted = std::env::var("AGENT_WORKER_LOG").unwrap_or_default();
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter(&wanted))
        .with_ansi(false)
        .with_writer(Mutex::new(log))
        .log_internal_errors(false)
        .finish();
    // A second daemon in one process (in tests) keeps the first one's log.
    drop(tracing::subscriber::set_global_default(subscriber));
    log_panics();
    Ok(())
}

/// The filter that is wanted, or the default. An unknown level would pass for the name of a module,
/// and everything else would be silent.
fn filter(wanted: &str) -> EnvFilter {
    // An empty word passes for the level `error`.
    let is_level = |part: &str| !part.is_empty() && part.parse::<LevelFilter>().is_ok();
    let is_known = wanted.split(',').all(|part| part.contains('=') || is_level(part));
    let filter = is_known.then(|| EnvFilter::try_new(wanted).ok()).flatten();
    filter.unwrap_or_else(|| EnvFilter::new(FILTER))
}

/// A panic in one of many tasks must not pass unseen.
fn log_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        tracing::error!(%panic, "panicked");
        before(panic);
    }));
}

#[derive(Debug)]
struct Log {
    path: PathBuf,
    file: File,
    bytes: u64,
    most_bytes: u64,
}

impl Log {
    fn open(path: PathBuf, most_bytes: u64) -> io::Result<Self> {
        let file = open(&path)?;
        let bytes = file.metadata()?.len();
        Ok(Self { path, file, bytes, most_bytes })
    }

    fn rotate(&mut self) -> io::Result<()> {
        fs::rename(&self.path, self.path.with_added_extension("1"))?;
        self.begin()
    }

    fn begin(&mut self) -> io::Result<()> {
        self.file = open(&self.path)?;
        self.bytes = 0;
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

impl Write for Log {
    /// Drops what cannot be written. To report it would need another place to write, and the
    /// standard error of a daemon is the same file on the same disk: to fail there would panic the
    /// thread that logs.
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        if self.file.metadata().is_ok_and(|file| file.nlink() == 0) {
            // It was removed.
            drop(self.begin());
        } else if self.bytes > self.most_bytes {
            drop(self.rotate());
        }
        let written = self.file.write(buffer).unwrap_or(buffer.len());
        self.bytes += u64::try_from(written).unwrap_or(0);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_level_does_not_silence_the_log() {
        let usual = EnvFilter::new(FILTER).to_string();
        for (wanted, told) in [
            ("loud", usual.as_str()),
            ("loud,rmcp=warn", usual.as_str()),
            ("", usual.as_str()),
            ("debug", "debug"),
        ] {
            assert_eq!(filter(wanted).to_string(), told, "{wanted}");
        }
    }

    #[test]
    fn a_long_log_begins_anew_and_the_old_one_stays() {
        let home = tempfile::tempdir().unwrap();
        let mut log = Log::open(home.path().join("daemon.log"), 10).unwrap();
        for line in ["the first line\n", "the second\n"] {
            log.write_all(line.as_bytes()).unwrap();
        }
        let read = |name: &str| fs::read_to_string(home.path().join(name)).unwrap();
        assert_eq!(read("daemon.log.1"), "the first line\n");
        assert_eq!(read("daemon.log"), "the second\n");
    }

    #[test]
    fn a_log_that_was_removed_begins_anew() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("daemon.log");
        let mut log = Log::open(path.clone(), 1_000).unwrap();
        log.write_all(b"the first line\n").unwrap();
        fs::remove_file(&path).unwrap();
        log.write_all(b"the second\n").unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "the second\n");
    }
}
