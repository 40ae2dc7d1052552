//! Questions to the person: asked once, answered once, heard of once.

use agent_worker_protocol::{
    AgentState, AgentStop, AskPerson, Attention, AttentionItem, AttentionKind, ErrorCode,
    Permission, PermissionRequest, Question, QuestionAnswer, QuestionId, QuestionList, Reason,
    RunKind, Why, WorkflowStop,
    question::{Asked, AskedState},
};
use serde_json::json;

use super::*;
use crate::{
    changes::{daemon::sweep, question, run::end, workflow::state},
    rows::question::QuestionRow,
    rules::ending::Failure,
};

fn ask(text: &str) -> AskPerson {
    let question = text.to_owned();
    AskPerson { question, options: Vec::new(), default: None, expires_in: None }
}

fn choose(text: &str, options: &[&str]) -> AskPerson {
    let options = options.iter().map(ToString::to_string).collect();
    AskPerson { options, ..ask(text) }
}

fn permission(command: &str) -> PermissionRequest {
    let arguments = json!({ "command": command });
    let arguments = arguments.as_object().unwrap().clone();
    PermissionRequest { tool: "shell".to_owned(), arguments, expires_in: None }
}

fn answer(id: QuestionId, text: &str) -> QuestionAnswer {
    QuestionAnswer { id, answer: text.to_owned() }
}

impl World {
    fn asks(&self, run: &Claim, text: &str) -> QuestionId {
        self.tool(run, ask(text)).unwrap().id
    }

    fn wants(&self, run: &Claim, command: &str) -> Permission {
        self.tool(run, permission(command)).unwrap()
    }

    fn answers(&self, id: QuestionId, text: &str) -> Question {
        self.call("", answer(id, text)).unwrap()
    }

    /// The run that asked no longer waits.
    fn leaves(&self, run: &Claim, id: QuestionId) -> Asked {
        let credential = Credential::Run { token_hash: run.token, target: None, agent: None };
        self.store.blocking_write(credential, move |cx| question::leave(cx, id)).unwrap()
    }

    fn question(&self, id: QuestionId) -> Question {
        self.daemon(move |cx| Ok(QuestionRow::by_id(cx.db, id)?.entity()))
    }

    fn is_open(&self, id: QuestionId) -> bool {
        self.question(id).is_open()
    }

    fn agent_state(&self, name: &str) -> AgentState {
        let row = self.agent(name);
        self.daemon(move |cx| row.entity(cx.db)).state
    }

    fn needs(&self) -> Vec<AttentionItem> {
        let items = self.call("", Attention {}).unwrap().items;
        items.into_iter().filter(|item| item.kind == AttentionKind::Question).collect()
    }

    /// The message that carries an answer, if there is one.
    fn mail_of(&self, id: QuestionId) -> Option<MessageId> {
        let message = self.daemon(move |cx| Ok(QuestionRow::by_id(cx.db, id)?.message));
        message.map(MessageId::new)
    }
}

