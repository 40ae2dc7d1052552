//! A program on a terminal of its own: what it shows, what it writes, what it leaves behind.

use std::{
    io::{self, PipeReader, PipeWriter},
    os::fd::{AsFd, OwnedFd},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{Mode, OFlags},
    process::{Pid, Signal, kill_process},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Termios, Winsize, tcgetattr, tcsetwinsize},
};

use super::{
    emulator::{Emulator, Profile},
    link::{Carried, Link},
};
use crate::support::{DEADLINE, wait_until};

/// What a terminal is like.
#[derive(Debug, Clone)]
pub struct Setup {
    pub columns: u16,
    pub rows: u16,
    pub profile: Profile,
    pub term: &'static str,
}

impl Default for Setup {
    fn default() -> Self {
        Self { columns: 120, rows: 40, profile: Profile::Xterm, term: "xterm-256color" }
    }
}

/// The terminal with the program on it.
pub struct Terminal {
    child: Child,
    shared: Arc<Shared>,
    master: Option<Arc<OwnedFd>>,
    /// Held so that what is set on it is still so when the program has ended
    slave: OwnedFd,
    before: Termios,
    wake: PipeWriter,
    reader: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    emulator: Emulator,
    /// What was written, and when
    log: Vec<(Instant, Vec<u8>)>,
    /// Whether the terminal's output is left unread
    stalled: bool,
    link: Link,
    closed: bool,
}

impl Terminal {
    /// Starts a program as the leader of a session of this terminal.
    pub fn start(like: Command, setup: &Setup) -> Self {
        // Not each system names this flag for `openpt`.
        let closed = OpenptFlags::from_bits_retain(OFlags::CLOEXEC.bits());
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | closed);
        let master = master.expect("a terminal");
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let open = || {
            let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
            rustix::fs::open(name.as_c_str(), flags, Mode::empty()).expect("its other side")
        };
        let slave = open();
        set_size(&slave, setup.columns, setup.rows);
        let mut command = Command::new("setsid");
        command.arg("--ctty").arg(like.get_program()).args(like.get_args()).env_clear();
        command.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("TERM", setup.term).current_dir(like.get_current_dir().unwrap());
        command.stdin(Stdio::from(open())).stdout(Stdio::from(open()));
        command.stderr(Stdio::from(open()));
        let before = tcgetattr(&slave).unwrap();
        let child = command.spawn().expect("the program starts");
        drop(command);
        let emulator = Emulator::new(setup.profile, setup.columns, setup.rows);
        let state =
            State { emulator, log: Vec::new(), stalled: false, link: Link::Nothing, closed: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let (woken, wake) = io::pipe().unwrap();
        let master = Arc::new(master);
        let (theirs, own) = (shared.clone(), master.clone());
        let reader = Some(thread::spawn(move || read(&own, &theirs, &woken)));
        Self { child, shared, master: Some(master), slave, before, wake, reader }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state()
    }

    /// Waits until the screen is so.
    pub fn wait_for(&self, what: &str, mut is_so: impl FnMut(&vt100::Screen) -> bool) {
        self.wait_until(what, |emulator| is_so(emulator.screen()));
    }

