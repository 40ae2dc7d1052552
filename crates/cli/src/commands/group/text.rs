//! Conversations: the list, and who is in one.

use agent_worker_protocol::{
    conversation::{Conversation, Group, GroupMemberList, Groups, OwnGroup, Wake},
    name::Name,
};

use crate::text::{List, View};

/// All conversations that one may read.
pub fn list(view: &View, page: &Groups) -> String {
    let header = ["WORKFLOW", "CONVERSATION", "MEMBERS", "MESSAGES", "UNREAD", "WAKES"];
    let rows = page.groups.iter().map(|group| {
        vec![
            group.scope.to_string(),
            group.name.to_string(),
            who(group),
            group.messages.to_string(),
            if group.joined { group.unread.to_string() } else { "-".to_owned() },
            wakes(&group.name, group.wake).to_owned(),
        ]
    });
    List::new(&header, rows).text(view)
}

fn who(group: &OwnGroup) -> String {
    match group.name {
        Conversation::Channel => "all".to_owned(),
        _ => names(&group.members),
    }
}

fn names(members: &[Name]) -> String {
    members.iter().map(Name::as_str).collect::<Vec<_>>().join(", ")
}

fn wakes(name: &Conversation, wake: Wake) -> &'static str {
    match (name, wake) {
        (Conversation::Direct(..), _) => "the other",
        (_, Wake::All) => "all",
        (_, Wake::Mentions) => "mentions",
    }
}

/// Who is in a conversation.
pub fn members(view: &View, list: &GroupMemberList) -> String {
    let header = ["MEMBER", "UNREAD", "SINCE"];
    let rows = list.members.iter().map(|member| {
        let you = if member.you { " (you)" } else { "" };
        vec![
            format!("{}{you}", member.name),
            member.unread.to_string(),
            view.clock.short(member.joined_at),
        ]
    });
    List::new(&header, rows).text(view)
}

/// A group after a change.
pub fn group(group: &Group) -> String {
    let members = match group.members.as_slice() {
        [] => "no members".to_owned(),
        members => names(members),
    };
    let wakes = match group.wake {
        Wake::All => "all",
        Wake::Mentions => "mentioned members",
    };
    format!("{} in {}: {members}; its messages wake {wakes}", group.name, group.scope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{tests::samples, text::plain};

    #[test]
    fn conversations_are_a_table_with_what_is_unread() {
        let own = |text: &str, members: &[&str], joined: bool| OwnGroup {
            scope: "@review".parse().unwrap(),
            name: text.parse().unwrap(),
            members: members.iter().map(|name| samples::name(name)).collect(),
            wake: if text == "team-a" { Wake::All } else { Wake::Mentions },
            joined,
            messages: 12,
            last_seq: 40,
            read_seq: 0,
            unread: 3,
        };
        let page = Groups {
            groups: vec![
                own("channel", &[], true),
                own("team-a", &["alice", "user"], true),
                own("alice+bob", &["alice", "bob"], false),
            ],
        };
        insta::assert_snapshot!(plain(&list(&samples::view(), &page)), @r"
        WORKFLOW  CONVERSATION  MEMBERS      MESSAGES  UNREAD  WAKES
        @review   channel       all          12        3       mentions
        @review   team-a        alice, user  12        3       all
        @review   alice+bob     alice, bob   12        -       the other
        ");
    }
}
