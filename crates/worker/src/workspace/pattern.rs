//! Patterns of file names.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use super::{Job, Refusal};

/// The longest pattern, in bytes.
const LONGEST: usize = 1000;

/// A pattern such as `src/**/*.rs`. One without a `/` is for names in every folder.
#[derive(Debug)]
pub struct Pattern {
    matcher: GlobMatcher,
    is_for_names: bool,
    /// Whether it is told from the folder of the work
    is_absolute: bool,
}

impl Pattern {
    /// Reads what a model has written.
    pub fn new(job: &Job, text: &str) -> Result<Self, Refusal> {
        if text.len() > LONGEST {
            return Err(Refusal::new(format!("a pattern has {LONGEST} bytes at the most")));
        }
        let below;
        let mut pattern = text.trim_start_matches("./");
        let is_absolute = pattern.starts_with('/');
        if is_absolute {
            let rest = job.desk.root.beneath(Path::new(pattern)).ok_or_else(|| outside(text))?;
            below = rest.to_string_lossy().into_owned();
            pattern = &below;
        }
        if pattern.split('/').any(|part| part == "..") {
            return Err(outside(text));
        }
        let is_for_names = !text.contains('/');
        let built = GlobBuilder::new(pattern).literal_separator(true).build();
        let glob = built.map_err(|error| {
            Refusal::new(format!("`{text}` is not a pattern: {}", error.kind()))
                .hint("`**/*.rs`, `src/*`, `{a,b}?.md`, `[a-c]*`")
        })?;
        Ok(Self { matcher: glob.compile_matcher(), is_for_names, is_absolute })
    }

    /// Whether it is for this path in a search that began at `start`.
    pub fn has(&self, start: &Path, path: &Path) -> bool {
        let below = path.strip_prefix(start).unwrap_or(path);
        match (self.is_for_names, path.file_name()) {
            (true, Some(name)) => self.matcher.is_match(name),
            _ if self.is_absolute => self.matcher.is_match(path),
            _ => self.matcher.is_match(below),
        }
    }
}

fn outside(text: &str) -> Refusal {
    Refusal::new(format!(
        "the pattern `{text}` is for files outside of the folder that you work in"
    ))
    .hint("write it as it looks from that folder, such as `src/**/*.rs`")
}
