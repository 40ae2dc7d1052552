use agent_worker_protocol::{
    Agent, AttentionKind, Conversation, EventBody, Group, GroupCreate, Message, MessagePage, Name,
    Wake,
};

use crate::{
    model::{
        NavId,
        acts::Act,
        effects::Effect,
        place::{Place, Subject, Tab},
        requests::{Reply, Request},
    },
    tests::{Story, channel, message, review, story::person},
};

fn name(name: &str) -> Name {
    name.parse().unwrap()
}

fn night() -> Conversation {
    Conversation::Group(name("night"))
}

/// A group of these members, with four messages, the first of them read.
fn group(members: &[&str], wake: Wake) -> Group {
    let members = members.iter().map(|member| name(member)).collect();
    Group { name: night(), members, wake, ..channel(&review(), 4, 1) }
}

fn opened(members: &[&str], wake: Wake, tab: Tab) -> Story {
    let mut story = Story::review().sized(110, 24);
    story.happens(EventBody::GroupChanged(group(members, wake)));
    story.open(Subject::Talk(review(), night()), tab);
    story
}

#[test]
fn a_group_stands_in_the_tree_with_members_scope_and_unread_before_anything_is_said() {
    let mut story = Story::review().sized(110, 24);
    let empty = Group { messages: 0, read_messages: 0, ..group(&["coder", "user"], Wake::All) };
    story.happens(EventBody::GroupChanged(empty));
    let line = |story: &Story| {
        let screen = story.screen();
        let mut lines = screen.lines().skip_while(|line| !line.contains("GROUPS"));
        lines.nth(1).and_then(|line| line.split_once('│')).unwrap().0.trim_end().to_owned()
    };
    assert_eq!(line(&story), "  & night (2) @review");
    story.happens(EventBody::GroupChanged(group(&["coder", "user"], Wake::All)));
    assert_eq!(line(&story), "  & night (2) @review     3");
    story.happens(EventBody::GroupChanged(group(&["coder"], Wake::All)));
    assert_eq!(line(&story), "  & night (1) @review", "what others said is not unread");
}

#[test]
fn its_wake_rule_is_told() {
    for (wake, words, hint) in [
        (Wake::All, "wakes all", "it wakes every agent"),
        (Wake::Mentions, "wakes those it names", "wakes those it names"),
    ] {
        for tab in [Tab::Messages, Tab::Members] {
            let story = opened(&["coder", "user"], wake, tab);
            let screen = story.screen();
            let tabs = screen.lines().nth(1).unwrap();
            assert!(tabs.contains(words), "{tabs}");
            let line = screen.lines().rev().nth(1).unwrap();
            assert!(line.contains(hint), "{line}");
        }
    }
}

#[test]
fn a_message_to_it_says_whom_it_wakes_and_goes_there() {
    let mut story = opened(&["coder", "user"], Wake::All, Tab::Messages);
    story.press("i").type_in("have a look");
    assert!(story.screen().contains("& night @review   wakes 1: coder"), "{}", story.screen());
    story.press("enter");
    assert_eq!(story.sends(), ["have a look"]);
    let mut story = opened(&["coder", "user"], Wake::Mentions, Tab::Messages);
    story.press("i").type_in("look");
    assert!(story.screen().contains("starts no run"), "{}", story.screen());
}

#[test]
fn a_name_outside_of_the_group_is_asked_about_as_one_of_no_member() {
    let mut story = opened(&["coder", "user"], Wake::Mentions, Tab::Channel);
    story.press("i").type_in("look @tester");
    assert!(story.screen().contains("@tester? not in the group"), "{}", story.screen());
    assert_eq!(story.press("enter").sends(), Vec::<String>::new());
    assert_eq!(story.press("enter").sends(), ["look @tester"]);
}

