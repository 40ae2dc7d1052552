//! How many keys daily tasks take. Typed text does not count, except a time, which is short.

use agent_worker_protocol::{
    Because, EventBody, Explanation, Message, ProposalId, QuestionId, Timestamp,
};

use super::story::{NOW, Story, message, silent_run};
use crate::model::{
    acts::Act,
    effects::Effect,
    known::files::{Found, Setting},
    place::{Subject, Tab},
    requests::{Reply, Request},
};

/// A story, and how many keys were pressed in it.
struct Hands {
    story: Story,
    keys: usize,
}

impl Hands {
    fn on(story: Story) -> Self {
        Self { story, keys: 0 }
    }

    /// The team at work, as it is when the control room opens.
    fn on_team() -> Self {
        Self::on(Story::team().sized(120, 40))
    }

    /// Presses these keys, slowly enough to read what each shows.
    fn press(&mut self, keys: &str) -> &mut Self {
        for key in keys.split_whitespace() {
            self.story.wait(200);
            self.story.press(key);
            self.keys += 1;
        }
        self
    }

    /// The same; what is asked by the last of them is left to the test.
    fn settle(&mut self, keys: &str) -> &mut Self {
        self.press(keys).story.settle();
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.story.type_in(text);
        self
    }

    fn takes(&self, most: usize) {
        assert!(self.keys <= most, "{} keys, and at most {most} are wanted", self.keys);
    }

    fn copies(&self) -> Option<&str> {
        self.story.effects.iter().find_map(|effect| match effect {
            Effect::Copy(text) => Some(text.as_str()),
            _ => None,
        })
    }
}

#[test]
fn a_hung_agent_is_found_with_what_holds_it_in_two_keys() {
    let mut hands = Hands::on(Story::review().sized(120, 40));
    hands.story.needs(vec![silent_run()]);
    hands.press("a Y");
    let asked = Request::Why("reviewer@review".to_owned());
    assert_eq!(hands.story.asks(), std::slice::from_ref(&asked));
    let because = vec![Because {
        subject: "run_8".to_owned(),
        text: "shell has printed nothing for 9 minutes".to_owned(),
        at: None,
    }];
    let why = Explanation {
        subject: "reviewer@review".to_owned(),
        state: "running".to_owned(),
        because,
        hint: Some("agent-worker stop reviewer@review --now".to_owned()),
    };
    hands.story.answer(asked, Reply::Why(why));
    let told = hands.story.overlay();
    assert!(told.contains("why reviewer@review") && told.contains("printed nothing"), "{told}");
    hands.takes(2);
}

#[test]
fn the_cost_of_each_agent_is_one_key_away() {
    let mut hands = Hands::on_team();
    hands.settle("5");
    let screen = hands.story.screen();
    for (agent, cost) in [("reviewer@review:pr-123", "$0.38"), ("writer@docs", "$0.0400")] {
        let is_row = |line: &&str| line.contains(agent) && line.contains(cost);
        assert!(screen.lines().any(|line| is_row(&line)), "{agent}: {screen}");
    }
    hands.takes(2);
}

#[test]
fn everything_is_seen_as_bob_and_as_oneself_again_in_four_keys() {
    let mut hands = Hands::on_team();
    hands.settle("f").text("bob").settle("enter V");
    let first = |hands: &Hands| hands.story.screen().lines().next().unwrap().trim().to_owned();
    assert!(first(&hands).starts_with("VIEW AS bob"), "{}", hands.story.screen());
    hands.settle("V");
    assert!(first(&hands).starts_with("aw"), "{}", hands.story.screen());
    hands.takes(4);
}

#[test]
fn one_of_several_code_blocks_is_copied_in_four_keys() {
    let text = "first\n```sh\nmake\n```\nthen\n```sh\nmake install\n```";
    let mut hands = Hands::on(Story::review());
    hands.story.open_channel_with(vec![message(1, "coder", text)]);
    hands.press("C down enter");
    assert_eq!(hands.copies(), Some("make install\n"), "{}", hands.story.screen());
    hands.takes(4);
}

