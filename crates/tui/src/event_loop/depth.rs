//! How many colours the terminal shows: `COLORTERM`, and what terminfo says of `TERM`.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::theme::Depth;

/// Where terminfo is, if no variable says so.
const FOLDERS: [&str; 4] =
    ["/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo", "/usr/lib/terminfo"];

/// More than an entry of terminfo takes, in bytes.
const LONGEST: u64 = 64 * 1024;

/// The number of `max_colors` among the numbers of an entry.
const MAX_COLORS: usize = 13;

/// What the environment says of the terminal's colours.
pub fn depth() -> Depth {
    let term = env::var("TERM").unwrap_or_default();
    let color_term = env::var("COLORTERM").unwrap_or_default();
    let is_tmux = env::var_os("TMUX").is_some();
    let entry = entry(&term);
    of(&term, &color_term, is_tmux, entry.as_deref())
}

/// The same of given values; `entry` is the terminal's entry in terminfo.
fn of(term: &str, color_term: &str, is_tmux: bool, entry: Option<&[u8]>) -> Depth {
    // The console of Linux shows sixteen, whatever was inherited from elsewhere.
    if term == "linux" {
        return Depth::Few;
    }
    // GNU screen passes no 24 bits on, and inherits the variable of the terminal around it.
    let is_screen = term.starts_with("screen") && !is_tmux;
    if matches!(color_term, "truecolor" | "24bit") && !is_screen {
        return Depth::True;
    }
    match entry.and_then(colors) {
        Some((_, true)) if !is_screen => Depth::True,
        Some((256.., _)) => Depth::Indexed,
        None if term.ends_with("-direct") => Depth::True,
        None if term.contains("256color") => Depth::Indexed,
        _ => Depth::Few,
    }
}

/// What a compiled entry says of colours (term(5)): how many, and whether they have 24 bits, by
/// their number, or by `RGB` or `Tc`.
fn colors(entry: &[u8]) -> Option<(i32, bool)> {
    let short = |at: usize| {
        let bytes = entry.get(at..at + 2)?;
        Some(usize::from(u16::from_le_bytes(bytes.try_into().ok()?)))
    };
    let size = match short(0)? {
        0o432 => 2,
        0o1036 => 4,
        _ => return None,
    };
    let (names, flags, numbers) = (short(2)?, short(4)?, short(6)?);
    let start = (12 + names + flags).next_multiple_of(2);
    let count = match (numbers > MAX_COLORS).then_some(start + MAX_COLORS * size) {
        None => -1,
        Some(at) if size == 2 => {
            i32::from(i16::from_le_bytes(entry.get(at..at + 2)?.try_into().ok()?))
        }
        Some(at) => i32::from_le_bytes(entry.get(at..at + 4)?.try_into().ok()?),
    };
    // Names of what is not in the standard end the file, each with a zero byte.
    let has = |name: &[u8]| entry.windows(name.len()).any(|part| part == name);
    Some((count, count >= 1 << 24 || has(b"\0RGB\0") || has(b"\0Tc\0")))
}

fn entry(term: &str) -> Option<Vec<u8>> {
    let first = term.chars().next().filter(|_| !term.contains(['/', '.']))?;
    let at = |folder: &Path| {
        let letter = folder.join(first.to_string()).join(term);
        // macOS names the folder by the number of the letter.
        let number = folder.join(format!("{:x}", u32::from(first))).join(term);
        [letter, number].into_iter().find_map(|path| read(&path))
    };
    folders().iter().find_map(|folder| at(folder))
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let about = fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > LONGEST {
        return None;
    }
    fs::read(path).ok()
}

/// Where terminfo is looked for, in the order of ncurses.
fn folders() -> Vec<PathBuf> {
    let own = env::var_os("HOME").map(|home| Path::new(&home).join(".terminfo"));
    let listed = env::var_os("TERMINFO_DIRS").unwrap_or_default();
    let listed = env::split_paths(&listed).filter(|path| !path.as_os_str().is_empty());
    let first = env::var_os("TERMINFO").map(PathBuf::from);
    let rest = FOLDERS.into_iter().map(PathBuf::from);
    first.into_iter().chain(own).chain(listed).chain(rest).collect()
}

#[cfg(test)]
#[path = "tests/depth.rs"]
mod tests;
