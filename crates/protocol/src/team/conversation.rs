//! What a conversation is called inside its scope: every message is in exactly one.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    terms::{MemberKind, MessageId, Name, Scope, Timestamp, forms, text::as_text, words::words},
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
    "invalid conversation `{0}`: write `channel`, a group's name, or two members as `alice+user`"
)]
pub struct BadConversation(String);

words! {
    /// Whom a message in a group wakes.
    #[derive(Default)]
    #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
    pub enum Wake {
        /// Every member.
        All = "all",
        /// Only mentioned members; others read it in their next run.
        #[default]
        Mentions = "mentions",
    }
}

/// A conversation as clients see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// Where it is
    pub scope: Scope,
    /// What it is called there
    pub name: Conversation,
    /// Who is in it; empty for a channel, which has all members
    pub members: Vec<Name>,
    /// Whom its messages wake
    #[serde(default)]
    pub wake: Wake,
    /// How many messages it has
    pub messages: i64,
    /// The newest message's number; 0 without one
    pub last_seq: i64,
    /// How far the user has read: a message's number
    pub read_seq: i64,
    /// How many messages the user has read, or wrote itself
    pub read_messages: i64,
}

/// Say how far the user has read a conversation. It never moves back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CursorSet {
    /// Which conversation of the scope
    pub conversation: Conversation,
    /// The newest message that was read
    pub until: MessageId,
}

/// A conversation as one of its members sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OwnGroup {
    /// Where it is
    pub scope: Scope,
    /// What it is called there
    pub name: Conversation,
    /// Who is in it; empty for a channel, which has all members
    pub members: Vec<Name>,
    /// Whom its messages wake
    pub wake: Wake,
    /// Whether you are in it
    pub joined: bool,
    /// How many messages it has
    pub messages: i64,
    /// The newest message's number; 0 without one
    pub last_seq: i64,
    /// How far you have read: a message's number
    pub read_seq: i64,
    /// How many messages came after that; 0 where you are not in it
    pub unread: i64,
}

/// The conversations that one may read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Groups {
    /// By scope: the channel, groups by name, then those of two members
    pub groups: Vec<OwnGroup>,
}

/// A member of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GroupMember {
    /// Its name
    pub name: Name,
    /// What it is
    pub kind: MemberKind,
    /// Whether it is you
    pub you: bool,
    /// How far it has read: a message's number
    pub read_seq: i64,
    /// How many messages came after that
    pub unread: i64,
    /// Since when it is in it
    pub joined_at: Timestamp,
}

/// Who is in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GroupMemberList {
    /// Where it is
    pub scope: Scope,
    /// The conversation
    pub group: Conversation,
    /// Its members by name
    pub members: Vec<GroupMember>,
}

/// Create a group of you and some members. `channel_send` with its name in `to` reaches all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct GroupCreate {
    /// Lower-case letters, digits, `-`, `_`
    pub name: Name,
    /// Other members
    #[serde(default, deserialize_with = "forms::names")]
    #[schemars(with = "Option<Vec<String>>")]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub members: Vec<String>,
    /// Who its messages wake (`mentions`)
    #[cfg_attr(
        feature = "cli",
        arg(long, value_enum, help = "Members its messages wake [default: mentions]")
    )]
    pub wake: Option<Wake>,
}

/// List your conversations and what is unread.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupList {}

/// List a conversation's members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupMembers {
    /// A group, `channel`, or `alice+bob`
    pub group: Conversation,
}

/// Add members to your group. They can read all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupAdd {
    /// The group's name
    pub group: Name,
    /// Members to add
    #[serde(deserialize_with = "forms::names")]
    #[schemars(with = "Vec<String>")]
    pub members: Vec<String>,
}

/// Leave one of your groups.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupLeave {
    /// The group's name
    pub group: Name,
}

op!(GroupCreate "group_create": post "/groups", write, tool => Group);
op!(GroupList "group_list": get "/groups", read, tool => Groups);
op!(GroupMembers "group_members": get "/groups/{group}/members", read, tool => GroupMemberList);
op!(GroupAdd "group_add": post "/groups/{group}/members", write, tool, idempotent => Group);
op!(GroupLeave "group_leave": post "/groups/{group}/leave", write, tool, idempotent => Group);
op!(CursorSet "cursor_set": put "/cursors/{conversation}", write, idempotent => Group);

impl Conversation {
    /// The channel's name.
    pub const CHANNEL: &str = Name::CHANNEL;

    /// The conversation of two members, however they are given.
    pub fn direct(one: Name, other: Name) -> Self {
        if one <= other { Self::Direct(one, other) } else { Self::Direct(other, one) }
    }

    /// Whether every message of it goes to every other member.
    pub fn is_group(&self) -> bool {
        matches!(self, Self::Group(_))
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

as_text!(Conversation, BadConversation, schema);

#[cfg(test)]
#[path = "tests/conversation.rs"]
mod tests;
