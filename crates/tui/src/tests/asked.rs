//! Questions to the person: seen, opened, answered.

use agent_worker_protocol::{
    Agent, AgentState, AttentionKind, Question, QuestionId, QuestionKind, RunId, Snapshot, Wanted,
};

use super::{Story, agent, need_of, question, run, snapshot};
use crate::{
    app::{Msg, leave, next_timer},
    model::{
        Focus,
        acts::Act,
        effects::{Effect, Record},
        requests::{Reply, Request, RequestError},
        tree::NavId,
        writing::{
            drafts::{Draft, Purpose},
            kept::Drafts,
        },
    },
    screen,
};

fn id() -> QuestionId {
    QuestionId::new(7)
}

/// A team whose scout asks a question.
fn asking(question: &Question) -> Story {
    let mut story = Story::review();
    let mut scout = agent("scout@review");
    (scout.state, scout.run) = (AgentState::Waiting, Some(RunId::new(9)));
    story.agent_is(&scout);
    story.asks_person(question);
    story.needs(vec![need_of(question)]);
    story
}

fn choice() -> Question {
    Question { default: Some("no".to_owned()), ..question(7, "scout@review", &["yes", "no"]) }
}

#[test]
fn a_question_is_the_first_thing_that_is_seen_and_rings() {
    let mut story = Story::review();
    story.asks_person(&choice());
    story.needs(vec![need_of(&choice())]);
    assert!(story.effects.contains(&Effect::Bell));
    let screen = story.screen();
    assert!(screen.contains("NEEDS YOU"), "{screen}");
    let line = screen.lines().find(|line| line.contains("question")).unwrap();
    assert!(line.contains("? scout"), "{line}");
    story.press("a");
    assert_eq!(
        story.app.model.selection.tree.selected,
        NavId::Need(AttentionKind::Question, "q_7".to_owned())
    );
}

#[test]
fn what_needs_the_user_from_the_start_is_in_the_title_and_rings_only_if_it_is_new() {
    let needs = |numbers: &[i64]| {
        let questions: Vec<_> =
            numbers.iter().map(|number| question(*number, "scout@review", &[])).collect();
        let attention = questions.iter().map(need_of).collect();
        Snapshot { questions, attention, ..snapshot() }
    };
    let is_titled =
        |story: &Story, name: &str| story.effects.contains(&Effect::Title(name.to_owned()));
    let mut story = Story::of(needs(&[1, 2, 3]));
    assert!(is_titled(&story, "aw devbox ?3"), "{:?}", story.effects);
    assert!(!story.effects.contains(&Effect::Bell));
    story.needs([1, 2].map(|number| need_of(&question(number, "scout@review", &[]))).into());
    assert!(is_titled(&story, "aw devbox ?2"), "{:?}", story.effects);
    assert!(!story.effects.contains(&Effect::Bell), "settling one is not news");
    let story = story.live(Snapshot { epoch: "f".to_owned(), ..needs(&[1, 2, 4]) });
    assert!(is_titled(&story, "aw devbox ?3"), "{:?}", story.effects);
    assert!(story.effects.contains(&Effect::Bell), "the fourth came meanwhile");
}

#[test]
fn an_agent_that_waits_for_an_answer_is_not_counted_as_running() {
    let mut story = asking(&choice());
    story.runs(&run(9, "scout@review"));
    assert!(story.screen().contains("1 running"), "{}", story.screen());
    assert_eq!(screen::running(&story.app.model), 1, "the reviewer, also once the room is left");
}

#[test]
fn a_stopped_agent_is_counted_as_running_until_its_run_has_ended() {
    let mut story = Story::review().sized(120, 40);
    let mut stopped = agent("reviewer@review");
    (stopped.wanted, stopped.state) = (Wanted::Stopped, AgentState::Stopped);
    stopped.run = Some(RunId::new(8));
    story.open_channel().agent_is(&stopped);
    let screen = story.screen();
    assert!(screen.contains("live: 1 running") && screen.contains("stopping"), "{screen}");
    assert_eq!(screen::running(&story.app.model), 1);
    story.agent_is(&Agent { run: None, ..stopped });
    assert!(story.screen().contains("live: 0 running"), "{}", story.screen());
    assert_eq!(screen::running(&story.app.model), 0);
}

