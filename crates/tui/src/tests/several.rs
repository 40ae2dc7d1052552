//! Several daemons as roots of one tree.

use super::{
    screens::{at_work, needy},
    story::{Story, agent},
};
use crate::{
    app::Msg,
    model::{
        Act, Focus, NavId, Reach,
        effects::Effect,
        place::{Subject, Tab},
        tree::{Root, Roots},
    },
    screen,
};

/// Two daemons; one is on the screen.
struct Two {
    all: [Story; 2],
    shown: usize,
}

impl Two {
    /// A quiet daemon on the screen, and one on which something needs the user.
    fn new() -> Self {
        Self::of([Story::review().sized(120, 40), needy()])
    }

    /// The first is on the screen.
    fn of(mut all: [Story; 2]) -> Self {
        all[1].app.model.connection.host = "me@box".to_owned();
        all[0].app.model.selection.tree.roots =
            Roots { all: vec![Root::default(); 2], ..Roots::default() };
        let mut two = Self { all, shown: 0 };
        two.know();
        two
    }

    fn shown(&mut self) -> &mut Story {
        &mut self.all[self.shown]
    }

    /// The one on the screen knows how the other is.
    fn know(&mut self) {
        let other = 1 - self.shown;
        let root = screen::root(&self.all[other].app.model);
        self.shown().app.model.selection.tree.roots.all[other] = root;
    }

    fn press(&mut self, key: &str) -> &mut Self {
        self.shown().press(key);
        let effects = std::mem::take(&mut self.shown().effects);
        for effect in effects {
            if let Effect::TurnTo(other, line) = effect {
                let turn = self.shown().app.turn_away(other, line);
                self.shown = other;
                self.shown().tell(Msg::TurnedTo(Box::new(turn)));
                self.know();
            }
        }
        self
    }

    /// The tree, line by line, without the space behind.
    fn tree(&mut self) -> Vec<String> {
        let screen = self.shown().screen();
        let lines = screen.lines().skip(2).map(|line| line.chars().take(27).collect::<String>());
        let lines: Vec<String> = lines.map(|line| line.trim_end().to_owned()).collect();
        lines.into_iter().take_while(|line| !line.is_empty()).collect()
    }
}

#[test]
fn each_daemon_is_a_root_with_what_goes_on_there() {
    let mut two = Two::new();
    let tree = two.tree();
    assert!(tree[0].starts_with(" ▾ devbox") && tree[0].ends_with("⠿1"), "{tree:#?}");
    let root = tree.iter().position(|line| line.starts_with(" ▾ me@box")).unwrap();
    assert!(tree[root].ends_with("?4"), "{tree:#?}");
    assert_eq!(tree[root + 1], format!(" NEEDS YOU{}4", " ".repeat(16)), "{tree:#?}");
    let status = two.shown().screen();
    assert!(status.lines().next().unwrap().contains("4 elsewhere"), "{status}");
    let other = agent("late@review");
    two.all[1].agent_is(&other);
    two.know();
    assert!(two.tree().iter().any(|line| line.contains("late")), "{:#?}", two.tree());
}

#[test]
fn moving_in_the_tree_turns_to_the_other_daemon_and_back() {
    let mut two = Two::new();
    two.press("G");
    assert_eq!(two.shown, 1, "the last line is of the other");
    let first_line = two.shown().screen().lines().next().unwrap().to_owned();
    assert!(first_line.starts_with(" aw │ me@box"), "{first_line}");
    let tree = two.tree();
    assert!(tree.iter().any(|line| line.starts_with('❯')), "{tree:#?}");
    assert!(tree.iter().any(|line| line.starts_with(" ▾ devbox")), "{tree:#?}");
    assert_eq!(two.shown().app.model.display.size, (120, 40), "it is one screen");
    two.press("g").press("g");
    assert_eq!((two.shown, two.shown().app.model.selection.focus), (0, Focus::Nav));
}