fn refusal<T: std::fmt::Debug>(result: Result<T, OpError>) -> (ErrorCode, String, String) {
    match result {
        Err(OpError::Refused(body)) => (body.code, body.message, body.hint.unwrap_or_default()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_question_is_stored_before_anybody_waits_for_it() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let asked = world.tool(&run, choose("Deploy now?", &["yes", "no"])).unwrap();
    assert_eq!((asked.state, asked.answer), (AskedState::Waiting, None));
    assert_eq!(asked.id.to_string(), "q_1");
    assert!(asked.text.starts_with("waiting q_1"), "{}", asked.text);
    let stored = world.question(asked.id);
    assert_eq!((stored.agent, stored.run), (target("alice@team"), Some(run.run())));
    assert_eq!((stored.options, stored.default), (vec!["yes".to_owned(), "no".to_owned()], None));
    assert_eq!(stored.expires_at.0 - stored.created_at.0, 3_600_000);
    let [need] = world.needs().try_into().unwrap();
    assert_eq!(need.subject, "q_1");
    assert_eq!(need.reason, "alice@team asks: Deploy now?");
    assert_eq!(need.hint.unwrap(), "agent-worker answer q_1 yes");
    world.answers(asked.id, "no");
    assert!(world.needs().is_empty());
}

#[test]
fn whoever_waits_hears_the_answer_and_gets_no_mail() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let id = world.asks(&run, "Which colour?");
    assert_eq!(world.agent_state("alice"), AgentState::Waiting);
    let answered = world.answers(id, " blue ");
    assert_eq!(answered.answer.as_deref(), Some("blue"));
    assert_eq!(answered.answered_by.unwrap().as_str(), "user");
    assert_eq!(world.agent_state("alice"), AgentState::Running);
    let heard = world.leaves(&run, id);
    assert_eq!((heard.state, heard.answer.as_deref()), (AskedState::Answered, Some("blue")));
    world.succeed(&run, "painted");
    assert_eq!(world.mail_of(id), None);
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn an_answer_that_comes_later_wakes_the_asker() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let id = world.asks(&run, "Which @bob?");
    assert_eq!(world.leaves(&run, id).state, AskedState::Waiting);
    world.succeed(&run, "asked");
    assert_eq!(world.state(), WorkflowState::Running, "a question is open");
    world.answers(id, "the @first one");
    let mail = world.mail_of(id).unwrap();
    let delivery = world.delivery("alice", mail);
    assert_eq!((delivery.reason, delivery.wakes), (Reason::Answer, true));
    let message = world.last_message();
    assert_eq!(message.content, "q_1: Which @bob?\n\nthe @first one");
    assert_eq!((message.sender.as_str(), message.hop), ("user", 0));
    assert_eq!(message.mentions, agent_worker_protocol::Mentioned::default());
    let next = world.claim();
    assert_eq!((next.agent(), next.claimed.run.kind), ("alice", RunKind::Direct));
    world.succeed(&next, "done");
    assert_eq!(world.delivery_state("alice", mail), DeliveryState::Acked);
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn what_was_done_after_an_answer_is_told_to_those_who_had_asked_for_it() {
    let world = World::new();
    world.start(&["alice", "bob"], "@bob go");
    let bob = world.claim();
    world.tool(&bob, say("@alice please paint")).unwrap();
    world.succeed(&bob, "I have asked alice");
    let first = world.claim();
    let id = world.asks(&first, "Which colour?");
    world.leaves(&first, id);
    world.succeed(&first, "I have asked which colour");
    let told = world.last_message();
    assert_eq!(world.delivery("bob", told.id).reason, Reason::Reply);
    world.succeed(&world.claim(), "");
    world.answers(id, "blue");
    world.succeed(&world.claim(), "It is blue now");
    let told = world.last_message();
    assert_eq!(told.content, "It is blue now");
    assert_eq!(told.group.to_string(), "channel");
    assert_eq!(world.delivery("bob", told.id).reason, Reason::Reply);
}

#[test]
fn the_first_answer_stands_and_a_later_one_is_told_so() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let id = world.tool(&run, choose("Deploy?", &["Yes", "no"])).unwrap().id;
    let (code, message, hint) = refusal(world.call("", answer(id, "perhaps")));
    assert_eq!(code, ErrorCode::Invalid);
    assert_eq!(message, "unknown option `perhaps` of q_1");
    assert_eq!(hint, "options: Yes, no");
    assert!(world.is_open(id));
    assert_eq!(world.answers(id, "yes").answer.as_deref(), Some("Yes"), "as it was offered");
    let (code, message, _) = refusal(world.call("", answer(id, "no")));
    assert_eq!(code, ErrorCode::Conflict);
    assert_eq!(message, "q_1 was answered already, by user: `Yes`");
    assert_eq!(world.question(id).answer.as_deref(), Some("Yes"));
    let (code, _, hint) = refusal(world.call("", answer(QuestionId::new(9), "yes")));
    assert_eq!((code, hint.contains("questions")), (ErrorCode::NotFound, true));
}

#[test]
fn an_option_can_be_chosen_by_its_number_unless_options_are_numbers() {
    let world = World::new();
    world.start(&["alice", "bob"], "@all go");
    let (alice, bob) = (world.claim(), world.claim());
    let id = world.tool(&alice, choose("Colour?", &["red", "blue"])).unwrap().id;
    for bad in ["0", "3", "-1"] {
        assert_eq!(refusal(world.call("", answer(id, bad))).0, ErrorCode::Invalid, "{bad}");
    }
    assert_eq!(world.answers(id, "2").answer.as_deref(), Some("blue"));
    let id = world.tool(&bob, choose("How many?", &["1", "5"])).unwrap().id;
    assert_eq!(refusal(world.call("", answer(id, "2"))).0, ErrorCode::Invalid);
    assert_eq!(world.answers(id, "1").answer.as_deref(), Some("1"));
}

#[test]
fn words_are_taken_where_nothing_is_offered_and_are_no_longer_than_they_may_be() {
    let world = World::with_settings("[questions]\nbytes = 10\n");
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let id = world.asks(&run, "Why?");
    assert_eq!(refusal(world.call("", answer(id, " \n"))).0, ErrorCode::Invalid);
    assert_eq!(refusal(world.call("", answer(id, "eleven char"))).0, ErrorCode::TooLarge);
    world.answers(id, "ten chars!");
}

#[test]
fn only_the_person_answers() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go");
    let run = world.claim();
    let id = world.asks(&run, "Why?");
    assert_eq!(refusal(world.tool(&run, answer(id, "because"))).0, ErrorCode::Denied);
    assert_eq!(refusal(world.call_as("@team", Some("bob"), answer(id, "x"))).0, ErrorCode::Denied);
    let list = QuestionList::default();
    assert_eq!(refusal(world.tool(&run, list)).0, ErrorCode::Denied);
    world.call_as("@team", Some("user"), answer(id, "because")).unwrap();
}

