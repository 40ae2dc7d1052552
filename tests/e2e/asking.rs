//! Questions to the person: from an agent's tool to another terminal, and back.

use std::{
    collections::BTreeSet,
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use agent_worker_client::Client;
use agent_worker_protocol::{
    BlockKind, EventBody, Mode, Question, QuestionAnswer, QuestionId, QuestionKind, QuestionList,
    Run, RunShow, RunState, WorkflowState,
};

use crate::hostile::terminal::with_answers;
use crate::support::{Home, Team, Watch, block_on, mock, transcript, within};

/// Asks the person with a tool and says what came of it.
const ASKS: &str = "\
- call: ask_person
  with: { question: \"Deploy now?\", options: [\"yes\", \"no\"], default: \"no\" }
  as: a
- say: \"${{ a.state }}: ${{ a.text }}\"";

/// Asks for a permission and says what came of it.
const WANTS: &str = "\
- ask: shell
  with: { command: \"make deploy\" }
  as: p
- say: \"allowed: ${{ p.allowed }}\"";

fn team(steps: &str) -> Team {
    Team::new("team", "@alice go").agent("alice", &mock(steps))
}

/// Waits until one is decided.
async fn decided(watch: &mut Watch) -> Question {
    watch
        .wait("a question is decided", |event| match &event.body {
            EventBody::QuestionChanged(question) if !question.is_open() => {
                Some((**question).clone())
            }
            _ => None,
        })
        .await
}

async fn text_of(client: &Client, run: &Run) -> String {
    let detail = client.call(&RunShow { id: run.id }).await.unwrap();
    detail.result.unwrap_or_else(|| panic!("{:?}", detail.run))
}

fn succeeded(run: &Run) -> bool {
    run.state == RunState::Succeeded
}

#[test]
fn d_4_a_question_outlives_the_daemon_and_is_answered_from_another_terminal() {
    let home = Home::new();
    let daemon = home.daemon();
    let question = block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        team(ASKS).start(&home, &client, Mode::Run).await;
        watch.question_asked().await
    });
    daemon.kill();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let shown = home.ok(&["questions"]);
        assert!(shown.contains("q_1 alice@team asks"), "{shown}");
        assert!(shown.contains("1  yes") && shown.contains("2  no (default)"), "{shown}");
        let refused = home.run(&["answer", "q_1", "perhaps"]);
        assert_eq!(refused.code, Some(1));
        assert!(refused.stderr.contains("hint: options: yes, no"), "{}", refused.stderr);
        assert_eq!(home.ok(&["answer", "q_1", "yes"]), "q_1 of alice@team: user answered yes\n");
        let ended = watch.run_ended(succeeded).await;
        assert_eq!(text_of(&client, &ended).await, "answered: user answered q_1: yes");
        watch.workflow(WorkflowState::Completed).await;
        let list = QuestionList { all: true, ..QuestionList::default() };
        let all = client.call(&list).await.unwrap().questions;
        assert_eq!((all.len(), all[0].id), (1, question.id), "it was asked once");
        home.assert_promises_kept().await;
    });
    let late = home.run(&["answer", "q_1", "no"]);
    assert_eq!(late.code, Some(1));
    assert!(late.stderr.contains("q_1 was answered already, by user: `yes`"), "{}", late.stderr);
}

#[test]
fn d_4_a_permission_is_asked_for_again_after_a_crash_and_the_work_goes_on() {
    let home = Home::new();
    let daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        team(WANTS).start(&home, &client, Mode::Run).await;
        let question = watch.question_asked().await;
        assert_eq!(question.kind, QuestionKind::Permission);
        assert_eq!(question.text, "shell\ncommand: make deploy");
    });
    daemon.kill();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::all(&client).await;
        let closed = decided(&mut watch).await;
        assert_eq!(closed.expired_because.as_deref(), Some("its run ended"));
        let again = watch.question_asked().await;
        home.ok(&["answer", &again.id.to_string(), "allow"]);
        let ended = watch.run_ended(succeeded).await;
        assert_eq!(text_of(&client, &ended).await, "allowed: true");
        let calls = transcript(&client, ended.id).await;
        let told = |kind: BlockKind| {
            calls.iter().find(|(is, _)| *is == kind).map(|(_, text)| text.as_str())
        };
        assert_eq!(told(BlockKind::ToolCall), Some("{\"command\":\"make deploy\"}"));
        assert_eq!(told(BlockKind::ToolResult), Some("allowed"));
        watch.workflow(WorkflowState::Completed).await;
    });
}