#[test]
fn what_needs_the_user_is_gone_to_on_every_daemon() {
    let mut two = Two::new();
    two.press("a");
    assert_eq!(two.shown, 1);
    let model = &two.shown().app.model;
    assert!(matches!(model.selection.tree.selected, NavId::Need(..)), "{:?}", model.selection);
    assert_eq!(model.selection.focus, Focus::Main);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..4 {
        seen.insert(two.press("a").shown().app.model.selection.tree.selected.clone());
    }
    assert_eq!(seen.len(), 4, "each is come to");
}

#[test]
fn a_folded_daemon_is_a_line_and_what_is_gone_to_unfolds_it() {
    let mut two = Two::new();
    two.press("G").press("h").press("h").press("h").press("h");
    let tree = two.tree();
    assert!(tree.last().unwrap().starts_with("❯▸ me@box"), "{tree:#?}");
    two.press("l");
    assert!(two.tree().len() > tree.len(), "its lines are there: {:#?}", two.tree());
    two.press("h").shown().open(Subject::Workflow(super::review()), Tab::Channel);
    assert!(two.tree().iter().any(|line| line.starts_with('❯')), "{:#?}", two.tree());
    two.press("h").press("h").press("h").press("g").press("a");
    let need = two.tree().into_iter().find(|line| line.starts_with('❯')).unwrap();
    assert!(need.starts_with("❯ ? tester"), "{need}");
}

#[test]
fn what_is_not_on_the_screen_is_not_read() {
    let mut two = Two::new();
    two.shown().open_channel();
    two.press("esc").press("G");
    let hidden = &two.all[0].app.model;
    assert!(!hidden.display.has_focus && two.all[1].app.model.display.has_focus);
}

#[test]
fn what_is_compared_or_asked_on_one_daemon_stays_behind() {
    let mut two = Two::new();
    let coder = "coder@review".parse().unwrap();
    two.shown().app.perform(vec![Effect::Act(Act::Stop(vec![coder]))]);
    assert!(two.all[0].app.model.prompt.question.is_some());
    two.all[0].app.model.display.is_comparing = true;
    let turn = two.all[0].app.turn_away(1, NavId::All);
    two.all[1].tell(Msg::TurnedTo(Box::new(turn)));
    let [left, shown] = two.all.map(|story| story.app.model);
    assert_eq!((left.display.is_comparing, shown.display.is_comparing), (true, false));
    assert!(left.prompt.question.is_none(), "a key that comes later answers nothing");
}

#[test]
fn everything_with_a_name_is_found_on_every_daemon() {
    let mut two = Two::new();
    two.press("f").shown().type_in("coder box");
    let list = two.shown().overlay();
    assert!(list.contains("coder coder@review on me@box"), "{list}");
    two.press("enter");
    assert_eq!(two.shown, 1);
    assert_eq!(
        two.shown().app.model.place.subject,
        Subject::Agent("coder@review".parse().unwrap())
    );
}

#[test]
fn as_a_member_sees_it_there_is_one_daemon() {
    let mut two = Two::new();
    two.shown().select_agent("coder@review").press("V");
    let tree = two.tree();
    assert!(!tree.iter().any(|line| line.contains("me@box")), "{tree:#?}");
}

#[test]
fn a_daemon_that_is_lost_leaves_the_others_on_the_screen() {
    let mut two = Two::new();
    let looked_at = "me@box".to_owned();
    two.all[1] = Story::blank();
    two.all[1].app.model.connection.host = "me@box".to_owned();
    two.all[1].app.model.connection.is_remote = true;
    two.all[1]
        .tell(Msg::Reach(Reach::Nobody { looked_at, problem: None, is_starting: false }, None));
    two.know();
    let root = two.tree().into_iter().find(|line| line.contains("me@box")).unwrap();
    assert!(root.ends_with("NO DAEMON"), "{root}");
    two.press("G");
    let screen = two.shown().screen();
    assert!(screen.contains("No daemon was found on") && screen.contains("devbox"), "{screen}");
    two.press("k");
    assert_eq!(two.shown, 0, "the other is come back to");
}

/// The channel of a team, and another daemon on which something needs the user.
pub fn screen((width, height): (u16, u16)) -> Story {
    let mut shown = at_work().sized(width, height);
    shown.app.model.selection.tree.fold("@docs".parse().unwrap(), false);
    let [shown, _] = Two::of([shown, needy().sized(width, height)]).all;
    shown
}
