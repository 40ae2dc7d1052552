//! What a change has changed, as a unified diff.

use std::fmt::Write as _;

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops, udiff::UnifiedHunkHeader};

use super::file::is_binary;

/// Lines of context on both sides of a change.
const CONTEXT: usize = 3;

/// If more lines lie between the first and the last that differ, they are one change: comparing
/// them would take long.
const COMPARED: usize = 4000;

/// The diff of a file, none if nothing has changed. `old` is none where there was no file. What is
/// longer than `most` bytes is cut at the end of a line, and says so.
pub fn unified(path: &str, old: Option<&[u8]>, new: &[u8], most: usize) -> Option<String> {
    if old == Some(new) {
        return None;
    }
    let before = if old.is_some() { format!("a/{path}") } else { "/dev/null".to_owned() };
    let old = old.unwrap_or_default();
    let heading = format!("--- {before}\n+++ b/{path}\n");
    if is_binary(old) || is_binary(new) {
        let (from, to) = (old.len(), new.len());
        return Some(format!("{heading}[binary: {from} bytes became {to}]\n"));
    }
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    let (old, new) = (lines(&old), lines(&new));
    let mut text = Text { old: &old, new: &new, told: heading, most, left: 0 };
    for hunk in group_diff_ops(changes(&old, &new), CONTEXT) {
        text.hunk(&hunk);
    }
    Some(text.end())
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn changes(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let same = |(old, new): &(&&str, &&str)| old == new;
    let before = old.iter().zip(new).take_while(same).count();
    let (old_rest, new_rest) = (&old[before..], &new[before..]);
    let after = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(same).count();
    let (old_len, new_len) = (old_rest.len() - after, new_rest.len() - after);
    if old_len + new_len <= COMPARED {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    let (old_index, new_index) = (before + old_len, before + new_len);
    vec![
        DiffOp::Equal { old_index: 0, new_index: 0, len: before },
        DiffOp::Replace { old_index: before, old_len, new_index: before, new_len },
        DiffOp::Equal { old_index, new_index, len: after },
    ]
}

struct Text<'a> {
    old: &'a [&'a str],
    new: &'a [&'a str],
    told: String,
    most: usize,
    /// Number of omitted lines
    left: usize,
}

impl Text<'_> {
    fn hunk(&mut self, ops: &[DiffOp]) {
        self.line(&format!("{}\n", UnifiedHunkHeader::new(ops)));
        for change in ops.iter().flat_map(|op| op.iter_changes(self.old, self.new)) {
            let (sign, line) = (change.tag(), change.value());
            let end = if line.ends_with('\n') { "" } else { "\n\\ No newline at end of file\n" };
            self.line(&format!("{sign}{line}{end}"));
        }
    }

    fn line(&mut self, line: &str) {
        if self.left > 0 || self.told.len() + line.len() > self.most {
            self.left += 1;
        } else {
            self.told.push_str(line);
        }
    }

    fn end(mut self) -> String {
        if self.left > 0 {
            let _ = writeln!(self.told, "[{} more lines of the diff]", self.left);
        }
        self.told
    }
}