#[test]
fn a_question_that_cannot_be_answered_well_is_not_asked() {
    let world = World::with_settings("[questions]\nbytes = 40\noptions = 3\n");
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let with_default = |default: &str, options: &[&str]| AskPerson {
        default: Some(default.to_owned()),
        ..choose("Sure?", options)
    };
    let within = |span: &str| AskPerson { expires_in: Some(span.parse().unwrap()), ..ask("Sure?") };
    for (asked, expected) in [
        (ask(" "), "the question is empty"),
        (ask(&"long ".repeat(9)), "the question has 44 bytes: the limit is 40"),
        (choose("Which?", &["a", "b", "c", "d"]), "the question has 4 options: the limit is 3"),
        (choose("Which?", &["a", " "]), "each option, and the default, must be one line"),
        (choose("Which?", &["a", "b\nc"]), "each option, and the default, must be one line"),
        (choose("Which?", &["a", "A "]), "the option `A` is given twice"),
        (with_default("c", &["a", "b"]), "the default `c` is not one of the options"),
        (with_default("", &[]), "each option, and the default, must be one line"),
        (within("900ms"), "`expires_in` is 900ms: a question waits from 1s to 720h"),
        (within("721h"), "`expires_in` is 721h: a question waits from 1s to 720h"),
    ] {
        assert_eq!(refusal(world.tool(&run, asked)).1, expected);
    }
    let (code, message, _) = refusal(world.call("@team", ask("Who am I?")));
    assert_eq!(code, ErrorCode::Invalid);
    assert_eq!(message, "only an agent can ask the user, and you are the user");
    assert!(world.needs().is_empty());
}

#[test]
fn nobody_is_drowned_in_questions() {
    let world = World::with_settings("[questions]\nopen = 2\n");
    world.start(&["alice", "bob"], "@alice @bob go");
    let (alice, bob) = (world.claim(), world.claim());
    world.asks(&alice, "one?");
    let second = world.asks(&alice, "two?");
    let (code, message, _) = refusal(world.tool(&alice, ask("three?")));
    assert_eq!(code, ErrorCode::Conflict);
    assert_eq!(message, "`alice@team` has 2 open questions: the limit is 2");
    world.asks(&bob, "three?");
    world.answers(second, "yes");
    world.asks(&alice, "three?");
}

