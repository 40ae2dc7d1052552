//! What a search has found.

use agent_worker_protocol::{Hit, Hits};

use crate::{
    again,
    text::{View, bold, dim, line},
};

/// Matches: the place of each, then the text around it.
pub fn list(view: &View, found: &Hits) -> String {
    if found.hits.is_empty() {
        return "no results".to_owned();
    }
    let mut lines: Vec<_> = found.hits.iter().map(|hit| one(view, hit)).collect();
    if let Some(next) = found.next {
        let more = again::with_value("search", "--next", &next.to_string());
        lines.push(dim(&line(&format!("more results: {more}"))));
    }
    lines.join("\n")
}

fn one(view: &View, hit: &Hit) -> String {
    let at = dim(&view.clock.short(hit.at));
    format!("{at} {}  {}\n      {}", bold(&what(hit)), dim(&whereabouts(hit)), snippet(hit))
}

/// By what it is named.
fn what(hit: &Hit) -> String {
    let message = hit.message.map(|id| id.to_string());
    let file = hit.file.as_deref().map(line);
    let resource = hit.resource.map(|id| id.to_string());
    message.or(file).or(resource).unwrap_or_default()
}

fn whereabouts(hit: &Hit) -> String {
    match &hit.group {
        Some(group) => format!("{} in {group} of {}", hit.by, hit.scope),
        None => format!("{} in {}", hit.by, hit.scope),
    }
}

/// The text with what was found in it. Each part is made harmless by itself, so that the places
/// stay where they are.
fn snippet(hit: &Hit) -> String {
    let chars: Vec<char> = hit.snippet.chars().collect();
    let part = |start: usize, end: usize| -> String {
        let (start, end) = (start.min(chars.len()), end.min(chars.len()));
        line(&chars[start..end.max(start)].iter().collect::<String>())
    };
    let mut text = String::new();
    let mut done = 0;
    for span in &hit.matches {
        let (start, end) = (span.start as usize, span.end as usize);
        text.push_str(&part(done, start));
        text.push_str(&bold(&part(start, end)));
        done = end;
    }
    text.push_str(&part(done, chars.len()));
    text
}

#[cfg(test)]
#[path = "tests/text.rs"]
mod tests;
