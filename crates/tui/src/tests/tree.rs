//! Which line of the tree is selected, and what is shown, while things happen.

use agent_worker_protocol::{
    Agent, AgentState, AttentionItem, AttentionKind, Conversation, EventBody, Group, Run, Scope,
    ScopeAttention, Timestamp, WorkflowState,
};

use super::{
    story::{NOW, Story, agent, channel, need_of, question, review, run, silent_run, snapshot},
    team::pr,
};
use crate::{
    app::Msg,
    model::{
        NavId, Request, layout,
        place::{Subject, Tab},
        settings::Order,
        tree::moves::may_move,
        tree_lines, words,
        writing::composer,
    },
    mouse::{Mouse, MouseKind},
    text::query::Query,
};

#[test]
fn a_tab_of_the_global_scope_stays_on_the_screen_while_things_happen() {
    let mut story = Story::review();
    story.agent_is(&agent("bob@global"));
    story.open(Subject::Workflow(Scope::global()), Tab::Events);
    let model = &story.app.model;
    assert_eq!(model.selection.tree.selected, NavId::Channel(Scope::global()));
    let place = model.place.clone();
    story.agent_is(&agent("tester@review"));
    assert_eq!(story.app.model.place, place);
}

#[test]
fn what_the_filter_of_the_tree_hides_stays_on_the_screen_until_it_is_gone() {
    let mut story = Story::review();
    story.press("/").type_in("coder").press("enter");
    let tester = agent("tester@review");
    story.open(Subject::Agent(tester.target.clone()), Tab::Run);
    let place = story.app.model.place.clone();
    story.agent_is(&agent("reviewer@review"));
    assert_eq!(story.app.model.place, place);
    assert!(!story.screen().contains("◦ tester"), "{}", story.screen());
    story.happens(EventBody::AgentRemoved { target: tester.target });
    assert_ne!(story.app.model.place, place);
}

#[test]
fn the_way_back_and_forward_leaves_out_what_is_gone() {
    let mut story = Story::review();
    let place = |story: &Story| story.app.model.place.clone();
    let first = place(&story);
    let tester = agent("tester@review");
    for target in [&agent("coder@review").target, &tester.target] {
        story.open(Subject::Agent(target.clone()), Tab::Run);
    }
    story.press("b").press("b").happens(EventBody::AgentRemoved { target: tester.target });
    assert_eq!(place(&story), first);
    let coder = place(story.press("B"));
    story.press("B");
    assert_eq!(place(&story), coder);
    assert!(story.screen().contains("nothing after this"), "{}", story.screen());
    story.open_channel().happens(EventBody::AgentRemoved { target: agent("coder@review").target });
    assert_eq!(place(story.press("b")), first);
}

#[test]
fn a_conversation_of_the_daemon_with_an_agent_has_a_line_for_that_agent_alone() {
    let mut story = Story::review();
    let talk = Conversation::direct("coder".parse().unwrap(), "system".parse().unwrap());
    let group = Group { name: talk.clone(), ..channel(&review(), 3, 3) };
    story.happens(EventBody::GroupChanged(group));
    let line = NavId::Talk(review(), talk);
    assert!(!tree_lines::lines(&story.app.model).contains(&line));
    story.app.model.settings.identity = "coder".parse().unwrap();
    assert!(tree_lines::lines(&story.app.model).contains(&line));
}