#[test]
fn enter_opens_it_whole() {
    let mut story = asking(&choice());
    story.press("a").press("enter");
    insta::assert_snapshot!(story.overlay(), @r"
        ┌─ q_7 ────────────────────────────────────────────────────────────────────┐
        │ scout@review asks   for 2m 0s, 58m 0s left, then: no                     │
        │                                                                          │
        │ may I open a PR?                                                         │
        │                                                                          │
        │   1  yes                                                                 │
        │   2  no   default                                                        │
        └──────────────────────────────────────────────────────────────────────────┘
        ");
    assert_eq!(story.press("enter").acts(), [], "nothing is marked yet");
    assert!(!story.app.overlays.is_empty());
    story.press("esc");
    assert!(story.app.overlays.is_empty() && story.acts().is_empty());
}

#[test]
fn a_choice_asks_once_more_and_is_sent() {
    for keys in [&["1"][..], &["down", "enter"], &["up", "up", "enter"]] {
        let mut story = asking(&choice());
        story.press("Q");
        for key in keys {
            assert_eq!(story.press(key).acts(), []);
        }
        assert!(story.app.overlays.is_empty());
        let screen = story.screen();
        assert!(screen.contains("answer q_7 with yes? scout@review then goes on"), "{screen}");
        story.wait(200);
        assert_eq!(story.press("y").acts(), [Act::Choose(id(), "yes".to_owned())]);
    }
    let mut story = asking(&choice());
    story.press("Q").press("2").wait(200);
    assert_eq!(story.press("n").acts(), []);
    assert!(story.screen().contains("kept: nothing was done"));
    assert_eq!(story.press("Q").press("9").acts(), [], "there is no ninth option");
}

#[test]
fn no_digit_chooses_where_options_are_numbers() {
    let mut story = asking(&question(7, "scout@review", &["2", "1"]));
    let shown = story.press("Q").overlay();
    assert!(!shown.contains("1-2") && !shown.contains("1  2"), "{shown}");
    story.press("1");
    assert!(story.app.model.prompt.question.is_none() && story.app.overlays.len() == 1);
    story.press("down").press("enter").wait(200);
    assert_eq!(story.press("y").acts(), [Act::Choose(id(), "2".to_owned())]);
}

#[test]
fn words_are_written_and_sent() {
    let mut story = asking(&question(7, "scout@review", &[]));
    story.press("Q");
    assert_eq!(story.press("enter").acts(), [], "nothing is written yet");
    story.type_in(" the 1st, q ");
    assert_eq!(story.press("enter").acts(), [Act::Answer(id(), "the 1st, q".to_owned())]);
    assert!(story.app.overlays.is_empty());
}

/// The draft of the answer, as the last thing keeps it.
fn kept(story: &Story) -> Option<&str> {
    story.effects.iter().find_map(|effect| match effect {
        Effect::Store(Record::Draft(Purpose::Answer(_), draft)) => Some(draft.text.as_str()),
        _ => None,
    })
}

#[test]
fn words_that_were_not_sent_are_there_when_the_question_is_opened_again() {
    let mut story = asking(&question(7, "scout@review", &[]));
    story.press("Q").type_in("half an ans").press("esc");
    assert_eq!(kept(&story), Some("half an ans"));
    story.disconnect();
    story.press("a").press("enter").type_in("wer").press("enter");
    assert!(story.overlay().contains("half an answer"), "{}", story.overlay());
    assert_eq!(story.press("esc").acts(), []);
    assert_eq!(kept(&story), Some("half an answer"));
}

#[test]
fn words_are_on_disk_within_half_a_second_and_when_it_is_left() {
    let mut story = asking(&question(7, "scout@review", &[]));
    story.press("Q").type_in("half");
    assert!(next_timer(&story.app).is_some_and(|at| at <= story.app.model.now + 500));
    assert_eq!(kept(story.wait(500)), Some("half"));
    assert!(story.app.written_at.is_none() && !story.app.overlays.is_empty());
    story.type_in(" an ").paste("answer");
    story.effects = leave(&mut story.app, 129);
    assert_eq!(kept(&story), Some("half an answer"));
    assert_eq!(story.effects.last(), Some(&Effect::Quit(129)));
}

#[test]
fn an_answer_that_is_cut_where_it_is_pasted_says_so() {
    let mut story = asking(&question(7, "scout@review", &[]));
    story.press("Q").paste(&"word\n".repeat(20_000));
    let notice = story.app.model.prompt.notice.as_ref().map(|notice| notice.text.as_str());
    assert_eq!(notice, Some("paste cut: a field takes at most 16 KiB"));
    story.press("esc");
    assert_eq!(kept(&story).map(str::len), Some(16 * 1024));
}

#[test]
fn words_are_kept_until_they_are_taken() {
    let mut story = asking(&question(7, "scout@review", &[]));
    story.press("Q").type_in("the 1st").press("enter");
    assert_eq!(kept(&story), Some("the 1st"));
    let request = Request::Act(Act::Answer(id(), "the 1st".to_owned()));
    story.answer(request, Reply::Done(None));
    assert_eq!(kept(&story), Some(""));
}

#[test]
fn words_stay_in_sight_when_somebody_else_has_answered() {
    let asked = question(7, "scout@review", &[]);
    let mut story = asking(&asked);
    story.press("Q").type_in("my long answer");
    story.asks_person(&Question { answer: Some("no".to_owned()), ..asked });
    let overlay = story.overlay();
    assert!(overlay.contains("It is no longer open."), "{overlay}");
    assert!(overlay.contains("my long answer"), "{overlay}");
    assert!(!overlay.contains(" left"), "{overlay}");
    assert_eq!(story.press("enter").acts(), []);
    // It was sent just before that was known here.
    let request = Request::Act(Act::Answer(id(), "my long answer".to_owned()));
    story.press("esc").tell(Msg::Answer(Box::new(request), Err(too_late())));
    story.press("esc");
    assert!(story.screen().contains("your text, which was not sent"), "{}", story.screen());
    assert!(story.screen().contains("my long answer"), "{}", story.screen());
}

#[test]
fn words_for_a_question_that_is_over_are_forgotten_with_the_next_start() {
    let kept = [7, 8].map(|number| Purpose::Answer(QuestionId::new(number)));
    let kept = kept.map(|purpose| (purpose, Draft { text: "yes".to_owned(), ..Draft::default() }));
    let mut story = Story::blank();
    story.app.model.writing.drafts = Drafts::new(kept.into_iter().collect());
    let open = vec![question(7, "scout@review", &[])];
    let story = story.live(Snapshot { questions: open, ..snapshot() });
    let drafts = &story.app.model.writing.drafts;
    assert_eq!(drafts.text(Purpose::Answer(id())), "yes");
    assert_eq!(drafts.all().count(), 1);
}

fn too_late() -> RequestError {
    RequestError {
        code: Some(agent_worker_protocol::ErrorCode::Conflict),
        message: "q_7 was answered already, by user: `no`".to_owned(),
        hint: None,
        is_unsure: false,
    }
}

#[test]
fn a_permission_shows_what_would_be_done_and_what_of_it_cannot_be_seen() {
    let permission = Question {
        kind: QuestionKind::Permission,
        text: "shell\ncommand: rm -rf \u{200b}build\n  \u{1b}[2J&& echo done".to_owned(),
        tool: Some("shell".to_owned()),
        default: Some("deny".to_owned()),
        ..question(7, "scout@review", &["allow", "deny"])
    };
    let mut story = asking(&permission);
    story.press("Q");
    insta::assert_snapshot!(story.overlay(), @r"
        ┌─ q_7 ────────────────────────────────────────────────────────────────────┐
        │ scout@review wants to use   for 2m 0s, 58m 0s left, then: deny           │
        │                                                                          │
        │ shell                                                                    │
        │ command: rm -rf build                                                    │
        │   ⟦esc⟧&& echo done                                                      │
        │ 2 characters of it cannot be seen                                        │
        │                                                                          │
        │   1  allow                                                               │
        │   2  deny   default                                                      │
        └──────────────────────────────────────────────────────────────────────────┘
        ");
}

#[test]
fn one_character_that_cannot_be_seen_is_one() {
    let text = "rm\u{200b} -rf build".to_owned();
    let mut story = asking(&Question { text, ..choice() });
    let shown = story.press("Q").overlay();
    assert!(shown.contains(" 1 character of it cannot be seen"), "{shown}");
}

#[test]
fn what_is_answered_elsewhere_says_so() {
    let mut story = asking(&choice());
    story.press("Q");
    assert!(story.screen().contains("Esc leave it open"), "{}", story.screen());
    let answered = Question { answer: Some("no".to_owned()), ..choice() };
    story.asks_person(&answered);
    story.needs(Vec::new());
    assert!(story.screen().contains("It is no longer open."), "{}", story.screen());
    assert!(story.screen().contains("Esc close"), "{}", story.screen());
    assert!(story.press("1").app.model.prompt.question.is_none(), "{}", story.screen());
    assert!(story.overlay().contains("It is no longer open."), "{}", story.screen());
    // It was sent just before that was known here.
    let request = Request::Act(Act::Choose(id(), "yes".to_owned()));
    story.press("esc").tell(Msg::Answer(Box::new(request), Err(too_late())));
    let screen = story.screen();
    assert!(screen.contains("q_7 was answered already"), "{screen}");
}

#[test]
fn an_answer_that_is_taken_is_told() {
    let mut story = asking(&choice());
    let request = Request::Act(Act::Choose(id(), "yes".to_owned()));
    story.tell(Msg::Answer(Box::new(request), Ok(Reply::Done(None))));
    assert!(story.screen().contains("answered q_7"));
    story.needs(Vec::new());
    assert!(!story.screen().contains("NEEDS YOU"));
}

#[test]
fn the_question_of_the_selected_agent_is_meant_before_those_of_others() {
    let mut story = asking(&choice());
    let other = Question { id: QuestionId::new(8), ..question(8, "coder@review", &["a"]) };
    story.asks_person(&other);
    story.needs(vec![need_of(&choice()), need_of(&other)]);
    story.select_agent("coder@review").press("Q");
    assert!(story.overlay().contains("q_8"), "{}", story.overlay());
    story.press("esc").select_agent("reviewer@review").press("Q");
    assert!(story.screen().contains("no open question or vote here"), "{}", story.screen());
}

#[test]
fn after_an_answer_the_next_question_is_gone_to_and_not_the_first() {
    let asked = [7, 8, 9].map(|number| question(number, "scout@review", &["a", "b"]));
    let mut story = asking(&asked[0]);
    for question in &asked[1..] {
        story.asks_person(question);
    }
    story.needs(asked.iter().map(need_of).collect());
    story.press("a").press("a");
    story.asks_person(&Question { answer: Some("a".to_owned()), ..asked[1].clone() });
    story.needs(vec![need_of(&asked[0]), need_of(&asked[2])]);
    let selected = |story: &Story| story.app.model.selection.tree.selected.clone();
    let need = |name: &str| NavId::Need(AttentionKind::Question, name.to_owned());
    story.press("a");
    assert_eq!(selected(&story), need("q_9"));
    story.press("a");
    assert_eq!(selected(&story), need("q_7"), "the first comes after the last");
}

#[test]
fn of_two_questions_of_an_agent_the_one_that_was_gone_to_is_meant() {
    let mut story = asking(&choice());
    let other = question(8, "scout@review", &["a", "b"]);
    story.asks_person(&other);
    story.needs(vec![need_of(&choice()), need_of(&other)]);
    story.press("a").press("a").press("Q");
    assert!(story.overlay().contains("q_8"), "{}", story.overlay());
    story.press("esc").press("a").press("Q");
    assert!(story.overlay().contains("q_7"), "{}", story.overlay());
}

#[test]
fn of_two_questions_of_an_agent_that_of_the_shown_run_is_meant() {
    let mut story = asking(&choice());
    story.runs(&run(10, "scout@review"));
    let other = Question { run: Some(RunId::new(10)), ..question(8, "scout@review", &["a"]) };
    story.asks_person(&other);
    story.needs(vec![need_of(&choice()), need_of(&other)]);
    story.select_agent("scout@review").press("Q");
    assert!(story.overlay().contains("q_8"), "{}", story.overlay());
}

#[test]
fn who_only_looks_sees_the_question_and_cannot_answer_it() {
    for asked in [choice(), question(7, "scout@review", &[])] {
        let mut story = asking(&asked);
        story.app.model.settings.read_only = true;
        assert_eq!(story.press("Q").app.overlays.len(), 0);
        story.press("a").press("enter");
        assert!(story.screen().contains("may I open a PR?"), "{}", story.screen());
        for key in ["1", "down", "enter", "x", "enter"] {
            assert_eq!(story.press(key).acts(), [], "{key}");
        }
        assert!(story.app.model.prompt.question.is_none());
    }
}

#[test]
fn without_a_connection_nothing_is_answered() {
    let mut story = asking(&choice());
    story.disconnect();
    story.press("Q").press("1");
    assert!(story.screen().contains("not connected: nothing was done"), "{}", story.screen());
    assert!(
        story.app.model.prompt.question.is_none() && story.app.model.selection.focus == Focus::Nav
    );
}

#[test]
fn a_shell_is_given_the_answer_as_one_word() {
    let shell = |text: &str| Act::Answer(id(), text.to_owned()).shell();
    assert_eq!(shell("yes"), "agent-worker answer q_7 yes");
    assert_eq!(shell("it's; rm -rf /"), "agent-worker answer q_7 'it'\\''s; rm -rf /'");
    assert_eq!(shell("-f"), "agent-worker answer q_7 -f");
}
