use proptest::prelude::*;

use super::*;
use crate::cases::cases;

#[test]
fn a_cursor_parses_what_it_prints() {
    for text in ["17", "0", "6f1c-17", "a-b-3"] {
        assert_eq!(text.parse::<Cursor>().unwrap().to_string(), text);
    }
    for bad in ["", "x", "-3", "6f1c-", "6f1c-x"] {
        assert!(bad.parse::<Cursor>().is_err(), "{bad}");
    }
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn a_cursor_is_read_back_whatever_its_epoch(
        epoch in prop::option::of("[a-z0-9-]{1,8}"),
        seq in 0..=i64::MAX,
        text in "[a-f0-9+-]{0,8}",
    ) {
        let cursor = Cursor { epoch, seq };
        prop_assert_eq!(cursor.to_string().parse(), Ok(cursor));
        if let Ok(cursor) = text.parse::<Cursor>() {
            prop_assert!(cursor.seq >= 0);
            prop_assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
    }
}

#[test]
fn an_event_names_its_kind_as_it_serializes() {
    let scope = Scope::global();
    let event = Event {
        seq: 1,
        scope: scope.clone(),
        run: None,
        actor: "operator".to_owned(),
        at: Timestamp(5),
        body: EventBody::WorkflowRemoved { scope },
    };
    let json = serde_json::to_value(&event).unwrap();
    assert_eq!(json["kind"], event.body.kind());
    assert_eq!(json["body"]["scope"], "@global");
    assert_eq!(serde_json::from_value::<Event>(json.clone()).unwrap(), event);
    assert_eq!(serde_json::from_str::<Event>(&json.to_string()).unwrap(), event);
}