#[test]
fn a_group_is_left_and_joined_and_only_members_write() {
    let mut story = opened(&["coder", "user"], Wake::Mentions, Tab::Messages);
    story.press("I");
    assert!(story.screen().contains("leave group night @review?"), "{}", story.screen());
    story.wait(200);
    assert_eq!(story.press("y").acts(), [Act::LeaveGroup(review(), name("night"))]);
    story.happens(EventBody::GroupChanged(group(&["coder"], Wake::Mentions)));
    assert!(story.screen().contains("only members write here: I joins"), "{}", story.screen());
    story.press("i");
    assert!(!story.app.model.writing.composer.is_open, "{}", story.screen());
    let joined = Act::AddToGroup(review(), name("night"), vec![Name::person()]);
    assert_eq!(story.press("I").acts(), std::slice::from_ref(&joined));
    assert_eq!(joined.shell(), "agent-worker group add night user --in @review");
}

#[test]
fn a_draft_for_a_group_waits_until_the_user_is_in_it_again() {
    let mut story = opened(&["coder", "user"], Wake::Mentions, Tab::Messages);
    story.press("i").type_in("half").press("esc");
    assert!(story.screen().contains("i goes on with the draft"), "{}", story.screen());
    story.happens(EventBody::GroupChanged(group(&["coder"], Wake::Mentions)));
    assert!(story.screen().contains("only members write here: I joins"), "{}", story.screen());
}

#[test]
fn where_no_member_is_listed_it_is_said_why() {
    let mut story = opened(&["coder"], Wake::Mentions, Tab::Members);
    story.press("&").type_in("nosuch").press("enter");
    assert!(story.main_pane().contains("no line matches the filter"), "{}", story.screen());
    let story = opened(&[], Wake::Mentions, Tab::Members);
    assert!(story.main_pane().contains("no members"), "{}", story.screen());
}

#[test]
fn a_group_of_agents_that_are_marked_among_all_is_where_they_are() {
    let mut story = Story::review();
    story.open(Subject::All, Tab::Agents);
    story.press("*").press("j").press("*").press("#");
    let overlay = story.overlay();
    assert!(overlay.contains("coder reviewer") && overlay.contains("in @review"), "{overlay}");
}

#[test]
fn a_group_is_made_of_the_marked_agents_and_shown_once_it_is_there() {
    let mut story = Story::review();
    story.open(Subject::Workflow(review()), Tab::Agents);
    story.press("*").press("j").press("*").press("#");
    assert!(story.overlay().contains("coder reviewer"), "{}", story.overlay());
    story.press("enter");
    assert!(story.acts().is_empty() && story.overlay().contains("without it"));
    story.type_in("night").press("tab").press("tab").press("ctrl+u").type_in("none");
    assert!(story.press("enter").overlay().contains("unknown wake rule `none`"));
    story.press("ctrl+u").type_in("all").press("enter");
    let members = vec!["coder".to_owned(), "reviewer".to_owned()];
    let create = GroupCreate { name: name("night"), members, wake: Some(Wake::All) };
    let act = Act::CreateGroup(review(), Box::new(create));
    assert_eq!(story.acts(), std::slice::from_ref(&act));
    assert_eq!(
        act.shell(),
        "agent-worker group create night coder reviewer --in @review --wake all"
    );
    story.answer(Request::Act(act), Reply::Done(None));
    story.happens(EventBody::GroupChanged(group(&["coder", "reviewer", "user"], Wake::All)));
    assert_eq!(story.app.model.place, Place::of(Subject::Talk(review(), night())));
}

#[test]
fn members_are_added_where_members_are_shown() {
    let mut story = opened(&["coder", "user"], Wake::Mentions, Tab::Members);
    story.press("plus").type_in("@tester, reviewer").press("enter");
    let names = vec![name("tester"), name("reviewer")];
    assert_eq!(story.acts(), [Act::AddToGroup(review(), name("night"), names)]);
    let pair = Conversation::direct(name("coder"), Name::person());
    story.open(Subject::Talk(review(), pair), Tab::Members);
    assert!(!story.screen().contains("+ add"), "a conversation of two has no more");
    assert!(!story.press("I").effects.iter().any(|effect| matches!(effect, Effect::Ask(_))));
}

