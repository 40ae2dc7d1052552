//! Conversations: the list, and who is in one.

use agent_worker_protocol::{
    Conversation, Group, GroupMember, GroupMemberList, Groups, Name, OwnGroup, Wake,
};

use crate::text::{Column, List, View, or_dash};

/// All conversations that one may read.
pub fn list(view: &View, page: &Groups) -> String {
    let columns: &[Column<'_, OwnGroup>] = &[
        ("WORKFLOW", &|group| group.scope.to_string()),
        ("CONVERSATION", &|group| group.name.to_string()),
        ("MEMBERS", &who),
        ("MESSAGES", &|group| group.messages.to_string()),
        ("UNREAD", &|group| or_dash(group.joined.then(|| group.unread.to_string()))),
        ("WAKES", &|group| wakes(&group.name, group.wake).to_owned()),
    ];
    List::of(columns, &page.groups).text(view)
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
    let columns: &[Column<'_, GroupMember>] = &[
        ("MEMBER", &|member| format!("{}{}", member.name, if member.you { " (you)" } else { "" })),
        ("UNREAD", &|member| member.unread.to_string()),
        ("SINCE", &|member| view.clock.short(member.joined_at)),
    ];
    List::of(columns, &list.members).text(view)
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
