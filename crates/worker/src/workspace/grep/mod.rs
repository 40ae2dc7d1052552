//! `grep`: text in files.

mod lines;
mod report;

use std::{
    fs::File,
    io::{BufRead, BufReader},
    ops::ControlFlow,
};

use regex::bytes::{Regex, RegexBuilder};
use rustix::fs::FileType;
use schemars::JsonSchema;
use serde::Deserialize;

use self::{lines::Lines, report::Report};
use super::{
    Job, Outcome, Pattern, Refusal,
    file::{self, is_binary},
    root::{Place, file_type},
    walk,
};

/// How large a compiled expression may be, in bytes.
const LARGEST: usize = 1 << 20;

/// The most lines around a match.
const MOST_CONTEXT: usize = 20;

/// Finds lines in files by a regular expression (Rust's syntax, one line at a time). What
/// `.gitignore` leaves out and binary files are left out.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grep {
    /// The regular expression
    pattern: String,
    /// The file or the folder to look in; the whole of the folder you work in if not given
    path: Option<String>,
    /// Which files, by their names: `*.rs`, `src/**/*.{ts,tsx}`
    glob: Option<String>,
    /// Ignore case
    #[serde(default)]
    ignore_case: bool,
    /// Context lines around each match
    #[serde(default)]
    #[schemars(range(max = 20))]
    context: usize,
    /// Return only file names
    #[serde(default)]
    files_only: bool,
}

pub fn grep(job: &Job, asked: &Grep) -> Result<Outcome, Refusal> {
    let regex = regex(asked)?;
    if asked.context > MOST_CONTEXT {
        return Err(Refusal::new(format!("`context` is {MOST_CONTEXT} at the most")));
    }
    let glob = asked.glob.as_deref().map(|glob| Pattern::new(job, glob)).transpose()?;
    let start = job.find(asked.path.as_deref().unwrap_or("."))?;
    let report = Report::new(&job.desk.limits, asked.context, asked.files_only);
    let mut search = Search { job, regex, report, left: job.desk.limits.scanned };
    if start.stat().is_ok_and(|stat| file_type(&stat) == FileType::Directory) {
        let walked = walk::walk(job, &start, &mut |place| {
            if glob.as_ref().is_none_or(|glob| glob.has(&start.path, &place.path)) {
                return search.one_of_many(&place);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        let mut text = search.report.told();
        walked.note(&mut text);
        return Ok(Outcome::done(text));
    }
    let opened = file::open(&start)?;
    let mut file = BufReader::new(opened.file);
    if is_binary(file.fill_buf().unwrap_or_default()) {
        return Err(Refusal::new(format!("`{}` is a binary file", start.told())));
    }
    // Whether there is room for more is of no matter behind the only file.
    let _ = search.file(&start, file)?;
    Ok(Outcome::done(search.report.told()))
}

fn regex(asked: &Grep) -> Result<Regex, Refusal> {
    let mut builder = RegexBuilder::new(&asked.pattern);
    builder.case_insensitive(asked.ignore_case).size_limit(LARGEST).dfa_size_limit(LARGEST);
    builder.build().map_err(|error| {
        Refusal::new(format!("`{}` is not a regular expression: {error}", asked.pattern))
            .hint("`\\(` is a parenthesis as it stands, and so with `. * + ? [ ] { } | ^ $ \\`")
    })
}

struct Search<'j> {
    job: &'j Job,
    regex: Regex,
    report: Report,
    /// How many more bytes are looked at
    left: u64,
}

impl Search<'_> {
    /// A file that cannot be read, or is not text, has no match.
    fn one_of_many(&mut self, place: &Place) -> Result<ControlFlow<()>, Refusal> {
        self.job.goes_on()?;
        let Ok(opened) = file::open(place) else { return Ok(ControlFlow::Continue(())) };
        let mut file = BufReader::new(opened.file);
        if is_binary(file.fill_buf().unwrap_or_default()) {
            return Ok(ControlFlow::Continue(()));
        }
        self.file(place, file)
    }

    fn file(&mut self, place: &Place, file: BufReader<File>) -> Result<ControlFlow<()>, Refusal> {
        let mut lines = Lines::new(file, self.left);
        self.report.begin(&place.told());
        while let Some(line) = lines.next() {
            self.job.goes_on()?;
            let flow = match self.regex.find(line) {
                Some(found) => self.report.found(line, found.start()),
                None => self.report.other(line),
            };
            if flow.is_break() {
                break;
            }
        }
        self.left = lines.left();
        if self.left == 0 {
            self.report.leave_off();
        }
        Ok(self.report.flow())
    }
}
