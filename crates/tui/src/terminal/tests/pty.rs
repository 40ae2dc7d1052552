//! A terminal whose other side is the test's.

use std::{
    os::fd::{AsFd, OwnedFd},
    sync::mpsc::{Receiver, Sender, channel},
    time::{Duration, Instant},
};

use rustix::{
    event::PollFlags,
    fs::{Mode, OFlags},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Termios, Winsize, tcgetattr, tcsetwinsize},
};

use crate::terminal::{
    Input, Options, Terminal,
    tty::{self, Ends},
};

const LONG: Duration = Duration::from_secs(20);

/// The other side.
pub struct Pty {
    master: Option<OwnedFd>,
    slave: OwnedFd,
    /// What was read of what was written
    pub seen: Vec<u8>,
    sender: Sender<Input>,
    inputs: Receiver<Input>,
}

impl Pty {
    pub fn new(columns: u16, rows: u16) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave = rustix::fs::open(name.as_c_str(), flags, Mode::empty()).unwrap();
        let (sender, inputs) = channel();
        let pty = Self { master: Some(master), slave, seen: Vec::new(), sender, inputs };
        pty.resize(columns, rows);
        pty
    }

    pub fn resize(&self, columns: u16, rows: u16) {
        let size = Winsize { ws_col: columns, ws_row: rows, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.slave, size).unwrap();
    }

    pub fn termios(&self) -> Termios {
        tcgetattr(&self.slave).unwrap()
    }

    /// Takes hold of it.
    pub fn open(&self, options: Options) -> Terminal {
        let end = || tty::anew(self.slave.as_fd()).unwrap();
        let sender = self.sender.clone();
        let sink = move |input| drop(sender.send(input));
        let ends = Ends { input: end(), output: end(), term: "xterm".to_owned() };
        Terminal::over(ends, options, sink).unwrap()
    }

    /// This side, as another program has it.
    pub fn slave(&self) -> &OwnedFd {
        &self.slave
    }

    fn master(&self) -> &OwnedFd {
        self.master.as_ref().unwrap()
    }

    /// Sends bytes as the terminal.
    pub fn send(&self, bytes: &[u8]) {
        assert_eq!(rustix::io::write(self.master(), bytes).unwrap(), bytes.len());
    }

    /// Hangs up.
    pub fn close(&mut self) {
        self.master = None;
    }

    /// Reads until this has been written.
    pub fn read_until(&mut self, wanted: &[u8]) {
        let end = Instant::now() + LONG;
        while !self.seen.windows(wanted.len()).any(|part| part == wanted) {
            assert!(self.read(end), "{:?} in {:?}", text(wanted), text(&self.seen));
        }
    }

    /// Reads what there is to be read, once.
    fn read(&mut self, end: Instant) -> bool {
        let left = end.saturating_duration_since(Instant::now());
        let said = tty::wait(&[(self.master().as_fd(), PollFlags::IN)], Some(left)).unwrap();
        if said[0].is_empty() {
            return false;
        }
        let mut bytes = [0; 4096];
        let count = rustix::io::read(self.master(), &mut bytes).unwrap();
        self.seen.extend_from_slice(&bytes[..count]);
        true
    }

    /// Reads all that is there now.
    pub fn drain(&mut self) {
        while self.read(Instant::now()) {}
    }

    /// The next input.
    pub fn next(&self) -> Input {
        self.inputs.recv_timeout(LONG).unwrap()
    }

    /// Input up to this one.
    pub fn until(&self, wanted: &Input) {
        while self.next() != *wanted {}
    }

    /// Whether this input comes within that time.
    pub fn came(&self, wanted: &Input, patience: Duration) -> bool {
        let end = Instant::now() + patience;
        let left = || end.saturating_duration_since(Instant::now());
        std::iter::from_fn(|| self.inputs.recv_timeout(left()).ok()).any(|input| input == *wanted)
    }

    /// What input there is now.
    pub fn pending(&self) -> Vec<Input> {
        self.inputs.try_iter().collect()
    }
}

/// Bytes as they can be read.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