#[test]
fn two_marked_agents_get_a_message_in_six_keys() {
    let mut hands = Hands::on_team();
    hands.settle("enter * j * m").text("please stop").press("enter");
    assert_eq!(hands.story.sends(), ["@alice @bob please stop"], "{}", hands.story.screen());
    hands.takes(6);
}

#[test]
fn a_message_from_ten_minutes_ago_is_found_in_six_keys() {
    // One message every 20 seconds, the first of them twenty minutes ago.
    let said = |seq| {
        let created_at = Timestamp(NOW - 1_200_000 + seq * 20_000);
        Message { created_at, ..message(seq, "coder", &format!("message {seq}.")) }
    };
    let mut hands = Hands::on(Story::review().sized(120, 24));
    hands.story.open_channel_with((1..=59).map(said).collect());
    assert!(!hands.story.screen().contains("message 31."), "{}", hands.story.screen());
    hands.press("@ 1 0 m enter");
    let screen = hands.story.screen();
    // Pressing the keys took a second: the one of exactly ten minutes ago is older by now.
    assert!(screen.contains("\u{276f}coder      message 31."), "{screen}");
    hands.takes(6);
}

#[test]
fn a_question_is_answered_in_three_keys() {
    let mut hands = Hands::on_team();
    hands.press("Q 1 y");
    let answer = Act::Choose(QuestionId::new(7), "yes".to_owned());
    assert_eq!(hands.story.acts(), [answer], "{}", hands.story.screen());
    hands.takes(3);
}

/// A vote for the proposal that is open in the team.
fn vote(choice: &str) -> Act {
    Act::Vote {
        scope: super::team::pr(),
        proposal: ProposalId::new(7),
        choice: choice.to_owned(),
        reason: None,
    }
}

#[test]
fn a_vote_that_waits_is_cast_in_three_keys_from_anywhere() {
    let mut hands = Hands::on_team();
    let mut question = hands.story.app.model.mirror().questions().next().unwrap().clone();
    question.answer = Some("yes".to_owned());
    hands.story.happens(EventBody::QuestionChanged(Box::new(question)));
    hands.press("Q 2 enter");
    assert_eq!(hands.story.acts(), [vote("no")], "{}", hands.story.screen());
    hands.takes(3);
}

#[test]
fn a_vote_is_cast_in_three_keys_among_the_proposals_and_where_it_was_gone_to() {
    let mut hands = Hands::on_team();
    hands.story.visit(Subject::Workflow(super::team::pr()), Tab::Proposals);
    hands.press("v 1 enter");
    assert_eq!(hands.story.acts(), [vote("yes")], "{}", hands.story.screen());
    hands.takes(3);
    let mut story = Story::team().sized(120, 40);
    story.press("a").settle().press("a").settle();
    let mut hands = Hands::on(story);
    hands.press("Q 1 enter");
    assert_eq!(hands.story.acts(), [vote("yes")], "{}", hands.story.screen());
    hands.takes(3);
}

#[test]
fn a_workflow_with_a_param_is_started_in_eight_keys() {
    let mut hands = Hands::on_team();
    hands.press("s");
    let setting = Setting { name: "topic".to_owned(), default: None, about: None };
    let file = |path: &str, params| Found { path: path.to_owned(), params };
    let files = vec![file("review.yaml", Vec::new()), file("teams/news.yaml", vec![setting])];
    hands.story.answer(Request::Files, Reply::Files(files));
    hands.text("new").press("tab tab tab").text("ivy").press("enter");
    let params = vec![("topic".to_owned(), "ivy".to_owned())];
    let start = Request::Start { path: "teams/news.yaml".to_owned(), tag: None, params };
    assert_eq!(hands.story.asks(), [start], "{}", hands.story.screen());
    hands.takes(8);
}