#[test]
fn who_asks_twice_asks_once() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice @bob go");
    let (alice, bob) = (world.claim(), world.claim());
    let id = world.asks(&alice, "Why?");
    assert_eq!(world.asks(&alice, " Why? "), id);
    assert_ne!(world.tool(&alice, choose("Why?", &["because"])).unwrap().id, id);
    assert_ne!(world.asks(&bob, "Why?"), id);
    world.leaves(&alice, id);
    world.succeed(&alice, "");
    world.send("@alice more");
    let later = world.claim();
    assert_eq!(world.asks(&later, "Why?"), id, "it is still open");
    assert_eq!(world.question(id).run, Some(later.run()));
    assert_eq!(world.agent_state("alice"), AgentState::Waiting);
}

#[test]
fn an_answer_that_lies_in_the_inbox_is_given_to_who_asks_again() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let id = world.asks(&run, "Why?");
    world.leaves(&run, id);
    world.answers(id, "because");
    let mail = world.mail_of(id).unwrap();
    let asked = world.tool(&run, ask("Why?")).unwrap();
    assert_eq!((asked.id, asked.answer.as_deref()), (id, Some("because")));
    assert_eq!(world.delivery_state("alice", mail), DeliveryState::Dropped);
    assert_ne!(world.asks(&run, "Why?"), id, "it was heard: this is another one");
    world.succeed(&run, "");
}

#[test]
fn a_further_attempt_gets_the_answer_that_an_earlier_one_has_heard() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let first = world.claim();
    let id = world.asks(&first, "Why?");
    world.answers(id, "because");
    world.leaves(&first, id);
    world.fail(&first, EndCause::Transient);
    world.pass(60_000);
    let second = world.claim();
    assert_eq!(second.claimed.run.attempt, 2);
    let asked = world.tool(&second, ask("Why?")).unwrap();
    assert_eq!((asked.id, asked.state), (id, AskedState::Answered));
    world.fail(&second, EndCause::Lost);
    let third = world.claim();
    assert_eq!(world.asks(&third, "Why?"), id, "also one after that");
    world.succeed(&third, "done");
    world.send("@alice something else");
    let other = world.claim();
    assert_ne!(world.asks(&other, "Why?"), id, "other work asks anew");
}

#[test]
fn an_answer_that_its_asker_did_not_live_to_hear_comes_by_mail() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let first = world.claim();
    let id = world.asks(&first, "Why?");
    world.answers(id, "because");
    assert_eq!(world.mail_of(id), None);
    world.fail(&first, EndCause::Lost);
    let mail = world.mail_of(id).unwrap();
    assert_eq!(world.delivery_state("alice", mail), DeliveryState::Pending);
    let second = world.claim();
    assert_eq!(second.claimed.run.cause, Some(1), "the lost mail comes first");
    assert_eq!(world.tool(&second, ask("Why?")).unwrap().answer.as_deref(), Some("because"));
    assert_eq!(world.delivery_state("alice", mail), DeliveryState::Dropped);
    world.succeed(&second, "done");
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn a_call_that_is_gone_gets_its_answer_by_mail() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let (early, late) = (world.asks(&run, "early?"), world.asks(&run, "late?"));
    world.answers(early, "yes");
    for id in [early, late] {
        world.daemon(move |cx| question::forsake_call(cx, id));
    }
    assert!(world.mail_of(early).is_some());
    assert_eq!((world.mail_of(late), world.is_open(late)), (None, true));
    world.answers(late, "no");
    assert!(world.mail_of(late).is_some());
    world.succeed(&run, "");
}

#[test]
fn a_question_waits_over_a_restart_and_its_answer_wakes_the_agent() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let id = world.asks(&run, "Why?");
    world.daemon(|cx| recover::begin(cx, "epoch"));
    assert_eq!(world.run_state(&run), RunState::Lost);
    assert!(world.is_open(id));
    assert_eq!(world.needs().len(), 1);
    world.answers(id, "because");
    assert!(world.mail_of(id).is_some());
    let again = world.claim();
    world.succeed(&again, "I do not ask again");
    let answered = world.claim();
    assert_eq!(answered.claimed.run.cause, world.mail_of(id).map(MessageId::number));
    world.succeed(&answered, "done");
}

