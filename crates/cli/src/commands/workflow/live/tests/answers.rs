use super::*;
use crate::tests::samples;

fn question(number: i64) -> Question {
    Question { id: QuestionId::new(number), ..samples::question() }
}

/// Answers at a terminal: that of the test run may be none.
fn answers() -> Answers {
    let mut answers = Answers::default();
    for number in [7, 3] {
        answers.open.push_back(question(number));
    }
    answers.open.make_contiguous().sort_by_key(|open| open.id);
    answers
}

#[test]
fn the_oldest_question_is_asked_for_once_until_it_is_answered() {
    let mut answers = answers();
    assert_eq!(answers.turn(), (Some(question(3)), false));
    assert_eq!(answers.turn(), (None, false));
    assert_eq!(answers.take(), Some(question(3)));
    assert_eq!(answers.turn(), (Some(question(7)), false));
}

#[test]
fn a_question_that_is_answered_elsewhere_makes_room_for_the_next() {
    let mut answers = answers();
    answers.turn();
    answers.note(&Question { answer: Some("yes".to_owned()), ..question(3) });
    assert_eq!(answers.turn(), (Some(question(7)), true));
    answers.note(&Question { answer: Some("yes".to_owned()), ..question(7) });
    assert_eq!(answers.turn(), (None, true));
    assert!(!answers.is_asking());
}
#[test]
fn what_was_open_before_some_changes_were_missed_is_not_asked_for() {
    let mut answers = answers();
    answers.turn();
    answers.is_open = true;
    answers.renew(&[question(9), question(7)]);
    answers.is_open = false;
    assert_eq!(answers.turn(), (Some(question(7)), false));
    assert_eq!(answers.take(), Some(question(7)));
    assert_eq!(answers.turn(), (Some(question(9)), false));
}

#[tokio::test]
async fn a_line_from_before_a_question_was_shown_does_not_answer_it() {
    let mut answers = answers();
    let (lines, typed) = mpsc::unbounded_channel();
    answers.typed = Some(typed);
    answers.turn();
    answers.take();
    let line = |text: &str| Ok(Some(text.to_owned()));
    lines.send((line("yes"), Instant::now())).unwrap();
    assert_eq!(answers.turn(), (Some(question(7)), false));
    lines.send((line("no"), Instant::now() + std::time::Duration::from_secs(1))).unwrap();
    assert_eq!(answers.next().await.unwrap(), Some("no".to_owned()));
}
