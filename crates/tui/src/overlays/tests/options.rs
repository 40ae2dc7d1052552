//! The options of a question or a proposal: more or longer than there is room for.

use agent_worker_protocol::{EventBody, Proposal, ProposalId, Question, Tally, Vote};

use crate::{
    model::{Subject, Tab, Window},
    mouse::MouseKind,
    overlays::options::{Listed, Options},
    paint::Row,
    tests::{Story, question, team},
    theme::Role,
};

/// A question that is open in a small window.
fn asked(asked: Question) -> Story {
    let mut story = Story::review().sized(80, 24);
    story.asks_person(&asked).app.open(Window::Question(Box::new(asked)));
    story
}

/// A question of forty lines with twenty options.
fn long() -> Story {
    let lines: Vec<String> = (0..40).map(|at| format!("line {at}")).collect();
    let options = (0..20).map(|at| format!("opt {at}")).collect();
    asked(Question { text: lines.join("\n"), options, ..question(7, "coder@review", &[]) })
}

#[test]
fn the_options_of_a_question_scroll_to_the_marked_one() {
    let mut story = long();
    let shown = story.overlay();
    assert!(shown.contains("33 more rows: PgDn, 12 more options"), "{shown}");
    assert!(shown.contains("line 6") && shown.contains("8  opt 7"), "{shown}");
    for _ in 0..20 {
        story.press("down");
    }
    let shown = story.overlay();
    assert!(shown.contains("\u{276f}    opt 19") && shown.contains("    opt 12"), "{shown}");
    assert!(shown.contains("line 6") && !shown.contains("more option"), "{shown}");
}

#[test]
fn one_hidden_row_of_a_question_is_counted_as_one() {
    let lines: Vec<String> = (0..8).map(|n| format!("line {n}")).collect();
    let options = (0..20).map(|n| format!("opt {n}")).collect();
    let asked = Question { text: lines.join("\n"), options, ..question(7, "coder@review", &[]) };
    let shown = self::asked(asked).overlay();
    assert!(shown.contains(" 1 more row: PgDn"), "{shown}");
}

#[test]
fn a_page_key_scrolls_a_question_by_what_is_shown_of_it() {
    let mut story = long();
    let shown = story.press("pgdn").overlay();
    assert!(shown.contains("line 7 ") && shown.contains("line 15"), "{shown}");
    assert!(!shown.contains("line 6"), "{shown}");
    let shown = story.press("pgup").overlay();
    assert!(shown.contains("line 0") && !shown.contains("line 7"), "{shown}");
}

/// Options that are alike in their first 130 characters.
fn alike() -> Vec<String> {
    let begin = "a word of it ".repeat(10);
    ["alpha", "beta", "gamma"].map(|end| format!("{begin}{end}")).into()
}

/// That the options can be told apart, and that a click on the last row of one marks it.
fn tells_apart(story: &mut Story) {
    let shown = story.overlay();
    assert!(["alpha", "beta", "gamma"].iter().all(|end| shown.contains(end)), "{shown}");
    story.button_on(MouseKind::Click, "beta");
    assert!(story.overlay().contains("\u{276f} 2  a word"), "{}", story.overlay());
}

#[test]
fn long_options_of_a_question_are_read_whole_also_before_one_is_confirmed() {
    let mut story = asked(Question { options: alike(), ..question(7, "coder@review", &[]) });
    tells_apart(&mut story);
    story.button_on(MouseKind::DoubleClick, "beta");
    let screen = story.screen();
    assert!(story.app.model.prompt.question.is_some() && story.app.overlays.is_empty(), "{screen}");
    assert!(screen.contains("beta") && screen.contains("   y answer   n keep"), "{screen}");
}

/// The votes in a window of this size, with an open proposal of this title and these options, and
/// the proposal.
fn proposed(size: (u16, u16), title: String, options: Vec<String>) -> (Story, Proposal) {
    let mut story = Story::team().sized(size.0, size.1);
    story.visit(Subject::Workflow(team::pr()), Tab::Proposals);
    let open = story.app.model.mirror().proposal(&team::pr(), ProposalId::new(7)).unwrap().clone();
    let proposal = Proposal {
        title,
        tally: options.iter().cloned().map(|option| Tally { option, votes: 0 }).collect(),
        options,
        votes: Vec::new(),
        ..open
    };
    story.happens(EventBody::ProposalChanged(Box::new(proposal.clone())));
    (story, proposal)
}

#[test]
fn the_title_and_long_options_of_a_vote_are_read_whole() {
    let title = format!("{}omega", "a long name ".repeat(12));
    let (mut story, _) = proposed((80, 24), title, alike());
    assert!(story.press("v").overlay().contains("omega"), "{}", story.overlay());
    tells_apart(&mut story);
    let shown = story.press("3").overlay();
    assert!(shown.contains("\u{276f} 3  a word") && shown.contains("why:"), "{shown}");
}