#[test]
fn what_nobody_answers_takes_its_default_and_says_why() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let with_default = AskPerson {
        default: Some("no".to_owned()),
        expires_in: Some("2m".parse().unwrap()),
        ..choose("Deploy?", &["yes", "no"])
    };
    let id = world.tool(&run, with_default.clone()).unwrap().id;
    let due = world.daemon(sweep::end_late).unwrap();
    assert_eq!(due, world.question(id).expires_at);
    world.pass(119_999);
    world.daemon(sweep::end_late);
    assert!(world.is_open(id));
    world.pass(1);
    assert_eq!(world.daemon(sweep::end_late), None);
    let closed = world.question(id);
    assert_eq!(closed.expired_because.as_deref(), Some("no answer within 2m"));
    assert_eq!((closed.answer, closed.answered_by), (None, None));
    let heard = world.leaves(&run, id);
    assert_eq!((heard.state, heard.answer.as_deref()), (AskedState::Expired, Some("no")));
    assert_eq!(heard.text, "q_1: no answer within 2m: the default applies: `no`");
    let (code, message, _) = refusal(world.call("", answer(id, "yes")));
    assert_eq!(code, ErrorCode::Conflict);
    assert_eq!(message, "q_1 is closed: no answer within 2m, and its default was taken: `no`");
    assert_ne!(world.tool(&run, with_default).unwrap().id, id, "it may be asked again");
}

#[test]
fn whoever_waits_no_more_is_told_by_mail_that_nobody_answered() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let id = world.asks(&run, "Why?");
    world.leaves(&run, id);
    world.succeed(&run, "");
    world.pass(3_600_000);
    assert_eq!(world.state(), WorkflowState::Running);
    world.daemon(sweep::end_late);
    let message = world.last_message();
    assert_eq!(
        message.content,
        "q_1: Why?\n\nno answer within 1h: it has no default: decide without the user"
    );
    assert_eq!(message.sender.as_str(), "system");
    let next = world.claim();
    assert_eq!(next.claimed.run.cause, Some(message.seq));
    assert_eq!(next.claimed.run.root, run.claimed.run.root, "it goes back to the same message");
    world.succeed(&next, "done");
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn what_is_overdue_after_a_restart_is_closed_at_once() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let id = world.asks(&run, "Why?");
    world.leaves(&run, id);
    world.succeed(&run, "");
    world.pass(4_000_000);
    world.daemon(|cx| recover::begin(cx, "epoch"));
    assert!(!world.is_open(id) && world.mail_of(id).is_some());
}

#[test]
fn a_clock_that_is_set_back_closes_nothing() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let id = world.asks(&run, "Why?");
    world.pass(-86_400_000);
    world.daemon(sweep::end_late);
    assert!(world.is_open(id));
}

#[test]
fn the_time_of_a_question_begins_anew_when_the_clock_was_set_back() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let id = world.asks(&world.claim(), "Why?");
    world.pass(-86_400_000);
    let due = world.daemon(sweep::end_late);
    assert_eq!(due.map(|at| at.0 - world.daemon(|cx| Ok(cx.now)).0), Some(3_600_000));
    world.pass(3_600_000);
    world.daemon(sweep::end_late);
    assert_eq!(world.question(id).expired_because.as_deref(), Some("no answer within 1h"));
}

