//! What a conversation is called inside its scope: every message is in exactly one.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::{
    id::MessageId,
    name::Name,
    op::{Access, Op, Route},
    target::Scope,
};

/// A conversation's name: `channel` (all members), `team-a` (a group), `alice+user` (two members,
/// in alphabetical order).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Conversation {
    /// The scope's channel.
    Channel,
    /// A named set of members.
    Group(Name),
    /// Two members.
    Direct(Name, Name),
}

/// Why a text names no conversation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no conversation: write `channel`, a group's name, or two members as `alice+user`"
)]
pub struct BadConversation(String);

/// A conversation as clients see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// Where it is
    pub scope: Scope,
    /// What it is called there
    pub name: Conversation,
    /// Who is in it; of a channel: nobody is listed, all are in it
    pub members: Vec<Name>,
    /// How many messages it has
    pub messages: i64,
    /// The newest message's number; 0 without one
    pub last_seq: i64,
    /// How far the person has read: a message's number
    pub read_seq: i64,
    /// How many messages the person has read
    pub read_messages: i64,
}

/// Say how far the person has read a conversation. It never moves back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CursorSet {
    /// Which conversation of the scope
    pub conversation: Conversation,
    /// The newest message that was read
    pub until: MessageId,
}

impl Op for CursorSet {
    const NAME: &'static str = "cursor_set";
    const ROUTE: Option<Route> = Some(Route::put("/cursors/{conversation}"));
    const ACCESS: Access = Access::Write;
    const IDEMPOTENT: bool = true;
    type Output = Group;
}

impl Conversation {
    /// The channel's name.
    pub const CHANNEL: &str = "channel";

    /// The conversation of two members, however they are given.
    pub fn direct(one: Name, other: Name) -> Self {
        if one <= other { Self::Direct(one, other) } else { Self::Direct(other, one) }
    }
}

impl FromStr for Conversation {
    type Err = BadConversation;

    fn from_str(text: &str) -> Result<Self, BadConversation> {
        let name = |part: &str| part.parse::<Name>().map_err(|_| BadConversation(text.to_owned()));
        match text.split_once('+') {
            _ if text == Self::CHANNEL => Ok(Self::Channel),
            Some((one, other)) => Ok(Self::direct(name(one)?, name(other)?)),
            None => Ok(Self::Group(name(text)?)),
        }
    }
}

impl fmt::Display for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Channel => f.write_str(Self::CHANNEL),
            Self::Group(name) => write!(f, "{name}"),
            Self::Direct(one, other) => write!(f, "{one}+{other}"),
        }
    }
}

impl TryFrom<String> for Conversation {
    type Error = BadConversation;

    fn try_from(text: String) -> Result<Self, BadConversation> {
        text.parse()
    }
}

impl From<Conversation> for String {
    fn from(conversation: Conversation) -> Self {
        conversation.to_string()
    }
}

impl JsonSchema for Conversation {
    fn schema_name() -> Cow<'static, str> {
        "Conversation".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
mod tests {
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
}