    /// Waits until the terminal is so.
    pub fn wait_until(&self, what: &str, mut is_so: impl FnMut(&Emulator) -> bool) {
        let waited = self
            .shared
            .changed
            .wait_timeout_while(self.state(), DEADLINE, |state| !is_so(&state.emulator));
        let (state, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        if timeout.timed_out() {
            let shown = text(state.emulator.screen());
            drop(state);
            panic!("not within {DEADLINE:?}: {what}; the screen shows:\n{shown}");
        }
    }

    /// Waits until this is shown.
    pub fn wait_for_text(&self, text: &str) {
        self.wait_for(text, |screen| screen.contents().contains(text));
    }

    /// What is shown.
    pub fn text(&self) -> String {
        text(self.state().emulator.screen())
    }

    /// Looks at the terminal.
    pub fn look<T>(&self, look: impl FnOnce(&Emulator) -> T) -> T {
        look(&self.state().emulator)
    }

    /// Keeps every frame from here on.
    pub fn keep_frames(&self) {
        self.state().emulator.keep_frames();
    }

    /// Sends these bytes at once, or in parts if the terminal's buffer is smaller.
    pub fn send(&self, mut bytes: &[u8]) {
        let master = self.master.as_ref().expect("it is open");
        while !bytes.is_empty() {
            let written = rustix::io::write(master, bytes).expect("the terminal takes keys");
            bytes = &bytes[written..];
        }
    }

    /// Presses keys, each by itself: as text, `\r` or a whole sequence.
    pub fn press(&self, key: &str) {
        self.send(key.as_bytes());
    }

    /// Presses the key that produces this where the person lives, and that where letters are bound,
    /// as a terminal tells it that tells keys apart.
    pub fn press_in_layout(&self, produced: char, base: char) {
        let flags = self.look(|emulator| emulator.modes().keys.last().copied().unwrap_or(0));
        let number = u32::from(produced);
        if flags & 8 == 0 {
            self.press(&produced.to_string());
        } else {
            self.press(&format!("\x1b[{number}::{};;{number}u", u32::from(base)));
        }
    }

    /// Pastes a text.
    pub fn paste(&self, text: &str) {
        self.send(format!("\x1b[200~{text}\x1b[201~").as_bytes());
    }

    /// Makes the terminal larger or smaller.
    pub fn resize(&self, columns: u16, rows: u16) {
        // The emulator first: what is written for the new size is for it.
        self.state().emulator.resize(columns, rows);
        set_size(&self.slave, columns, rows);
    }

    /// Reads no more, or again.
    pub fn stall(&self, stalled: bool) {
        self.state().stalled = stalled;
        self.wake();
    }

    /// Reads this many bytes a second from here on, as over a slow link.
    pub fn slow(&self, pace: usize) {
        self.state().link = Link::Slow(pace);
        self.wake();
    }

    /// The same over a link that takes all that is written at once, and keeps it.
    pub fn far(&self, pace: usize) {
        self.state().link = Link::Far(pace);
        self.wake();
    }

    fn wake(&self) {
        rustix::io::write(&self.wake, &[0]).expect("the reader is there");
    }

    /// Closes the terminal, as one does that is killed.
    pub fn close(&mut self) {
        self.state().closed = true;
        self.wake();
        self.reader.take().unwrap().join().unwrap();
        self.master = None;
    }

    /// How many bytes were written.
    pub fn written(&self) -> usize {
        self.state().log.iter().map(|(_, bytes)| bytes.len()).sum()
    }

    /// How many times something was written, as far as can be told from outside.
    pub fn writes(&self) -> usize {
        self.state().log.len()
    }

    /// All that was written.
    pub fn bytes(&self) -> Vec<u8> {
        self.state().log.iter().flat_map(|(_, bytes)| bytes.clone()).collect()
    }

    /// How many bytes are written within this time from now.
    pub fn written_within(&self, time: Duration) -> usize {
        let before = self.written();
        let end = Instant::now() + time;
        let waited =
            self.shared.changed.wait_timeout_while(self.state(), time, |_| Instant::now() < end);
        drop(waited);
        self.written() - before
    }

    /// Waits until nothing has been written for this long, which begins now or at the last write.
    pub fn wait_for_quiet(&self, time: Duration) {
        let begun = Instant::now();
        let mut state = self.state();
        loop {
            let last = state.log.last().map_or(begun, |(at, _)| begun.max(*at));
            let left = time.saturating_sub(last.elapsed());
            if left.is_zero() {
                return;
            }
            if begun.elapsed() >= DEADLINE {
                let shown = text(state.emulator.screen());
                drop(state);
                panic!("it never is quiet; the screen shows:\n{shown}");
            }
            let waited = self.shared.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("the process is there");
    }

    /// How long the program has used a processor.
    pub fn cpu_time(&self) -> Duration {
        let stat = self.stat();
        let ticks: u64 = stat[11..=12].iter().map(|ticks| ticks.parse::<u64>().unwrap()).sum();
        Duration::from_secs(ticks) / u32::try_from(rustix::param::clock_ticks_per_second()).unwrap()
    }

    /// The same at its end, for which it waits.
    pub fn cpu_time_at_end(&self) -> Duration {
        wait_until("the program ends", || self.stat()[0] == "Z");
        self.cpu_time()
    }

    /// How often a thread of it was woken.
    pub fn wake_ups(&self) -> usize {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        let woken = |path: std::path::PathBuf| {
            let status = std::fs::read_to_string(path.join("status")).unwrap_or_default();
            let line =
                status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
            line.and_then(|count| count.trim().parse::<usize>().ok()).unwrap_or(0)
        };
        tasks.map(|task| woken(task.unwrap().path())).sum()
    }

    /// How much memory it holds, in KiB.
    pub fn memory(&self) -> usize {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.expect("it has memory").trim().trim_end_matches("kB").trim();
        number.parse().expect("a number")
    }

    /// Whether it is stopped.
    pub fn is_stopped(&self) -> bool {
        self.stat()[0] == "T"
    }

    /// What the system says of it, behind its name.
    fn stat(&self) -> Vec<String> {
        let path = format!("/proc/{}/stat", self.child.id());
        let text = std::fs::read_to_string(path).expect("it is there");
        let (_, behind) = text.rsplit_once(") ").expect("a name in parentheses");
        behind.split(' ').map(str::to_owned).collect()
    }

    /// What the terminal itself does with keys and lines.
    pub fn termios(&self) -> Termios {
        tcgetattr(&self.slave).unwrap()
    }

    /// Waits for its end.
    pub fn end(&mut self) -> ExitStatus {
        let mut status = None;
        wait_until("the program ends", || {
            status = self.child.try_wait().expect("it is a child");
            status.is_some()
        });
        status.expect("it has ended")
    }

    /// Waits for its end, after which the terminal is as it was.
    pub fn end_clean(&mut self) -> ExitStatus {
        let status = self.end();
        self.assert_clean();
        status
    }

    /// The terminal is as it was before the program.
    pub fn assert_clean(&self) {
        self.wait_until("nothing is left on", |emulator| emulator.left_on().is_empty());
        let after = self.termios();
        assert_eq!(after.local_modes, self.before.local_modes);
        assert_eq!(after.input_modes, self.before.input_modes);
        assert_eq!(after.output_modes, self.before.output_modes);
        assert_eq!(after.control_modes, self.before.control_modes);
        let unknown = self.look(|emulator| emulator.modes().unknown.clone());
        assert_eq!(unknown, Vec::<String>::new());
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        self.state().closed = true;
        if let Some(reader) = self.reader.take() {
            self.wake();
            drop(reader.join());
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a screen shows; blanks at the ends of rows are none.
pub fn text(screen: &vt100::Screen) -> String {
    let (_, columns) = screen.size();
    let rows: Vec<_> = screen.rows(0, columns.get()).collect();
    rows.iter().map(|row| row.trim_end()).collect::<Vec<_>>().join("\n")
}

fn set_size(slave: &OwnedFd, columns: u16, rows: u16) {
    let size = Winsize { ws_col: columns, ws_row: rows, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(slave, size).unwrap();
}

/// Reads what the program writes, and answers, until the terminal is closed.
fn read(master: &OwnedFd, shared: &Shared, woken: &PipeReader) {
    let (mut bytes, mut carried) = ([0; 16 * 1024], Carried::new());
    let pause = |span: Duration| Timespec::try_from(span).unwrap();
    loop {
        let (stalled, link) = {
            let state = shared.state();
            (state.stalled, state.link)
        };
        let wanted = if stalled { PollFlags::empty() } else { PollFlags::IN };
        let mut fds =
            [PollFd::new(woken, PollFlags::IN), PollFd::from_borrowed_fd(master.as_fd(), wanted)];
        poll(&mut fds, carried.due().map(pause).as_ref()).unwrap();
        let (told, said) = (fds[0].revents(), fds[1].revents());
        if !told.is_empty() {
            rustix::io::read(woken, &mut bytes).unwrap();
            if shared.state().closed {
                return;
            }
            continue;
        }
        let mut count = 0;
        if !stalled && !said.is_empty() {
            let most = link.takes(bytes.len());
            count = rustix::io::read(master, &mut bytes[..most]).expect("the other side is held");
        }
        let arrived = carried.carry(&bytes[..count], link);
        if arrived.is_empty() {
            continue;
        }
        let mut state = shared.state();
        let answers = state.emulator.take(&arrived);
        state.log.push((Instant::now(), arrived));
        drop(state);
        shared.changed.notify_all();
        if !answers.is_empty() {
            rustix::io::write(master, &answers).expect("the terminal takes answers");
        }
        if let Some(span) = link.pause() {
            poll(&mut [PollFd::new(woken, PollFlags::IN)], Some(&pause(span))).unwrap();
        }
    }
}
