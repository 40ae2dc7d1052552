//! Everything is seen as a member sees it, and then as the user does again.

use agent_worker_protocol::{Conversation, EventBody, Scope, Target};

use super::{
    story::{self, Story},
    team::{pr, review_group},
};
use crate::model::{
    Focus, Request, RequestError,
    effects::Effect,
    place::{Place, Subject, Tab},
};

fn member(name: &str) -> Target {
    Target::member(name.parse().unwrap(), pr())
}

/// Everything as a member of the team sees it.
fn as_member(name: &str) -> Story {
    let mut story = Story::team().sized(120, 40);
    story.visit(Subject::Agent(member(name)), Tab::Run);
    story.press("V").settle();
    story
}

/// The first line of the screen.
fn first_line(story: &Story) -> String {
    story.screen().lines().next().unwrap_or_default().trim().to_owned()
}

#[test]
fn a_banner_says_as_whom_everything_is_seen_until_one_comes_back() {
    let mut story = as_member("coder");
    assert!(
        first_line(&story).starts_with("VIEW AS coder@review:pr-123 │ V returns"),
        "{}",
        story.screen()
    );
    story.press("V").settle();
    assert!(first_line(&story).starts_with("aw │ devbox"), "{}", story.screen());
    assert_eq!(story.app.model.place, Place::at(Subject::Agent(member("coder")), Tab::Run));
    assert!(!story.app.model.settings.read_only);
}

#[test]
fn without_room_the_banner_keeps_the_connection_and_the_key_that_leads_back() {
    for (name, connection) in
        [("coder", "~ RECONNECTING │ data as of 14:06:12"), ("reviewer", "~ RECONNECTING")]
    {
        let mut story = as_member(name).sized(80, 24);
        story.disconnect().tell(crate::app::Msg::RetryIn(1_000));
        let wanted = format!("VIEW AS {name}@review:pr-123 │ {connection} │ V returns");
        assert_eq!(first_line(&story), wanted);
    }
}

#[test]
fn the_banner_names_a_full_disk() {
    let mut story = as_member("coder");
    story.beats(true);
    assert!(first_line(&story).contains("DISK FULL │ V returns"), "{}", story.screen());
}

#[test]
fn esc_leads_back_once_there_is_nothing_else_to_go_back_from() {
    let mut story = as_member("coder");
    story.app.model.selection.focus = Focus::Main;
    story.press("esc").settle();
    assert!(first_line(&story).starts_with("VIEW AS coder"), "{}", story.screen());
    story.press("esc").settle();
    assert!(first_line(&story).starts_with("aw │ devbox"), "{}", story.screen());
    assert!(!story.app.model.settings.read_only);
    let mut story = Story::acting_as("coder").sized(120, 40);
    story.app.model.selection.focus = Focus::Nav;
    story.press("esc").settle();
    assert!(first_line(&story).starts_with("VIEW AS coder"), "{}", story.screen());
}

#[test]
fn only_its_own_scope_and_conversations_are_seen() {
    let mut story = as_member("reviewer");
    let model = &story.app.model;
    assert!(model.mirror().workflows().all(|workflow| workflow.scope == pr()));
    assert!(model.mirror().agents().all(|agent| agent.scope == pr()));
    assert!(model.mirror().runs().all(|run| run.scope == pr()));
    let talks: Vec<_> = model.mirror().groups().map(|group| group.name.clone()).collect();
    assert_eq!(
        talks,
        [Conversation::Channel, review_group()],
        "what coder and user say to each other is theirs"
    );
    assert_eq!(model.mirror().questions().count(), 0, "questions are the user's");
    story.press("f");
    for hidden in ["docs", "alice", "coder, user"] {
        assert!(!story.overlay().contains(hidden), "{hidden}: {}", story.overlay());
    }
    story.press("esc").press("V").settle().press("f");
    assert!(story.overlay().contains("docs"), "{}", story.overlay());
}

#[test]
fn what_needs_you_is_what_waits_for_the_member() {
    let story = as_member("tester");
    let needs: Vec<_> =
        story.app.model.mirror().attention().map(|item| item.subject.clone()).collect();
    assert!(!needs.iter().any(|need| need.starts_with("q_")), "{needs:?}");
    assert!(needs.contains(&"@review:pr-123".to_owned()), "its inbox: {needs:?}");
}

#[test]
fn everything_is_asked_as_the_member() {
    let mut story = Story::team();
    story.visit(Subject::Agent(member("coder")), Tab::Inbox);
    story.press("V");
    let asked = |story: &Story| story.asks();
    assert!(!asked(&story).is_empty());
    for request in asked(&story) {
        assert!(
            matches!(&request, Request::As(target, _) if *target == member("coder")),
            "{request:?}"
        );
    }
    story.settle();
    for tab in Subject::Workflow(pr()).tabs() {
        story.open(Subject::Workflow(pr()), *tab);
        story.tell(crate::app::Msg::Tick);
        for request in asked(&story) {
            assert!(matches!(&request, Request::As(..)), "{tab:?}: {request:?}");
        }
        story.settle();
    }
}

