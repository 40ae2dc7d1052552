//! Both ends of the terminal, opened anew: what is set on them is not set on those that the shell
//! has, and reading and writing them never waits.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    time::{Duration, Instant},
};

#[cfg(not(target_os = "macos"))]
use rustix::event::{PollFd, Timespec, poll};
use rustix::{
    event::PollFlags,
    fs::{Mode, OFlags},
    io::Errno,
    termios,
};

/// Why no screen can be drawn.
#[derive(Debug, thiserror::Error)]
pub enum NotATerminal {
    /// Keys cannot be read.
    #[error(
        "standard input is not a terminal: `agent-worker tui --dump 120x40` prints one screen, \
         every other command works without one"
    )]
    Input,
    /// Nothing can be shown.
    #[error(
        "standard output is not a terminal: `agent-worker tui --dump 120x40` prints one screen, \
         every other command works without one"
    )]
    Output,
    /// The terminal cannot place its cursor.
    #[error(
        "this terminal can only print lines (TERM is `dumb`): `agent-worker tui --dump 120x40` \
         prints one screen, every other command works here"
    )]
    Dumb,
    /// The terminal does not let itself be used.
    #[error("the terminal cannot be used: {0}")]
    Unusable(#[from] io::Error),
}

/// Where keys come from and where the screen is.
pub struct Ends {
    pub input: OwnedFd,
    pub output: OwnedFd,
    /// What the terminal is called
    pub term: String,
}

impl Ends {
    /// Those of the process.
    pub fn of_process() -> Result<Self, NotATerminal> {
        let (input, output) = (io::stdin(), io::stdout());
        if !termios::isatty(input.as_fd()) {
            return Err(NotATerminal::Input);
        }
        if !termios::isatty(output.as_fd()) {
            return Err(NotATerminal::Output);
        }
        let term = std::env::var("TERM").unwrap_or_default();
        if term == "dumb" {
            return Err(NotATerminal::Dumb);
        }
        Ok(Self { input: anew(input.as_fd())?, output: anew(output.as_fd())?, term })
    }
}

/// The same terminal, opened again.
pub fn anew(fd: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = termios::ttyname(fd, Vec::new())
        .and_then(|name| rustix::fs::open(name.as_c_str(), flags, Mode::empty()));
    Ok(opened.or_else(|_| rustix::io::fcntl_dupfd_cloexec(fd, 3))?)
}

/// Which of several descriptors have something to say.
#[cfg(not(target_os = "macos"))]
pub fn wait(
    fds: &[(BorrowedFd<'_>, PollFlags)],
    patience: Option<Duration>,
) -> io::Result<Vec<PollFlags>> {
    let mut polled: Vec<_> =
        fds.iter().map(|(fd, flags)| PollFd::from_borrowed_fd(*fd, *flags)).collect();
    let patience = patience.map(|patience| Timespec {
        tv_sec: i64::try_from(patience.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: patience.subsec_nanos().into(),
    });
    match poll(&mut polled, patience.as_ref()) {
        Ok(_) | Err(Errno::INTR) => Ok(polled.iter().map(PollFd::revents).collect()),
        Err(error) => Err(error.into()),
    }
}

/// Which of several descriptors have something to say. The `poll` of macOS refuses terminals, so
/// this asks with `select`.
#[cfg(target_os = "macos")]
pub fn wait(
    fds: &[(BorrowedFd<'_>, PollFlags)],
    patience: Option<Duration>,
) -> io::Result<Vec<PollFlags>> {
    let asked = |(fd, flags): &(BorrowedFd<'_>, PollFlags)| filedescriptor::pollfd {
        fd: std::os::fd::AsRawFd::as_raw_fd(fd),
        events: flags.bits(),
        revents: 0,
    };
    let mut polled: Vec<_> = fds.iter().map(asked).collect();
    match filedescriptor::poll(&mut polled, patience) {
        Ok(_) => {}
        Err(filedescriptor::Error::Io(error)) if error.kind() == io::ErrorKind::Interrupted => {}
        Err(error) => return Err(io::Error::other(error)),
    }
    Ok(polled.iter().map(|polled| PollFlags::from_bits_retain(polled.revents)).collect())
}

/// Writes as much as the terminal takes until then.
pub fn write_within(fd: BorrowedFd<'_>, mut bytes: &[u8], patience: Duration) {
    let end = Instant::now() + patience;
    while !bytes.is_empty() {
        let left = end.saturating_duration_since(Instant::now());
        // It is asked first: a terminal that could not be opened anew waits while it is written to.
        match wait(&[(fd, PollFlags::OUT)], Some(left)) {
            Ok(said) if said[0].contains(PollFlags::OUT) => {}
            Ok(_) if left.is_zero() => return,
            Ok(_) => continue,
            Err(_) => return,
        }
        match rustix::io::write(fd, bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => return,
        }
    }
}