#[test]
fn lines_are_looked_for_anew_only_after_what_may_move_them() {
    let mut story = Story::review();
    let mut coder = story.app.model.mirror().agent(&agent("coder@review").target).unwrap().clone();
    (coder.state, coder.unread) = (AgentState::Queued, 7);
    let mut hired = coder.clone();
    hired.parent = Some("reviewer".parse().unwrap());
    let mut team = story.app.model.mirror().workflow(&review()).unwrap().clone();
    team.used.runs += 1;
    let mut ended = team.clone();
    ended.state = WorkflowState::Completed;
    let needs = |items| EventBody::AttentionChanged(ScopeAttention { scope: review(), items });
    let known = story.app.model.mirror().attention_of(&review()).to_vec();
    let is = |agent: &Agent| EventBody::AgentChanged(Box::new(agent.clone()));
    let events = [
        (is(&coder), false),
        (is(&hired), true),
        (is(&agent("tester-2@review")), true),
        (EventBody::AgentRemoved { target: coder.target.clone() }, true),
        (EventBody::WorkflowChanged(Box::new(team)), false),
        (EventBody::WorkflowChanged(Box::new(ended)), true),
        (needs(known.clone()), false),
        (needs([known, vec![silent_run()]].concat()), true),
    ];
    for (event, moves) in events {
        assert_eq!(may_move(&story.app.model, &event), moves, "{event:?}");
    }
    story.app.model.settings.chosen.order = Order::Need;
    assert!(may_move(&story.app.model, &is(&coder)), "its place is that of its state");
}

#[test]
fn a_folded_workflow_shows_the_worst_of_its_agents() {
    let mut story = Story::review();
    let tree = &mut story.app.model.selection.tree;
    tree.selected = NavId::All;
    tree.folded.insert(review());
    let ends_with = |story: &Story, symbol: char| {
        let screen = story.screen();
        let line = screen.lines().find(|line| line.contains("▸ review:main")).unwrap();
        line.split_once('│').unwrap().0.trim_end().ends_with(symbol)
    };
    assert!(ends_with(&story, '⠿'), "{}", story.screen());
    story.needs(vec![silent_run()]);
    assert!(ends_with(&story, '~'), "{}", story.screen());
    story.needs(Vec::new());
    let mut tester = agent("tester@review");
    tester.state = AgentState::Paused;
    story.agent_is(&tester);
    assert!(ends_with(&story, '✗'), "{}", story.screen());
}

#[test]
fn a_workflow_that_failed_in_its_setup_stands_among_what_needs_the_user() {
    let mut story = Story::review().sized(120, 40);
    let (kind, subject) = (AttentionKind::Failed, review().to_string());
    story.needs(vec![AttentionItem { kind, subject, ..silent_run() }]);
    let screen = story.press("a").screen();
    assert!(screen.contains("✗ 1 failed") && screen.contains("NEEDS YOU"), "{screen}");
    assert_eq!(story.app.model.place.subject, Subject::Workflow(review()));
}

#[test]
fn agents_of_one_name_that_need_the_user_are_told_apart_by_their_workflows() {
    let (own, global) = (question(1, "tester@review", &[]), question(2, "tester", &[]));
    let alone = question(3, "coder@review", &[]);
    let asked = [own, global, alone];
    let mut picture = snapshot();
    picture.agents.push(agent("tester"));
    picture.attention = asked.iter().map(need_of).collect();
    picture.questions = asked.into();
    let paused = AttentionItem {
        kind: AttentionKind::Paused,
        subject: "tester@review".to_owned(),
        ..silent_run()
    };
    picture.attention.push(paused);
    let screen = Story::of(picture).sized(120, 40).screen();
    let line = |start: &str| screen.lines().any(|line| line.contains(start));
    assert!(line("? tester@review "), "{screen}");
    assert!(line("? tester "), "{screen}");
    assert!(line("? coder "), "{screen}");
    assert!(line("✗ tester@review "), "{screen}");
}

#[test]
fn the_reason_of_a_failed_setup_is_told_in_each_place_of_its_workflow() {
    let mut story = Story::review();
    let (kind, subject) = (AttentionKind::Failed, review().to_string());
    let step = ["make all"; 9].join(" ");
    let reason = format!("the setup step `{step}` failed: no_rule_to_make");
    let tells = |text: String| {
        assert!(text.contains("failed: the setup step") && text.contains("no_rule"), "{text}");
    };
    story.needs(vec![AttentionItem { kind, subject, reason, ..silent_run() }]);
    tells(story.press("a").screen());
    assert_eq!(story.press("Y").asks(), [Request::Why(review().to_string())]);
    tells(story.open_channel().screen());
    tells(story.select_agent("coder@review").screen());
    tells(story.press("p").overlay());
    story.press("esc").needs(Vec::new());
    assert!(!story.screen().contains("no_rule"), "{}", story.screen());
}