#[test]
fn what_was_asked_for_another_is_not_shown() {
    let mut story = Story::team();
    story.visit(Subject::Agent(member("coder")), Tab::Inbox);
    story.press("R");
    let asked_before = story.asks();
    assert!(!asked_before.is_empty());
    story.press("V");
    for request in asked_before {
        let answer = RequestError::offline();
        story.tell(crate::app::Msg::Answer(Box::new(request), Err(answer)));
        assert!(story.app.model.prompt.notice.is_none(), "{}", story.screen());
    }
}

#[test]
fn what_the_member_may_not_see_says_so() {
    let mut story = as_member("reviewer");
    for tab in [Tab::Run, Tab::Inbox, Tab::Queue, Tab::Prompt] {
        story.visit(Subject::Agent(member("coder")), tab);
        let pane = story.main_pane();
        assert!(pane.contains("reviewer does not see"), "{tab:?}: {pane}");
        assert!(!pane.contains("msg_"), "{tab:?}: {pane}");
        story.visit(Subject::Agent(member("reviewer")), tab);
        assert!(!story.main_pane().contains("does not see"), "{tab:?}: {}", story.main_pane());
    }
    story.visit(Subject::Workflow(pr()), Tab::Events);
    assert!(story.main_pane().contains("reviewer does not see the feed"), "{}", story.main_pane());
}

#[test]
fn nothing_is_written_and_nothing_is_marked_as_read() {
    let mut story = as_member("coder");
    story.visit(Subject::Workflow(pr()), Tab::Channel);
    for key in ["i", "x", "r", "w", "G", "m"] {
        story.press(key);
        let changes = story.effects.iter().filter(|effect| match effect {
            Effect::Ask(request) => request.is_change(),
            _ => false,
        });
        assert_eq!(changes.count(), 0, "{key}");
        assert!(!story.app.model.writing.composer.is_open, "{key}");
    }
}

#[test]
fn events_that_the_member_does_not_see_change_nothing() {
    let mut story = as_member("coder");
    let before = story.screen();
    let other: Scope = "@docs".parse().unwrap();
    let mut workflow = story::workflow("@docs", &[]);
    workflow.scope = other;
    // The story's events are of another scope.
    story.happens(EventBody::WorkflowChanged(Box::new(workflow)));
    assert_eq!(story.screen(), before);
}

#[test]
fn the_next_prompt_of_the_member_is_shown_word_for_word() {
    let mut story = as_member("coder");
    story.press("E");
    assert_eq!(story.asks(), [Request::Context(member("coder"))], "only the user may ask for it");
    story.settle();
    let screen = story.screen();
    assert!(screen.contains("next run of coder@review:pr-123: 2 messages"), "{screen}");
    assert!(screen.contains("You are coder."), "{screen}");
}

#[test]
fn who_acts_as_a_member_sees_as_it_from_the_start() {
    let story = Story::acting_as("coder").sized(120, 40);
    assert!(first_line(&story).starts_with("VIEW AS coder@review"), "{}", story.screen());
    assert!(!story.app.model.settings.read_only, "it writes in that name");
}

#[test]
fn who_acts_as_nobody_there_is_told_so_and_sees_nothing_of_the_users() {
    let mut story = Story::acting_as("ghost").sized(120, 40);
    assert!(story.app.model.view.is_none());
    story.press("j").press("2");
    let screen = story.screen();
    assert!(screen.contains("ghost is not a member of any workflow"), "{screen}");
    let first = first_line(&story);
    let (left, _) = first.split_once("as ghost").unwrap();
    assert!(left.trim_end().ends_with("live"), "no counts: {first}");
    for users in ["loading", "NEEDS YOU", "reviewer", "docs"] {
        assert!(!screen.contains(users), "{users}: {screen}");
    }
    for key in ["x", "w", "X", "Q"] {
        assert_eq!(story.press(key).acts(), [], "{key}");
        assert!(story.app.overlays.is_empty(), "{key}: {}", story.screen());
    }
    story.agent_is(&story::agent("ghost@review:pr-123"));
    assert!(first_line(&story).starts_with("VIEW AS ghost@review"), "{}", story.screen());
}

#[test]
fn a_view_ends_with_its_member() {
    let removed = || EventBody::AgentRemoved { target: member("coder") };
    let mut story = as_member("coder");
    story.happens_in(pr(), removed()).settle();
    assert!(first_line(&story).starts_with("aw │ devbox"), "{}", story.screen());
    let told = "coder@review:pr-123 was removed: everything as you see it";
    assert!(story.screen().contains(told), "{}", story.screen());
    assert!(!story.app.model.settings.read_only);
    // The next agent of its name is another one.
    story.agent_is(&story::agent("coder@review:pr-123"));
    assert!(first_line(&story).starts_with("aw │ devbox"), "{}", story.screen());

    let mut story = Story::acting_as("coder").sized(120, 40);
    story.happens_in(pr(), removed()).settle();
    let screen = story.screen();
    assert!(screen.contains("coder is not a member of any workflow"), "{screen}");
    assert!(!screen.contains("reviewer"), "nothing of the user's: {screen}");
}

#[test]
fn who_acts_as_nobody_in_the_workflow_that_is_to_be_shown_is_told_so() {
    let mut story = Story::blank();
    story.app.model.settings.identity = "coder".parse().unwrap();
    let docs = Subject::Workflow("@docs".parse().unwrap());
    story.app.model.selection.awaited = Some(Place::of(docs));
    let story = story.live(super::snapshot());
    assert!(story.screen().contains("coder is not a member of @docs"), "{}", story.screen());
}
