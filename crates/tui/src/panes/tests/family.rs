use agent_worker_protocol::{Agent, AgentState, EventBody, Target};

use crate::{
    model::{
        Focus,
        place::{Subject, Tab},
    },
    tests::{Story, agent, review},
};

fn hired(target: &str, parent: &str) -> Agent {
    Agent { parent: Some(parent.parse().unwrap()), ..agent(target) }
}

/// The tester hired two, one of whom hired another.
fn story() -> Story {
    let mut story = Story::review().sized(120, 40);
    let mut dot = hired("dot@review", "ann");
    dot.state = AgentState::Paused;
    dot.used.tokens = 6_000;
    for agent in [hired("ann@review", "tester"), hired("ben@review", "tester"), dot] {
        story.agent_is(&agent);
    }
    story
}

/// Lines of the tree from an agent on, as many as this.
fn tree(story: &Story, from: &str, count: usize) -> Vec<String> {
    let screen = story.screen();
    let lines = screen.lines().filter_map(|line| line.split_once('│'));
    let lines = lines.map(|(tree, _)| tree.trim_end().to_owned());
    lines.skip_while(|line| !line.contains(from)).take(count).collect()
}

fn selected(story: &Story) -> Option<Target> {
    story.app.selected_agent()
}

fn target(name: &str) -> Option<Target> {
    Some(format!("{name}@review").parse().unwrap())
}

#[test]
fn hired_agents_stand_below_their_parents_in_the_tree_and_are_folded() {
    let mut story = story();
    story.select_agent("dot@review");
    let shown = [
        " ▾◦ tester             idle",
        "   ▾◦ ann              idle",
        "❯     ✗ dot          paused",
        "    ◦ ben              idle",
    ];
    assert_eq!(tree(&story, "tester", 4), shown);
    story.press("h");
    assert_eq!(selected(&story), target("ann"), "from a child to its parent");
    story.press("h").press("h");
    assert_eq!(selected(&story), target("tester"));
    story.press("h");
    assert_eq!(tree(&story, "tester", 2)[0], "❯▸◦ tester          ✗3 idle", "the worst of three");
    assert!(!tree(&story, "tester", 2)[1].contains("ann"), "{}", story.screen());
    story.press("l");
    assert!(tree(&story, "tester", 2)[1].contains("ann"), "{}", story.screen());
    story.press("h").select_agent("dot@review");
    assert!(tree(&story, "tester", 3)[2].contains("❯     ✗ dot"), "what is gone to is unfolded");
}

#[test]
fn they_stand_below_their_parents_in_the_table_unless_it_is_sorted() {
    let mut story = story();
    story.open(Subject::Workflow(review()), Tab::Agents);
    let names = |story: &Story| {
        let pane = story.main_pane();
        let lines = pane.lines().skip(1).map(|line| line.get(..14).unwrap_or(line).trim_end());
        lines.filter(|line| !line.is_empty()).map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    let name = |line: &String| line.trim_matches(|c: char| "❯ ".contains(c)).to_owned();
    let open = ["coder", "reviewer", "tester", "ann", "dot", "ben"];
    assert_eq!(names(&story)[..6].iter().map(name).collect::<Vec<_>>(), open);
    assert_eq!(names(&story)[4], "     dot", "each deeper than its parent");
    story.press("j").press("j").press("j").press("h");
    assert_eq!(selected(&story), target("ann"));
    assert!(names(&story)[3].ends_with("ann +1"), "{}", story.main_pane());
    story.press("h").press("h");
    assert_eq!(selected(&story), target("tester"));
    assert!(names(&story)[2].ends_with("tester +3"), "{}", story.main_pane());
    let total =
        story.main_pane().lines().find(|line| line.contains("total")).map(ToOwned::to_owned);
    assert!(total.unwrap().contains("6.0k"), "what is folded away counts");
    story.press("h");
    assert_eq!(story.app.model.selection.focus, Focus::Nav, "nothing is left to fold");
    story.press("tab").press("l");
    assert!(names(&story)[3].ends_with("ann +1"), "{}", story.main_pane());
    story.press("&").type_in("agent:dot").press("enter");
    assert!(names(&story)[0].ends_with("dot"), "a filter finds what is folded away");
    story.press("esc").press("O").type_in("state").press("enter");
    assert_eq!(names(&story).len(), 7, "{}", story.main_pane());
    assert!(names(&story).iter().all(|line| !line.starts_with("   ")), "{}", story.main_pane());
}

#[test]
fn an_agent_whose_parent_is_gone_and_one_that_hired_itself_are_still_there() {
    let mut story = story();
    story.happens(EventBody::AgentRemoved { target: target("tester").unwrap() });
    story.agent_is(&hired("coder@review", "reviewer"));
    story.agent_is(&hired("reviewer@review", "coder"));
    story.open(Subject::Workflow(review()), Tab::Agents);
    for name in ["ann", "dot", "ben", "coder", "reviewer"] {
        assert!(story.main_pane().contains(name), "{name}: {}", story.main_pane());
    }
}

#[test]
fn who_hired_an_agent_stands_in_its_info() {
    let mut story = story();
    story.open(Subject::Agent(target("ann").unwrap()), Tab::Info);
    let pane = story.main_pane();
    assert!(pane.contains("hired by   tester"), "{pane}");
    assert!(pane.contains("hired      dot"), "{pane}");
}
