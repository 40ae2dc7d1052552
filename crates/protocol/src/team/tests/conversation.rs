use proptest::prelude::*;

use super::*;
use crate::cases::cases;

#[test]
fn a_conversation_parses_what_it_prints() {
    for text in ["channel", "team-a", "alice+user"] {
        assert_eq!(text.parse::<Conversation>().unwrap().to_string(), text);
    }
    assert_eq!("user+alice".parse::<Conversation>().unwrap().to_string(), "alice+user");
    for bad in ["", "+", "alice+", "A", "a+b+c"] {
        assert!(bad.parse::<Conversation>().is_err(), "{bad}");
    }
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn whatever_names_a_conversation_names_it_again(text in "[a-cA+_9-]{0,6}|channel") {
        let parts: Vec<Option<Name>> = text.split('+').map(|part| part.parse().ok()).collect();
        match (text.parse::<Conversation>(), parts.as_slice()) {
            (Ok(Conversation::Channel), _) => prop_assert_eq!(&text, "channel"),
            (Ok(Conversation::Group(name)), _) => prop_assert_eq!(&parts, &[Some(name)]),
            (Ok(found @ Conversation::Direct(..)), [Some(one), Some(other)]) => {
                prop_assert_eq!(&found, &Conversation::direct(other.clone(), one.clone()));
                prop_assert_eq!(found.to_string().parse(), Ok(found));
            }
            (found, parts) => {
                prop_assert!(found.is_err());
                prop_assert!(parts.len() > 2 || parts.contains(&None), "{}", text);
            }
        }
    }
}
