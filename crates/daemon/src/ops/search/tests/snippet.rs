use super::*;

fn shown(text: &str, words: &[&str]) -> (String, Vec<String>) {
    let marks: Vec<_> = words
        .iter()
        .map(|word| Mark::new(word.trim_end_matches('*'), word.ends_with('*')))
        .collect();
    let (snippet, spans) = cut(text, &marks);
    let part = |span: &Span| {
        let (start, end) = (span.start as usize, span.end as usize);
        snippet.chars().skip(start).take(end - start).collect::<String>()
    };
    let parts = spans.iter().map(part).collect();
    (snippet, parts)
}

#[test]
fn words_are_marked_in_any_case_and_not_in_others() {
    let (snippet, parts) = shown("The Plan:\n\nplanning a PLÄN, plan", &["plan"]);
    assert_eq!(snippet, "The Plan: planning a PLÄN, plan");
    assert_eq!(parts, ["Plan", "PLÄN", "plan"]);
    assert_eq!(shown("planning", &["plan*"]).1, ["plan"]);
}

#[test]
fn signs_are_marked_wherever_they_stand() {
    assert_eq!(shown("请检查API文档，检查", &["检查", "api"]).1, ["检查", "API", "检查"]);
    assert_eq!(shown("ﾃｽﾄです", &["テスト"]).1, ["ﾃｽﾄ"]);
}

#[test]
fn a_long_text_is_cut_around_what_was_found() {
    let text = format!("{}the needle {}", "hay stack ".repeat(3000), "hay ".repeat(100));
    let (snippet, parts) = shown(&text, &["needle"]);
    assert_eq!(parts, ["needle"]);
    assert!(snippet.starts_with('…') && snippet.ends_with('…'), "{snippet}");
    assert!(snippet.chars().count() <= LENGTH + 2);
    let (snippet, parts) = shown(&text, &["absent"]);
    assert!(snippet.starts_with("hay stack") && parts.is_empty());
    assert_eq!(shown("", &["a"]), (String::new(), Vec::new()));
}