/// A conversation of two, with four messages, the first of them read.
fn direct(one: &str, other: &str) -> Group {
    let members = vec![name(one), name(other)];
    let pair = Conversation::Direct(name(one), name(other));
    Group { name: pair, members, ..channel(&review(), 4, 1) }
}

#[test]
fn what_two_others_write_to_each_other_is_not_unread() {
    let mut story = Story::review().sized(110, 24);
    let (own, others) = (direct("coder", "user"), direct("coder", "tester"));
    assert_eq!(story.app.model.unread(&own), 3);
    assert_eq!(story.app.model.unread(&others), 0);
    story.happens(EventBody::GroupChanged(others));
    let screen = story.screen();
    let line = screen.lines().find(|line| line.contains("coder, tester")).unwrap_or(&screen);
    let line = line.split('│').next().unwrap().trim_end();
    assert!(!line.ends_with(['3', '4']), "{line}");
    story.press("u");
    assert!(story.screen().contains("everything is read"), "{}", story.screen());
}

#[test]
fn unread_mail_leads_to_the_conversation_that_has_it() {
    let mut story = Story::review();
    let need = NavId::Need(AttentionKind::Mention, "user@review".to_owned());
    let leads = |story: &Story| need.place(&story.app.model).unwrap();
    story.happens(EventBody::GroupChanged(direct("coder", "user")));
    story.happens(EventBody::GroupChanged(channel(&review(), 4, 3)));
    story.agent_is(&Agent { unread: 4, ..person("@review") });
    assert_eq!(leads(&story), Place::at(Subject::Workflow(review()), Tab::Channel));
    story.happens(EventBody::GroupChanged(channel(&review(), 4, 4)));
    let pair = Conversation::Direct(name("coder"), name("user"));
    assert_eq!(leads(&story), Place::at(Subject::Talk(review(), pair), Tab::Messages));
    story.happens(EventBody::GroupChanged(Group { read_messages: 4, ..direct("coder", "user") }));
    assert_eq!(leads(&story), Place::at(Subject::Workflow(review()), Tab::Channel));
}

#[test]
fn unread_mail_of_a_group_is_not_counted_in_the_channel_and_leads_to_the_group() {
    let mut story = Story::review().sized(110, 24);
    story.happens(EventBody::GroupChanged(group(&["coder", "user"], Wake::Mentions)));
    story.happens(EventBody::GroupChanged(channel(&review(), 4, 2)));
    story.agent_is(&Agent { unread: 3, ..person("@review") });
    let screen = story.screen();
    let line = screen.lines().find(|line| line.contains("# channel")).unwrap_or(&screen);
    let line = line.split('│').next().unwrap().trim_end();
    assert!(line.ends_with(" 2") && !line.contains('@'), "{screen}");
    let need = NavId::Need(AttentionKind::Mention, "user@review".to_owned());
    let place = need.place(&story.app.model).unwrap();
    assert_eq!(place, Place::at(Subject::Talk(review(), night()), Tab::Messages));
}

#[test]
fn no_read_cursor_is_moved_where_only_others_are() {
    let mut story = Story::review().sized(110, 24);
    story.happens(EventBody::GroupChanged(direct("coder", "tester")));
    let pair = Conversation::Direct(name("coder"), name("tester"));
    story.open(Subject::Talk(review(), pair.clone()), Tab::Messages);
    let side = crate::model::known::talks::Side::Newest;
    let said = Message { group: pair.clone(), ..message(4, "coder", "hello") };
    let messages =
        MessagePage { messages: vec![said], more: true, more_before: true, more_after: false };
    story.answer(Request::Page(review(), pair, side, 0), Reply::Messages(messages));
    let is_read = |story: &Story| {
        story.effects.iter().any(|effect| matches!(effect, Effect::Ask(Request::Read(..))))
    };
    assert!(!is_read(&story), "the daemon refuses it");
    story.press("j");
    assert!(!is_read(&story));
    assert!(!story.screen().contains(" new "), "{}", story.screen());
}
