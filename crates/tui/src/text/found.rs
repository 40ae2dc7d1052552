//! What was searched for, told apart in what is shown.

use agent_worker_protocol::lowered::{lowered, small};

use crate::{
    cells,
    paint::{Ink, Row},
    theme::Role,
};

/// Whether a text holds another, in any case.
pub fn holds(text: &str, wanted: &str) -> bool {
    !wanted.is_empty() && lowered(text).contains(&lowered(wanted))
}

/// The first and the last row of the first place where rows hold a text, in any case: it may be
/// broken over several.
pub fn rows_of(rows: &[Row], wanted: &str) -> Option<(usize, usize)> {
    let rows: Vec<String> = rows.iter().map(Row::text).collect();
    let whole = rows.iter().position(|row| holds(row, wanted)).map(|row| (row, row));
    whole.into_iter().chain(broken(&rows, wanted)).min()
}

/// The first and the last row of each place where a text is broken over several rows, in any case.
/// It is found by its words, since breaking takes spaces away and puts indents in.
pub fn broken(rows: &[String], wanted: &str) -> Vec<(usize, usize)> {
    let widest = rows.iter().map(|row| cells::width(row)).max().unwrap_or(0);
    // A word that is longer than a row fills it, and goes on in the next.
    let may_be_torn = |row: &str| cells::width(row) + 1 >= widest && !row.trim().contains(' ');
    // A row that is one word may also end with it.
    let mut found = joined(rows, wanted, |_| false);
    found.extend(joined(rows, wanted, may_be_torn));
    found.sort_unstable();
    found.dedup();
    found
}

/// The same where the word at the end of some rows goes on in the next.
fn joined(rows: &[String], wanted: &str, is_torn: impl Fn(&str) -> bool) -> Vec<(usize, usize)> {
    let (mut text, mut ends) = (String::new(), Vec::new());
    for row in rows {
        text.push_str(row.trim_start());
        if !is_torn(row) {
            text.push('\n');
        }
        ends.push(text.len());
    }
    let span = |(from, to): (usize, usize)| {
        let first = ends.partition_point(|end| *end <= from);
        (first, ends.partition_point(|end| *end < to))
    };
    worded(&text, wanted).into_iter().map(span).filter(|(first, last)| first < last).collect()
}

/// Where each place begins at which a text holds another, in any case, in bytes. At the end of a
/// line the words alone count.
pub fn starts(text: &str, wanted: &str) -> Vec<usize> {
    let broken = worded(text, wanted).into_iter();
    let broken = broken.filter(|(from, to)| text[*from..*to].contains('\n'));
    let all = places(text, wanted).into_iter().chain(broken);
    let mut starts: Vec<usize> = all.map(|(from, _)| from).collect();
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// Where a text holds the words of another, in any case: from and to, in bytes.
pub fn worded(text: &str, wanted: &str) -> Vec<(usize, usize)> {
    let ((text, at), (wanted, _)) = (words(text), words(wanted));
    places(&text, &wanted).into_iter().map(|(from, to)| (at[from], at[to - 1] + 1)).collect()
}

/// The letters and digits of a text, and where each byte of them stands in it. Between words is a
/// space; beside a wide character, where a row may end without one, is nothing.
fn words(text: &str) -> (String, Vec<usize>) {
    let (mut words, mut at) = (String::new(), Vec::new());
    let mut is_apart = false;
    for (place, c) in text.char_indices() {
        if !c.is_alphanumeric() {
            is_apart = true;
            continue;
        }
        let last = words.chars().next_back();
        if is_apart && last.is_some_and(|last| !is_wide(last) && !is_wide(c)) {
            words.push(' ');
            at.push(place);
        }
        is_apart = false;
        words.push(c);
        at.extend(place..place + c.len_utf8());
    }
    (words, at)
}

fn is_wide(c: char) -> bool {
    cells::width(c.encode_utf8(&mut [0; 4])) > 1
}

/// The row with every place that holds a text told apart.
pub fn marked(row: Row, wanted: &str) -> Row {
    if wanted.is_empty() {
        return row;
    }
    let text = row.text();
    let places = places(&text, wanted);
    if places.is_empty() {
        return row;
    }
    let mut out = Row::new();
    let mut start = 0;
    for (ink, role) in &row.spans {
        let (piece, end) = (ink.as_str(), start + ink.as_str().len());
        let mut at = start;
        for (from, to) in &places {
            let (from, to) = ((*from).clamp(at, end), (*to).clamp(at, end));
            if from < to {
                out.push(Ink::part(&piece[at - start..from - start]), *role);
                out.push(Ink::part(&piece[from - start..to - start]), Role::Match);
                at = to;
            }
        }
        out.push(Ink::part(&piece[at - start..]), *role);
        start = end;
    }
    out
}

/// Where a text holds another, in any case: from and to, in bytes.
fn places(text: &str, wanted: &str) -> Vec<(usize, usize)> {
    let wanted: Vec<char> = wanted.chars().flat_map(small).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(next) = text[from..].chars().next() {
        match end_of(&text[from..], &wanted) {
            Some(length) => {
                places.push((from, from + length));
                from += length;
            }
            None => from += next.len_utf8(),
        }
    }
    places
}

/// How long the beginning of a text is that reads so, in bytes.
fn end_of(text: &str, wanted: &[char]) -> Option<usize> {
    let mut rest = wanted;
    for (at, c) in text.char_indices() {
        if rest.is_empty() {
            return Some(at);
        }
        for lower in small(c) {
            rest = rest.strip_prefix(&[lower])?;
        }
    }
    rest.is_empty().then_some(text.len())
}

#[cfg(test)]
#[path = "tests/found.rs"]
mod tests;
