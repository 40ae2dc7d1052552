use agent_worker_protocol::ErrorCode;

use super::*;

fn refused(message: &str) -> Answer {
    let (code, message) = (Some(ErrorCode::Conflict), message.to_owned());
    Err(RequestError { code, message, hint: None, is_unsure: false })
}

#[test]
fn what_is_refused_among_several_keeps_none_of_the_others_from_being_done() {
    let mut several = Several::of(3);
    for answer in [Ok(Reply::Done(None)), refused("it is done"), Ok(Reply::Done(None))] {
        assert!(several.take(answer));
    }
    let error = several.answer().unwrap_err();
    assert_eq!(error.message, "2 of 3 done: it is done");
    assert!(error.is_unsure && error.code == Some(ErrorCode::Conflict));
}

#[test]
fn where_all_are_refused_the_first_refusal_is_the_answer() {
    let mut several = Several::of(2);
    assert!(several.take(refused("one")) && several.take(refused("two")));
    assert_eq!(several.answer(), refused("one"));
}

#[test]
fn a_refusal_before_an_answer_that_was_lost_is_unsure() {
    let mut several = Several::of(2);
    let lost = RequestError { is_unsure: true, ..RequestError::offline() };
    assert!(several.take(refused("one")) && !several.take(Err(lost)));
    assert!(several.answer().unwrap_err().is_unsure);
}

#[test]
fn a_daemon_that_does_not_answer_is_not_asked_for_the_rest() {
    let mut several = Several::of(2);
    assert!(!several.take(Err(RequestError::offline())));
    assert_eq!(several.answer(), Err(RequestError::offline()));
}