#[test]
fn a_permission_is_for_one_use_and_for_further_attempts_at_it() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let first = world.claim();
    let asked = world.wants(&first, "make deploy");
    assert_eq!(asked.allowed, None);
    let shown = world.question(asked.id);
    assert_eq!(shown.text, "shell\ncommand: make deploy");
    assert_eq!((shown.tool.as_deref(), shown.default.as_deref()), (Some("shell"), Some("deny")));
    let [need] = world.needs().try_into().unwrap();
    assert_eq!(need.reason, "alice@team wants to use: shell command: make deploy");
    assert_eq!(need.hint.unwrap(), "agent-worker answer q_1 allow");
    world.answers(asked.id, "allow");
    let again = world.wants(&first, "make deploy");
    assert_eq!((again.id.to_string(), again.allowed), ("q_2".to_owned(), None));
    world.answers(again.id, "deny");
    world.fail(&first, EndCause::Lost);
    let second = world.claim();
    let known = world.wants(&second, "make deploy");
    assert_eq!((known.id, known.allowed), (again.id, Some(false)));
    assert_eq!(known.because.as_deref(), Some("the user denied it"));
    let anew = world.wants(&second, "make deploy");
    assert_eq!((anew.id.to_string(), anew.allowed), ("q_3".to_owned(), None), "one use of each");
    assert_eq!(world.wants(&second, "make clean").allowed, None, "something else is asked");
    assert_eq!(refusal(world.call("@team", permission("ls"))).0, ErrorCode::Invalid);
}

#[test]
fn yes_and_no_decide_on_a_permission_too() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    for (word, option) in [("yes", "allow"), ("No", "deny")] {
        let asked = world.wants(&run, &format!("make {option}"));
        assert_eq!(world.answers(asked.id, word).answer.as_deref(), Some(option));
    }
}

#[test]
fn a_permission_that_nobody_gives_is_denied_and_nobody_has_denied_it() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let asked = world.wants(&run, "make deploy");
    world.pass(3_600_000);
    world.daemon(sweep::end_late);
    let row = world.daemon(move |cx| QuestionRow::by_id(cx.db, asked.id));
    let told = row.permission();
    assert_eq!(told.allowed, Some(false));
    assert_eq!(told.because.as_deref(), Some("no answer within 1h"));
    assert_eq!(world.agent_state("alice"), AgentState::Running);
}

#[test]
fn a_permission_closes_with_its_run() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    for class in [EndCause::Transient, EndCause::Lost] {
        world.pass(60_000);
        let run = world.claim();
        let asked = world.wants(&run, "make deploy");
        let failure = Failure::new(class, "it broke");
        let id = run.run();
        world.daemon(move |cx| finish::begin_end(cx, id, &failure));
        let closed = world.question(asked.id);
        assert_eq!(closed.expired_because.as_deref(), Some("its run ended"));
        assert!(world.needs().is_empty());
        world.fail(&run, class);
        assert_eq!(world.mail_of(asked.id), None);
    }
    let again = world.claim();
    assert_eq!(world.wants(&again, "make deploy").allowed, None, "nobody has decided it");
    world.daemon(|cx| recover::begin(cx, "epoch"));
    assert!(world.needs().is_empty());
}

#[test]
fn while_a_run_waits_for_a_permission_another_has_its_place() {
    let world = World::with_settings("[runs]\nmax_runs = 1\n");
    world.start(&["alice", "bob"], "@alice @bob go");
    let alice = world.claim();
    assert!(world.try_claim().is_none());
    let asked = world.wants(&alice, "make deploy");
    let bob = world.claim();
    assert_eq!(bob.agent(), "bob");
    world.answers(asked.id, "allow");
    world.succeed(&alice, "");
    world.send("@alice more");
    assert!(world.try_claim().is_none(), "the place is taken again");
    world.asks(&bob, "Why?");
    assert!(world.try_claim().is_none(), "who only asks keeps its place");
}

#[test]
fn a_scope_counts_who_waits_for_a_permission_no_more_than_the_daemon_does() {
    let world = World::new();
    let limits = Limits { max_runs: Some(1), ..Limits::default() };
    world.start_with(&["alice", "bob"], "@alice @bob go", Mode::Run, limits);
    let alice = world.claim();
    assert!(world.try_claim().is_none());
    world.wants(&alice, "make deploy");
    assert_eq!(world.claim().agent(), "bob");
}