#[test]
fn d_4_unanswered_it_takes_its_default_and_says_why() {
    let home = Home::with_config("[questions]\nexpires = \"100ms\"\n");
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        team(&format!("{ASKS}\n{}", WANTS.replace("p.allowed", "p.because")))
            .start(&home, &client, Mode::Run)
            .await;
        let ended = watch.run_ended(succeeded).await;
        assert_eq!(
            text_of(&client, &ended).await,
            "expired: q_1: no answer within 100ms: the default applies: `no`\n\
             allowed: no answer within 100ms"
        );
        watch.workflow(WorkflowState::Completed).await;
    });
    let late = home.run(&["answer", "q_1", "yes"]);
    assert!(late.stderr.contains("its default was taken: `no`"), "{}", late.stderr);
    let shown = home.ok(&["questions", "--all"]);
    assert!(shown.contains("no answer within 100ms; the default applies: deny"), "{shown}");
}

#[test]
fn d_4_of_answers_that_race_one_stands() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        team(ASKS).start(&home, &client, Mode::Run).await;
        let id = watch.question_asked().await.id;
        let answers = (0..8).map(|n| {
            let (client, answer) = (home.client(), ["yes", "no"][n % 2].to_owned());
            tokio::spawn(async move {
                let answered = client.call(&QuestionAnswer { id, answer: answer.clone() }).await;
                answered.map(|_| answer).map_err(|error| error.to_string())
            })
        });
        let answers: Vec<_> = answers.collect();
        let (mut taken, mut refused) = (Vec::new(), BTreeSet::new());
        for answer in answers {
            match within("it is answered", answer).await.unwrap() {
                Ok(answer) => taken.push(answer),
                Err(error) => drop(refused.insert(error)),
            }
        }
        let [taken] = taken.try_into().expect("one was taken");
        let told = format!("q_1 was answered already, by user: `{taken}`");
        assert_eq!(refused, BTreeSet::from([told]));
        let ended = watch.run_ended(succeeded).await;
        let expected = format!("answered: user answered q_1: {taken}");
        assert_eq!(text_of(&client, &ended).await, expected);
    });
}

#[test]
fn d_4_a_workflow_does_not_end_while_a_question_is_open() {
    let home = Home::with_config("[questions]\nwait = \"50ms\"\n");
    let steps = "- when: q_1\n  do: [{ say: \"so be it\" }]\n";
    let script = format!("{steps}{}", mock(ASKS));
    let file = Team::new("team", "@alice go").agent("alice", &script).write(&home);
    let _daemon = home.daemon();
    let mut command = home.command(&["run", &file]);
    let mut running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let stderr = BufReader::new(running.stderr.take().unwrap());
    let mut lines = stderr.lines().map(|line| line.unwrap());
    let is_told = lines.any(|line| line == "agent-worker answer q_1 CHOICE");
    assert!(is_told, "whoever follows the workflow is told");
    let rest = std::thread::spawn(move || lines.collect::<Vec<_>>());
    block_on(async {
        let client = home.client();
        let mut watch = Watch::all(&client).await;
        let first = watch.run_ended(succeeded).await;
        let text = text_of(&client, &first).await;
        assert!(text.starts_with("waiting: waiting q_1: not answered yet."), "{text}");
        let status = home.json(&["status"]);
        assert_eq!(status["workflows"][1]["state"], "running", "{status}");
        assert_eq!(status["attention"][0]["hint"], "agent-worker answer q_1 yes");
        home.ok(&["answer", "q_1", "no"]);
        let second = watch.run_ended(succeeded).await;
        assert_eq!(text_of(&client, &second).await, "so be it");
        watch.workflow(WorkflowState::Completed).await;
    });
    assert_eq!(running.wait().unwrap().code(), Some(0));
    let rest = rest.join().unwrap();
    assert!(rest.iter().any(|line| line == "q_1: user answered no"), "{rest:?}");
}

#[test]
fn an_answer_is_asked_for_and_read_where_none_is_written() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let steps = "- call: ask_person\n  with: { question: \"Which?\" }\n  as: a\n\
                     - say: \"${{ a.answer }}\"";
        team(steps).start(&home, &client, Mode::Run).await;
        let id = watch.question_asked().await.id.to_string();
        let empty = home.run_with(&["answer", &id], "\n");
        assert!(empty.stderr.contains("the answer is empty"), "{}", empty.stderr);
        let finished = home.run_with(&["answer", &id, "-"], "the blue one\n");
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let ended = watch.run_ended(succeeded).await;
        assert_eq!(text_of(&client, &ended).await, "the blue one");
    });
}