#[test]
fn a_reason_of_a_failed_setup_that_is_cut_ends_in_the_ellipsis() {
    let mut story = Story::review();
    for (count, is_cut) in [(2, false), (200, true)] {
        let (kind, subject) = (AttentionKind::Failed, review().to_string());
        let reason = vec!["no_rule"; count].join(" ");
        story.needs(vec![AttentionItem { kind, subject, reason, ..silent_run() }]).open_channel();
        let rows = composer::failed(&story.app.model);
        let last = rows.last().unwrap().text();
        assert_eq!(last.ends_with('…'), is_cut, "{last}");
        let width = usize::from(story.app.model.display.size.0);
        assert!(rows.len() <= 4 && last.chars().count() < width, "{last}");
    }
}

#[test]
fn without_room_the_tree_says_states_in_short_and_cuts_none() {
    let mut story = Story::review();
    let mut at_work = run(8, "reviewer@review");
    for (activity, silent, shown) in [
        ("thinking", 0, "thinking"),
        ("writing a call of shell", 0, "reviewer  writing"),
        ("calling shell", 0, "reviewer    shell"),
        ("waiting for the model", 0, "waiting"),
        ("calling shell", 37_000, "silent 37s"),
        ("calling shell", 3_540_000, "silent 59m"),
    ] {
        at_work.activity = Some(activity.to_owned());
        at_work.spoke_at = Some(Timestamp(NOW - silent));
        story.runs(&at_work);
        assert!(reviewer_line(&story).ends_with(shown), "{}", story.screen());
    }
}

#[test]
fn without_room_a_model_that_does_not_answer_is_unavailable() {
    let words = "model unavailable for 40s, try 3 of 6 in 12s";
    assert_eq!(words::short(words), "unavailable");
}

/// The line of the reviewer in the tree.
fn reviewer_line(story: &Story) -> String {
    let screen = story.screen();
    let tree = screen.lines().skip(2).filter_map(|line| line.split_once('│'));
    let mut agents = tree.map(|(tree, _)| tree.trim_end());
    let line = agents.find(|line| line.contains(" revi") && !line.contains(':'));
    line.unwrap_or_else(|| panic!("{screen}")).to_owned()
}

#[test]
fn without_room_the_own_words_of_an_agent_are_cut_at_their_end() {
    let mut story = Story::review();
    let at_work = Run { spoke_at: Some(Timestamp(NOW)), ..run(8, "reviewer@review") };
    story.runs(&at_work);
    let target = "reviewer@review".parse().unwrap();
    let mut reviewer = story.app.model.mirror().agent(&target).unwrap().clone();
    for words in ["calling the vendor back", "waiting for the tests", "model checks and proofs"] {
        reviewer.status = Some(words.to_owned());
        story.agent_is(&reviewer);
        let line = reviewer_line(&story);
        let (begin, _) = words.split_at(9);
        assert!(line.contains(begin) && line.ends_with('…'), "{line}");
    }
}

/// A team that is higher than the screen.
fn crowd() -> Story {
    let mut picture = snapshot();
    picture.agents.extend((10..60).map(|at| agent(&format!("agent-{at}@review"))));
    Story::of(picture)
}

#[test]
fn a_line_that_an_event_selects_is_shown_after_a_turn_of_the_wheel() {
    let mut story = crowd();
    story.select_agent("agent-40@review");
    let is_shown = |story: &Story| {
        let nav = layout::regions(&story.app.model).nav.unwrap();
        let top = tree_lines::top(&story.app.model, nav.height);
        let at = tree_lines::position(&story.app.model).1.unwrap();
        (top..top + usize::from(nav.height)).contains(&at)
    };
    story.tell(Msg::Mouse(Mouse { kind: MouseKind::WheelUp, x: 1, y: 5 }));
    assert!(!is_shown(&story), "{}", story.screen());
    story.happens(EventBody::AgentRemoved { target: agent("agent-40@review").target });
    assert!(is_shown(&story), "{}", story.screen());
}

