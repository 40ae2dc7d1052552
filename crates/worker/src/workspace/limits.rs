//! How much the tools take and give.

use std::time::Duration;

/// Bounds of what one call does, so that none floods the model, the transcript or the memory.
#[derive(Debug, Clone)]
pub struct Limits {
    /// How much of a file one `read` gives, in bytes
    pub read_bytes: usize,
    /// Default number of lines of one `read`
    pub read_lines: u64,
    /// Longest part of a file that `read` scans, and total that `grep` scans, in bytes
    pub scanned: u64,
    /// How much of a long line is shown, in bytes
    pub line_bytes: usize,
    /// The longest picture that is shown, in bytes
    pub picture_bytes: usize,
    /// The longest file that is changed or written, in bytes
    pub file_bytes: usize,
    /// Maximum length of a diff, in bytes
    pub diff_bytes: usize,
    /// How many files `glob` names, and how many lines `grep` finds
    pub found: usize,
    /// How much text `grep` gives, in bytes
    pub found_bytes: usize,
    /// How many entries of folders `glob` and `grep` look at
    pub walked: usize,
    /// How much of a command's output is kept of its beginning, and of its end, in bytes
    pub shell_bytes: usize,
    /// Default timeout of a command
    pub shell_time: Duration,
    /// How long a command may take at the most
    pub longest_shell_time: Duration,
    /// How much of a page is loaded, in bytes
    pub fetch_bytes: usize,
    /// How much of a page's text is given, in bytes
    pub fetch_text: usize,
    /// How long a page may take
    pub fetch_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            read_bytes: 40 << 10,
            read_lines: 2000,
            scanned: 256 << 20,
            line_bytes: 2000,
            picture_bytes: 3 << 20,
            file_bytes: 4 << 20,
            diff_bytes: 32 << 10,
            found: 200,
            found_bytes: 32 << 10,
            walked: 200_000,
            shell_bytes: 16 << 10,
            shell_time: Duration::from_mins(2),
            // A run that says nothing for ten minutes is taken to hang.
            longest_shell_time: Duration::from_secs(590),
            fetch_bytes: 4 << 20,
            fetch_text: 40 << 10,
            fetch_time: Duration::from_secs(30),
        }
    }
}