#[test]
fn a_run_that_waits_for_a_permission_has_nothing_to_do_before_its_end() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice @bob go");
    let (alice, bob) = (world.claim(), world.claim());
    world.wants(&alice, "make deploy");
    world.daemon(end::request_end_of_all);
    let ends = |claim: &Claim| world.run(claim.run()).end_by.unwrap().0 - BEGIN;
    assert_eq!((ends(&alice), ends(&bob)), (0, 10_000));
}

#[test]
fn a_question_of_a_stopped_agent_waits_and_so_does_its_answer() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let id = world.asks(&run, "Why?");
    world.call("", AgentStop { target: target("alice@team"), now: true }).unwrap();
    world.fail(&run, EndCause::Stopped);
    assert_eq!(world.state(), WorkflowState::Running, "a question is open");
    world.answers(id, "because");
    assert_eq!(world.state(), WorkflowState::Stalled);
    assert!(world.try_claim().is_none());
}

#[test]
fn a_removed_agent_asks_nothing_more() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let id = world.asks(&run, "Why?");
    world.leaves(&run, id);
    world.succeed(&run, "");
    world.call("", AgentRemove { target: target("alice@team") }).unwrap();
    let closed = world.question(id);
    assert_eq!(closed.expired_because.as_deref(), Some("its agent was removed"));
    assert_eq!(world.state(), WorkflowState::Completed);
    let (_, message, hint) = refusal(world.call("", answer(id, "because")));
    assert_eq!(message, "q_1 is closed: its agent was removed");
    assert_eq!(hint, "", "a removed agent gets no mail");
}

#[test]
fn a_new_start_has_none_of_the_questions_of_the_one_before() {
    for fresh in [false, true] {
        let world = World::new();
        world.start(&["alice"], "@alice go");
        let run = world.claim();
        let id = world.asks(&run, "Why?");
        world.leaves(&run, id);
        world.fail(&run, EndCause::Permanent);
        world
            .call("", WorkflowStop { key: team(), now: true, purge: false, timeout: None })
            .unwrap();
        let launch = launch_of(&["alice"], "@alice again", Mode::Run, Limits::default());
        if fresh {
            world.try_start(Launch { fresh, ..launch }).unwrap();
            assert!(!world.is_open(id));
        } else {
            world.try_start(launch).unwrap();
            assert!(world.is_open(id), "it goes on where it was");
        }
    }
    let world = World::new();
    world.start_with(&["alice"], "@alice go", Mode::Start, Limits::default());
    let run = world.claim();
    let id = world.asks(&run, "Why?");
    world.daemon(|cx| {
        let scope = WorkflowRow::by_name(cx.db, &team())?;
        state::enter(cx, scope.id, WorkflowState::Failed, Some("by hand"))
    });
    world.succeed(&run, "");
    world.start_with(&["alice"], "@alice again", Mode::Start, Limits::default());
    let closed = world.question(id);
    assert_eq!(closed.expired_because.as_deref(), Some("its workflow was started anew"));
}

#[test]
fn a_member_outside_that_waits_is_told_that_a_fresh_start_has_closed_its_question() {
    let world = World::new();
    let launch = || {
        let mut launch = launch_of(&["ide"], "hello", Mode::Start, Limits::default());
        launch.agents[0].kind = MemberKind::External;
        launch
    };
    world.try_start(launch()).unwrap();
    let id = world.call_as("@team", Some("ide"), ask("Why?")).unwrap().id;
    world.call("", WorkflowStop { key: team(), now: true, purge: false, timeout: None }).unwrap();
    world.try_start(Launch { fresh: true, ..launch() }).unwrap();
    let (target, member) = (Some(target("@team")), Some("ide".parse().unwrap()));
    let caller = Credential::Operator { target, member };
    let told = world.store.blocking_write(caller, move |cx| question::leave(cx, id)).unwrap();
    assert_eq!(told.state, AskedState::Expired, "{told:?}");
}