#[test]
fn the_wheel_moves_the_tree_by_three_rows_and_a_key_shows_the_selected_line_again() {
    let mut story = crowd();
    story.select_agent("agent-40@review");
    let top = |story: &Story| {
        let nav = layout::regions(&story.app.model).nav.unwrap();
        tree_lines::top(&story.app.model, nav.height)
    };
    let before = top(&story);
    assert!(before > 9, "{}", story.screen());
    let place = story.app.model.place.clone();
    let turns = [MouseKind::WheelUp, MouseKind::WheelUp, MouseKind::WheelUp, MouseKind::WheelDown];
    for (kind, above) in turns.into_iter().zip([3, 6, 9, 6]) {
        story.tell(Msg::Mouse(Mouse { kind, x: 1, y: 5 }));
        assert_eq!(top(&story), before - above);
    }
    assert_eq!(story.app.model.place, place);
    story.press("esc");
    assert_eq!(top(&story), before);
}

#[test]
fn the_first_line_that_the_filter_of_the_tree_leaves_is_one_step_down() {
    let mut story = Story::review();
    story.press("/").type_in("e").press("enter").press("j");
    let first = &story.app.model.selection.tree.selected;
    assert_eq!(*first, NavId::Workflow(review()), "{}", story.screen());
}

#[test]
fn the_shown_tab_is_whole_on_the_narrowest_screen() {
    let agent = agent("reviewer@review:pr-123").target;
    for subject in [Subject::Workflow(pr()), Subject::Agent(agent), Subject::All] {
        for (at, tab) in subject.tabs().iter().enumerate() {
            let mut story = Story::team().sized(60, 20);
            story.open(subject.clone(), *tab);
            let screen = story.screen();
            let line = screen.lines().nth(1).unwrap();
            let shown = line.split_once(&format!("[{} {}", at + 1, tab.label().1));
            assert!(shown.is_some_and(|(_, rest)| rest.contains(']')), "{line}");
        }
    }
}

#[test]
fn a_tab_without_room_is_shown_by_its_number() {
    let mut story = Story::review();
    story.select_agent("reviewer@review");
    for width in 60..80 {
        story.tell(Msg::Resize(width, 24));
        let screen = story.screen();
        let line = screen.lines().nth(1).unwrap();
        assert!(line.contains("[1 Run]"), "{width}: {line}");
        assert!(line.trim_end().ends_with("follow"), "{width}: {line}");
        for number in ["2", "3", "4", "5", "6"] {
            assert!(line.contains(&format!(" {number} ")), "{number} at {width}: {line}");
        }
    }
}

#[test]
fn a_blank_stands_between_the_last_tab_and_the_note_at_any_width() {
    let mut story = Story::review();
    story.open(Subject::Workflow(review()), Tab::Events);
    for width in 60..100 {
        story.tell(Msg::Resize(width, 24));
        let screen = story.screen();
        let line = screen.lines().nth(1).unwrap();
        assert!(line.contains("] ") && line.ends_with("follow"), "{width}: {line}");
    }
}

#[test]
fn a_note_that_leaves_a_tab_no_room_is_not_shown() {
    let query = Query::parse("twenty_letters_of_it", &[]).unwrap();
    let subject = Subject::Agent("reviewer@review".parse().unwrap());
    for tab in [Tab::Run, Tab::Info] {
        let mut story = Story::review().sized(60, 24);
        story.open(subject.clone(), tab);
        story.app.model.selection.queries.insert(tab, query.clone());
        let screen = story.screen();
        let line = format!("{} ", screen.lines().nth(1).unwrap());
        assert!(!line.contains("twenty"), "{line}");
        for number in 1..=6 {
            let signs = [format!(" {number} "), format!("[{number} ")];
            assert!(signs.iter().any(|sign| line.contains(sign)), "{number}: {line}");
        }
    }
}
