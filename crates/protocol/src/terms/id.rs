//! Numbers of the tables as the texts that people and agents see: `msg_12`, `run_3`, `q_7`.

use std::{borrow::Cow, fmt, marker::PhantomData, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// What an [`Id`] numbers.
pub trait Kind: Copy {
    /// What stands before the number, without the `_`.
    const PREFIX: &'static str;
}

/// A row's number, printed as `<prefix>_<number>`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id<K>(i64, PhantomData<fn() -> K>);

/// A kind of rows for each table, and its ids.
macro_rules! ids {
    ($($(#[$doc:meta])* $kind:ident, $id:ident: $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $kind {}

        impl Kind for $kind {
            const PREFIX: &'static str = $prefix;
        }

        #[doc = concat!("`", $prefix, "_7`")]
        pub type $id = Id<$kind>;
    )*};
}

ids! {
    /// Messages; the number is the message's `seq`, so ids have the order of the channel.
    MessageKind, MessageId: "msg";
    /// Runs.
    RunKind, RunId: "run";
    /// Resources.
    ResourceKind, ResourceId: "res";
    /// Questions to the user.
    QuestionKind, QuestionId: "q";
    /// Proposals.
    ProposalKind, ProposalId: "prop";
    /// Schedules.
    ScheduleKind, ScheduleId: "sched";
    /// Sessions.
    SessionIdKind, SessionId: "session";
}

/// Error of a text that is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid id `{text}`: it looks like `{prefix}_12`")]
pub struct BadId {
    text: String,
    prefix: &'static str,
}

impl<K> Id<K> {
    /// The id of a row's number.
    pub fn new(number: i64) -> Self {
        Self(number, PhantomData)
    }

    /// The row's number.
    pub fn number(self) -> i64 {
        self.0
    }
}

impl<K: Kind> fmt::Display for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", K::PREFIX, self.0)
    }
}

impl<K: Kind> fmt::Debug for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<K: Kind> FromStr for Id<K> {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        let digits = text.strip_prefix(K::PREFIX).and_then(|rest| rest.strip_prefix('_'));
        digits
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
            .and_then(|digits| digits.parse().ok())
            .map(Self::new)
            .ok_or_else(|| BadId { text: text.to_owned(), prefix: K::PREFIX })
    }
}

impl<K: Kind> Serialize for Id<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, K: Kind> Deserialize<'de> for Id<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl<K: Kind> JsonSchema for Id<K> {
    fn schema_name() -> Cow<'static, str> {
        format!("Id_{}", K::PREFIX).into()
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
    fn an_id_parses_what_it_prints_and_nothing_else() {
        assert_eq!(MessageId::new(12).to_string(), "msg_12");
        assert_eq!("msg_12".parse(), Ok(MessageId::new(12)));
        for bad in
            ["", "12", "msg_", "msg_-1", "msg_+1", "msg_1x", "run_1", "msg_99999999999999999999"]
        {
            assert!(bad.parse::<MessageId>().is_err(), "{bad}");
        }
    }

    proptest! {
        #![proptest_config(cases(1_000))]

        #[test]
        fn a_number_survives_the_way_through_its_id(number in 0..=i64::MAX, text in "(msg|run|res)_?[0-9+-]{0,21}") {
            prop_assert_eq!(RunId::new(number).to_string().parse(), Ok(RunId::new(number)));
            if let Ok(id) = text.parse::<RunId>() {
                let digits = text.len() - "run_".len();
                prop_assert_eq!(text, format!("run_{:0>digits$}", id.number()));
            }
        }
    }
}
