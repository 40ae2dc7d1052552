//! Files of texts in JSON, one a line: those that were sent, and filters.

use std::{fs, io, path::Path};

use agent_worker_client::files;

use super::pieces::replace;

/// How many texts a file keeps.
const MOST: usize = 500;

/// Notes a text as the newest in a file that other control rooms write as well.
pub fn note(path: &Path, text: &str) -> io::Result<()> {
    let mut noted = read(path)?;
    noted.retain(|known| known != text);
    noted.push(text.to_owned());
    let from = noted.len().saturating_sub(MOST);
    let lines = noted[from..].iter();
    let lines = lines.map(|text| serde_json::to_string(text).map(|line| line + "\n"));
    let lines: serde_json::Result<String> = lines.collect();
    replace(path, &lines?)
}

/// The texts of a file, the newest last.
pub fn read(path: &Path) -> io::Result<Vec<String>> {
    let bytes = files::if_there(fs::read(path))?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}
