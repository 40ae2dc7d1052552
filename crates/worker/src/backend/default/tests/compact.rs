use super::*;
use crate::{
    backend::default::reminders::{ANSWER, GO_ON},
    history::Seen,
    model::{Call, ToolResult},
};

const PROMPT: &str = "the prompt";

fn text(text: &str) -> Said {
    Said::Text(text.to_owned())
}

fn call(n: usize) -> Turn {
    let arguments = format!("{{\"n\":{n}}}");
    Turn::Answered(vec![
        Part::Thinking { text: "so".to_owned(), seal: Some("x".to_owned()) },
        Part::Call(Call { id: n.to_string(), name: "read".to_owned(), arguments, seal: None }),
    ])
}

fn result(n: usize, long: usize) -> Said {
    Said::Result(ToolResult {
        id: n.to_string(),
        name: "read".to_owned(),
        text: format!("result {n} {}", "x".repeat(long)),
        images: Vec::new(),
        is_error: n == 1,
    })
}

/// A conversation of `rounds` rounds, with mail in the second.
fn conversation(rounds: usize, long: usize) -> Vec<Turn> {
    let mut turns = vec![Turn::Told(vec![text("the prompt")])];
    for n in 0..rounds {
        let mut told = vec![result(n, long)];
        told.extend((n == 1).then(|| text("new mail")));
        turns.extend([call(n), Turn::Told(told)]);
    }
    turns
}

#[test]
fn old_rounds_become_a_list_and_mail_stays() {
    let mut turns = conversation(6, 3000);
    let kept = turns[9..].to_vec();
    let mut compacted = Compacted::default();
    assert!(compacted.shorten(&mut turns, PROMPT));
    assert_eq!(turns[1..], kept[..]);
    let Turn::Told(first) = &turns[0] else { panic!("{turns:?}") };
    let [Said::Text(prompt), Said::Text(mail), Said::Text(summary)] = &first[..] else {
        panic!("{first:?}")
    };
    assert_eq!((prompt.as_str(), mail.as_str()), ("the prompt", "new mail"));
    assert!(summary.contains(r#"- you called read with "{\"n\":1}", which failed: "result 1"#));
    assert!(!summary.contains(r#"{\"n\":4}"#), "{summary}");
    turns.extend(conversation(4, 3000).split_off(1));
    assert!(compacted.shorten(&mut turns, PROMPT));
    let Turn::Told(first) = &turns[0] else { panic!("{turns:?}") };
    assert_eq!(first.len(), 4, "{first:?}");
    assert_eq!(turns.len(), 5);
}

#[test]
fn what_a_model_is_reminded_of_is_no_mail() {
    let mut turns = conversation(6, 3000);
    let said = |text: &str| Turn::Answered(vec![Part::Text(text.to_owned())]);
    for reminder in [GO_ON, ANSWER] {
        drop(turns.splice(1..1, [said("the first half"), Turn::Told(vec![text(reminder)])]));
    }
    assert!(Compacted::default().shorten(&mut turns, PROMPT));
    let Turn::Told(first) = &turns[0] else { panic!("{turns:?}") };
    assert_eq!(first[..2], [text(PROMPT), text("new mail")]);
    assert_eq!(first.len(), 3, "{first:?}");
}

#[test]
fn long_results_become_their_beginnings() {
    let mut turns = conversation(1, 60_000);
    let mut compacted = Compacted::default();
    assert!(compacted.shorten(&mut turns, PROMPT));
    assert!(size(&turns) < 4200);
    assert!(!compacted.shorten(&mut turns, PROMPT), "nothing is left to leave out");
    assert!(!Compacted::default().shorten(&mut conversation(0, 0), PROMPT));
}

#[test]
fn what_is_told_of_what_was_done_does_not_grow_for_ever() {
    let mut turns = conversation(3000, 400);
    assert!(Compacted::default().shorten(&mut turns, PROMPT));
    assert!(size(&turns) < (12 << 10) + 4000, "{}", size(&turns));
}

#[test]
fn what_a_run_has_left_out_is_told_when_the_run_is_gone_too() {
    let mut turns = conversation(6, 3000);
    let mut compacted = Compacted::default();
    assert!(compacted.shorten(&mut turns, PROMPT));
    let said = vec![text(PROMPT)];
    let opening = Opening { said, seen: Seen::default(), is_whole: true, gist: Vec::new() };
    let turns: Vec<_> = turns.into_iter().map(|turn| (turn, 0)).collect();
    let kept = compacted.kept(&turns, &opening, "house/m-1");
    let told = summarise(&kept).of_earlier_runs();
    for n in 0..6 {
        assert!(told.contains(&format!("result {n} ")), "{n}: {told}");
    }
}
