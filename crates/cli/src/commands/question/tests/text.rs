use super::*;
use crate::{tests::samples, text::plain};

#[test]
fn a_question_is_shown_with_what_can_be_chosen() {
    let open = samples::question();
    let mut answered = samples::question();
    answered.answer = Some("yes".to_owned());
    answered.answered_by = Some(samples::name("user"));
    let mut expired = samples::question();
    expired.options.clear();
    expired.expired_because = Some("no answer within 1h".to_owned());
    let text = list(&samples::view(), &[open.clone(), answered.clone(), expired.clone()], true);
    insta::assert_snapshot!(plain(&text), @r"
    q_7 scout@review asks (22:11, 58m 0s left, then: no)
        May I open a pull request?
        It has 3 commits.
        1  yes
        2  no (default)
        agent-worker answer q_7 CHOICE

    q_7 scout@review asks (22:11)
        May I open a pull request?
        It has 3 commits.
        user answered yes

    q_7 scout@review asks (22:11)
        May I open a pull request?
        It has 3 commits.
        no answer within 1h; the default applies: no
    ");
    assert_eq!(list(&samples::view(), &[], false), "no open questions");
    assert_eq!(list(&samples::view(), &[], true), "no questions");
    let told_open = told(&open);
    assert!(told_open.starts_with("q_7: scout "), "{told_open}");
    assert!(told_open.ends_with("(yes, no)\nagent-worker answer q_7 CHOICE"), "{told_open}");
    assert_eq!(told(&answered), "q_7: user answered yes");
    assert_eq!(decided(&answered), "q_7 of scout@review: user answered yes");
}

#[test]
fn options_that_are_numbers_are_not_numbered() {
    let mut question = samples::question();
    assert_eq!(prompt(&question), "answer (1-2)");
    question.options = vec!["2".to_owned(), "1".to_owned()];
    assert_eq!(prompt(&question), "answer");
    let text = plain(&whole(&samples::view(), &question));
    assert!(text.contains("\n    2\n    1\n    agent-worker answer q_7 CHOICE"), "{text}");
}

#[test]
fn a_permission_says_what_of_it_cannot_be_seen() {
    let permission = Question {
        kind: QuestionKind::Permission,
        text: "shell\ncommand: rm \u{200b}x\u{1b}[2J".to_owned(),
        tool: Some("shell".to_owned()),
        options: vec!["allow".to_owned(), "deny".to_owned()],
        default: Some("deny".to_owned()),
        ..samples::question()
    };
    insta::assert_snapshot!(plain(&whole(&samples::view(), &permission)), @r"
    q_7 scout@review wants to use (22:11, 58m 0s left, then denied)
        shell
        command: rm x⟦esc⟧
        (2 hidden characters)
        1  allow
        2  deny (default)
        agent-worker answer q_7 CHOICE
    ");
    assert!(!whole(&samples::view(), &samples::question()).contains("seen"));
}
