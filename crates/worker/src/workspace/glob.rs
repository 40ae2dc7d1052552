//! `glob`: files by their names.

use std::{fmt::Write as _, ops::ControlFlow, path::PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Job, Outcome, Pattern, Refusal, walk};

/// Finds files by their names, newest first. `*.rs` finds such names in all folders, `src/*.rs`
/// only there, `src/**/*.rs` there and below. What `.gitignore` leaves out is left out.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Glob {
    /// Pattern of the names
    pattern: String,
    /// The folder to look in; the whole of the folder you work in if not given
    path: Option<String>,
}

pub fn glob(job: &Job, asked: &Glob) -> Result<Outcome, Refusal> {
    let pattern = Pattern::new(job, &asked.pattern)?;
    let start = job.find(asked.path.as_deref().unwrap_or("."))?;
    start.folder()?;
    let mut newest = Newest { most: job.desk.limits.found, found: Vec::new(), count: 0 };
    let walked = walk::walk(job, &start, &mut |place| {
        if pattern.has(&start.path, &place.path)
            && let Ok(stat) = place.stat()
        {
            newest.push((stat.st_mtime.into(), stat.st_mtime_nsec.into()), place.path);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let mut text = newest.told();
    walked.note(&mut text);
    Ok(Outcome::done(text))
}

/// When a file was changed: seconds, and billionths of one.
type Time = (i128, i128);

/// The files changed last, of as many as come.
struct Newest {
    most: usize,
    found: Vec<(Time, PathBuf)>,
    count: usize,
}

impl Newest {
    fn push(&mut self, time: Time, path: PathBuf) {
        self.count += 1;
        self.found.push((time, path));
        if self.found.len() >= 2 * self.most {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.found.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        self.found.truncate(self.most);
    }

    fn told(mut self) -> String {
        self.cut();
        let mut text = String::new();
        for (_, path) in &self.found {
            let _ = writeln!(text, "{}", path.display());
        }
        let left = self.count - self.found.len();
        if self.count == 0 {
            text.push_str("[no file has such a name]\n");
        }
        if left > 0 {
            let _ = writeln!(text, "[{left} more, changed before these]");
        }
        text
    }
}