#[test]
fn who_waits_for_a_permission_leaves_its_place_to_another() {
    let home = Home::with_config("[runs]\nmax_runs = 1\n");
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let team = Team::new("team", "@alice go").agent("alice", &mock(WANTS));
        let team = team.agent("bob", &mock("- say: done"));
        team.start(&home, &client, Mode::Start).await;
        let question = watch.question_asked().await;
        home.ok(&["send", "@team", "@bob go"]);
        let ended = watch.run_ended(succeeded).await;
        assert_eq!(ended.agent.to_string(), "bob@team");
        home.ok(&["answer", &question.id.to_string(), "deny"]);
        let ended = watch.run_ended(succeeded).await;
        assert_eq!(text_of(&client, &ended).await, "allowed: false");
    });
}

#[test]
fn a_daemon_that_stops_waits_for_nobody() {
    let home = Home::with_config("[runs]\nstop_grace = \"10m\"\n");
    let daemon = home.daemon();
    let questions = block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let team = Team::new("team", "@alice @bob go").agent("alice", &mock(ASKS));
        team.agent("bob", &mock(WANTS)).start(&home, &client, Mode::Start).await;
        [watch.question_asked().await.id, watch.question_asked().await.id]
    });
    daemon.stop();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::all(&client).await;
        let mut states = BTreeSet::new();
        for _ in 0..2 {
            let run = watch.run_ended(|_| true).await;
            states.insert((run.agent.to_string(), format!("{:?}", run.state)));
        }
        let expected = [("alice@team", "Succeeded"), ("bob@team", "Lost")];
        assert_eq!(states, expected.map(|(who, how)| (who.to_owned(), how.to_owned())).into());
        let open = client.call(&QuestionList::default()).await.unwrap().questions;
        let of = |kind: QuestionKind| open.iter().filter(move |question| question.kind == kind);
        let asked: Vec<QuestionId> =
            of(QuestionKind::Question).map(|question| question.id).collect();
        assert!(asked.len() == 1 && questions.contains(&asked[0]), "{open:?}");
    });
}

#[test]
#[ignore = "long: it takes longer than a run may"]
fn while_a_run_waits_for_a_permission_its_times_stand_still() {
    let home = Home::with_config(
        "[questions]\nexpires = \"16s\"\n[runs]\nidle = \"10s\"\ntotal = \"12s\"\n",
    );
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        team(WANTS).start(&home, &client, Mode::Run).await;
        let ended = watch.run_ended(|_| true).await;
        assert_eq!((ended.state, ended.attempt), (RunState::Succeeded, 1), "{ended:?}");
        assert_eq!(text_of(&client, &ended).await, "allowed: false");
    });
}

#[test]
fn a_question_is_answered_where_its_workflow_is_watched() {
    let home = Home::new();
    let _daemon = home.daemon();
    let file = team(ASKS).write(&home);
    for (typed, then) in
        [(&["1\n"][..], "answered q_1: yes"), (&["maybe\n", "no\n"], "answered q_2: no")]
    {
        let shown = with_answers(&home, &["run", &file, "--fresh"], typed).screen;
        assert!(shown.contains("Deploy now?"), "{shown}");
        assert!(shown.contains(then) && shown.contains("completed"), "{shown}");
        let is_wrong = typed.len() > 1;
        assert_eq!(shown.contains("error: "), is_wrong, "{shown}");
    }
}

#[test]
fn a_question_that_is_left_open_is_answered_from_elsewhere() {
    let home = Home::new();
    let _daemon = home.daemon();
    let file = team(ASKS).write(&home);
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let shown = std::thread::scope(|scope| {
            let run = scope.spawn(|| with_answers(&home, &["run", &file], &["\n"]).screen);
            let asked = tokio::task::block_in_place(|| {
                tokio::runtime::Handle::current().block_on(async {
                    let asked = watch
                        .wait("it is asked", |event| match &event.body {
                            EventBody::QuestionChanged(question) => Some(question.id),
                            _ => None,
                        })
                        .await;
                    let answer = QuestionAnswer { id: asked, answer: "yes".to_owned() };
                    client.call(&answer).await.unwrap();
                    asked
                })
            });
            (run.join().unwrap(), asked)
        });
        assert!(shown.0.contains(&format!("agent-worker answer {}", shown.1)), "{shown:?}");
        assert!(shown.0.contains("answered q_1: yes"), "{shown:?}");
    });
}