#[test]
fn a_member_outside_asks_too() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    let create = json!({ "name": "ida", "backend": "external" });
    world.call("@team", serde_json::from_value::<AgentCreate>(create).unwrap()).unwrap();
    let asked = world.call_as("@team", Some("ida"), ask("Why?")).unwrap();
    assert_eq!(world.question(asked.id).run, None);
    world.daemon(|cx| recover::begin(cx, "epoch"));
    world.answers(asked.id, "because");
    assert_eq!(world.delivery("ida", world.mail_of(asked.id).unwrap()).reason, Reason::Answer);
    let again = world.call_as("@team", Some("ida"), ask("Why?")).unwrap();
    assert_eq!((again.id, again.answer.as_deref()), (asked.id, Some("because")));
}

#[test]
fn the_list_has_what_is_open_and_everything_if_it_is_asked_for() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice @bob go");
    let (alice, bob) = (world.claim(), world.claim());
    for text in ["one?", "two?", "three?"] {
        world.asks(&alice, text);
    }
    world.asks(&bob, "four?");
    world.answers(QuestionId::new(2), "yes");
    let list = |target: &str, all: bool, limit: Option<u32>| {
        let page = world.call(target, QuestionList { all, limit, before: None }).unwrap();
        let texts: Vec<_> = page.questions.into_iter().map(|asked| asked.text).collect();
        (texts.join(" "), page.more)
    };
    assert_eq!(list("", false, None), ("one? three? four?".to_owned(), false));
    assert_eq!(list("", true, None), ("one? two? three? four?".to_owned(), false));
    assert_eq!(list("@team", true, Some(2)), ("three? four?".to_owned(), true));
    assert_eq!(list("alice@team", false, None), ("one? three?".to_owned(), false));
    assert_eq!(list("@global", true, None), (String::new(), false));
}

#[test]
fn questions_are_listed_from_one_back() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let alice = world.claim();
    for text in ["one?", "two?", "three?", "four?"] {
        world.asks(&alice, text);
    }
    world.answers(QuestionId::new(2), "yes");
    let list = |target: &str, all: bool, before: i64| {
        let before = Some(QuestionId::new(before));
        let page = world.call(target, QuestionList { all, limit: Some(2), before }).unwrap();
        let texts: Vec<_> = page.questions.into_iter().map(|asked| asked.text).collect();
        (texts.join(" "), page.more)
    };
    for target in ["", "@team", "alice@team"] {
        assert_eq!(list(target, true, 4), ("two? three?".to_owned(), true), "{target}");
        assert_eq!(list(target, true, 2), ("one?".to_owned(), false), "{target}");
        assert_eq!(list(target, false, 4), ("one? three?".to_owned(), false), "{target}");
        assert_eq!(list(target, true, 1), (String::new(), false), "{target}");
    }
}

#[test]
fn it_is_told_what_waits_for_an_answer() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let id = world.asks(&run, "Why?");
    let why = |subject: &str| world.call("", Why { subject: subject.to_owned() }).unwrap();
    let of_agent = why("alice@team");
    assert_eq!(of_agent.state, "waiting");
    assert_eq!(of_agent.hint.as_deref(), Some("agent-worker answer q_1"));
    let of_run = why("run_1");
    assert_eq!(of_run.because[0].text, "run_1 waits for the answer to q_1");
    assert_eq!(of_run.hint.as_deref(), Some("agent-worker answer q_1"));
    world.leaves(&run, id);
    world.succeed(&run, "");
    let of_scope = why("@team");
    let told: Vec<_> = of_scope.because.iter().map(|link| link.text.as_str()).collect();
    assert_eq!(told, ["alice@team waits for the answer to q_1"]);
    assert_eq!(of_scope.hint.as_deref(), Some("agent-worker answer q_1"));
}

#[test]
fn an_option_that_a_shell_would_act_upon_stands_in_no_command() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    for (option, hint) in [
        ("yes", "agent-worker answer q_1 yes"),
        ("$(reboot)", "agent-worker answer q_2"),
        ("-f", "agent-worker answer q_3"),
        ("two words", "agent-worker answer q_4"),
    ] {
        world.tool(&run, choose("Which?", &[option])).unwrap();
        assert_eq!(world.needs().pop().unwrap().hint.as_deref(), Some(hint));
    }
}
