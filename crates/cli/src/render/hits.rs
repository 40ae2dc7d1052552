//! What a search has found.

use agent_worker_protocol::search::{Hit, Hits};

use super::{View, bold, dim, line};

/// What was found: where, then the text around it.
pub fn list(view: &View, found: &Hits) -> String {
    if found.hits.is_empty() {
        return "nothing was found".to_owned();
    }
    let mut lines: Vec<_> = found.hits.iter().map(|hit| one(view, hit)).collect();
    if let Some(next) = found.next {
        lines.push(dim(&format!("there is more: --next {next}")));
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
mod tests {
    use agent_worker_protocol::{
        id::MessageId,
        search::{HitKind, Span},
        time::Timestamp,
    };

    use super::*;
    use crate::render::{plain, samples};

    #[test]
    fn a_hit_says_where_it_is_and_what_is_around_it() {
        let message = samples::message("alice", "x");
        let hit = Hit {
            kind: HitKind::Message,
            scope: message.scope.clone(),
            message: Some(MessageId::new(7)),
            group: Some("team-a".parse().unwrap()),
            file: None,
            resource: None,
            by: message.sender.clone(),
            at: message.created_at,
            snippet: "the plan\u{1b}[2J is here".to_owned(),
            matches: vec![Span { start: 4, end: 8 }],
        };
        let document = Hit {
            kind: HitKind::Document,
            message: None,
            group: None,
            file: Some("plan.md".to_owned()),
            at: Timestamp(hit.at.0),
            matches: Vec::new(),
            ..hit.clone()
        };
        let found = Hits { hits: vec![hit, document], more: true, next: Some(9) };
        let text = plain(&list(&samples::view(), &found));
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].contains("msg_7  alice in team-a of @"), "{text}");
        assert!(lines[1].trim_start().starts_with("the plan") && lines[1].ends_with(" is here"));
        assert!(lines[2].contains("plan.md  alice in @"), "{text}");
        assert_eq!(lines[4], "there is more: --next 9");
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }
}
