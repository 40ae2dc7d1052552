//! Errors that mean a shortage in the system.

use std::io;

use rustix::io::Errno;

/// Whether the system has no descriptor, process, thread or memory left, which may pass.
pub fn is_shortage(error: &io::Error) -> bool {
    let short = [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM];
    error.raw_os_error().is_some_and(|code| short.iter().any(|errno| errno.raw_os_error() == code))
}