#[test]
fn a_vote_says_how_many_options_are_below_those_that_are_shown() {
    let options = (0..10).map(|at| format!("{}{at}", "a word of it ".repeat(15))).collect();
    let (mut story, _) = proposed((80, 24), "which".to_owned(), options);
    let shown = story.press("v").overlay();
    assert!(shown.contains(" more options "), "{shown}");
    for _ in 0..10 {
        story.press("down");
    }
    let shown = story.overlay();
    assert!(shown.contains(" it 9") && !shown.contains("more option"), "{shown}");
}

#[test]
fn a_long_title_and_a_long_note_of_a_vote_leave_room_for_an_option() {
    let (mut story, proposal) = proposed((60, 15), "a long name ".repeat(16), alike());
    let model = &story.app.model;
    let own = Vote {
        voter: model.person().clone(),
        choice: alike().remove(0),
        reason: None,
        at: proposal.created_at,
    };
    story.app.open(Window::Vote(Box::new(Proposal { votes: vec![own], ..proposal })));
    let shown = story.press("2").overlay();
    assert!(shown.contains("\u{276f} 2  a word") && shown.contains("beta"), "{shown}");
    assert!(shown.contains("it replaces your vote") && shown.contains("why:"), "{shown}");
    assert!(shown.contains("1 more option"), "{shown}");
}

/// Three options; the second has 200 words, and takes more rows than a box of 80×24 has.
fn with_a_tall_one() -> Vec<String> {
    let words: Vec<_> = (1_000..1_200).map(|number| format!("Word{number}")).collect();
    vec!["first".to_owned(), words.join(" "), "third".to_owned()]
}

/// Presses `down` until the third option is marked: all of the second one is shown before.
fn reads_on(story: &mut Story) {
    story.press("down").press("down");
    let mut seen = String::new();
    for _ in 0..10 {
        let shown = story.overlay();
        if !shown.contains("\u{276f} 2  Word") {
            break;
        }
        seen.push_str(&shown);
        story.press("down");
    }
    assert!(with_a_tall_one()[1].split(' ').all(|word| seen.contains(word)), "{seen}");
    assert!(story.overlay().contains("\u{276f} 3  third"), "{}", story.overlay());
    let shown = story.press("up").overlay();
    assert!(shown.contains("\u{276f} 2  Word1000") && !shown.contains("Word1199"), "{shown}");
}

#[test]
fn an_option_of_a_question_that_is_taller_than_its_list_is_read_to_its_end() {
    let options = with_a_tall_one();
    let mut story = asked(Question { options, ..question(7, "coder@review", &[]) });
    reads_on(&mut story);
    story.press("down").press("enter");
    assert!(story.app.model.prompt.question.is_some(), "{}", story.screen());
}

#[test]
fn an_option_of_a_vote_that_is_taller_than_its_list_is_read_to_its_end() {
    let (mut story, _) = proposed((80, 24), "which".to_owned(), with_a_tall_one());
    story.press("v");
    reads_on(&mut story);
    let shown = story.press("down").press("up").press("enter").overlay();
    assert!(shown.contains("\u{276f} 2  Word1000") && shown.contains("why:"), "{shown}");
}

#[test]
fn a_list_of_options_begins_with_a_whole_one_and_has_the_marked_one() {
    let mut listed = Listed::default();
    for option in ["aaaa bbbb cccc", "dddd", "eeee ffff gggg"] {
        listed.add(Row::of("- ", Role::Text), &Row::of(option, Role::Text), 6);
    }
    let tops = [(None, 0, 4), (Some(1), 0, 4), (Some(2), 0, 4), (Some(1), 2, 4), (Some(2), 0, 2)]
        .map(|(seen, first, room)| listed.top(seen, first, room));
    assert_eq!(tops, [0, 0, 3, 3, 4]);
    let shown = listed.shown(4, 2, 6, "…");
    let shown: Vec<_> = shown.iter().map(|(option, row)| (*option, row.text())).collect();
    assert_eq!(shown, [(2, "- eeee".to_owned()), (2, "  fff…".to_owned())]);
    assert_eq!([listed.below(2), listed.below(4), listed.below(9)], [2, 1, 0]);
}

#[test]
fn an_option_is_read_whole_in_a_single_row_and_passed_over_without_one() {
    let mut listed = Listed::default();
    for option in ["aaaa bbbb cccc", "dddd"] {
        listed.add(Row::of("- ", Role::Text), &Row::of(option, Role::Text), 6);
    }
    let read = |room: usize| {
        let (mut options, mut steps, mut seen) = (Options::default(), 0, Vec::new());
        while options.marked != Some(1) {
            options.step(1, &listed, room);
            let top = options.top(options.marked, &listed, room);
            seen.extend(listed.shown(top, room, 6, "…").into_iter().map(|(_, row)| row.text()));
            steps += 1;
        }
        (steps, seen)
    };
    let rows = ["- aaaa", "- bbbb", "- cccc", "- dddd"].map(str::to_owned);
    assert_eq!(read(1), (4, rows.to_vec()));
    assert_eq!(read(0), (2, Vec::new()));
}
