//! §6: the times that a run must keep, and §5: a worker that was given up on changes nothing.

use agent_worker_protocol::{
    DeliveryState, EventBody, FailureClass, Peek, Run, RunCancel, RunState,
};
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use super::stage::{ONCE, Stage, shell};
use crate::support::{Home, Watch, block_on, wait_until};

/// A home whose agents that ask for it never get to their first sign of life: before their program
/// begins, a file is opened that never opens.
fn with_a_stuck_loader(config: &str) -> Home {
    let home = Home::with_config(&format!("{ONCE}{config}"));
    let fifo = home.work().join("never");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    let key = home.run_with(&["keys", "set", "LD_PRELOAD"], &format!("{}\n", fifo.display()));
    assert_eq!(key.code, Some(0), "{key:?}");
    home
}

#[test]
fn a_worker_without_a_first_sign_is_given_up() {
    let mut stage = Stage::at(with_a_stuck_loader("first_sign = \"300ms\"\n"));
    // A configuration that fits into the pipe, and a larger one.
    for script in ["- say: done".to_owned(), format!("- say: \"{}\"", "word ".repeat(50_000))] {
        block_on(async {
            let mut watch = Watch::now(&stage.client()).await;
            let alice = stage.begin_with(&script, ", env: [LD_PRELOAD]").await;
            let outcome = stage.outcome(&mut watch, &alice).await;
            assert_eq!(outcome.run.class, Some(FailureClass::TimedOut), "{outcome:?}");
            assert!(outcome.run.error.as_deref().unwrap().contains("no sign of life"));
            assert_eq!((outcome.mail.state, outcome.mail.attempts), (DeliveryState::Waiting, 1));
            assert_eq!(outcome.left, Vec::<String>::new());
        });
    }
}

#[test]
fn a_worker_without_a_first_sign_can_be_cancelled() {
    let mut stage = Stage::at(with_a_stuck_loader(""));
    let script = format!("- say: \"{}\"", "word ".repeat(50_000));
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        let alice = stage.begin_with(&script, ", env: [LD_PRELOAD]").await;
        let run = watch.wait("a run starts", |event| run_of(&event.body)).await;
        stage.client().call(&RunCancel { id: run.id }).await.unwrap();
        let outcome = stage.outcome(&mut watch, &alice).await;
        assert_eq!(outcome.run.state, RunState::Cancelled, "{outcome:?}");
        assert_eq!((outcome.mail.state, outcome.mail.attempts), (DeliveryState::Held, 0));
    });
}

fn run_of(body: &EventBody) -> Option<Run> {
    match body {
        EventBody::RunChanged(run) => Some((**run).clone()),
        _ => None,
    }
}

#[test]
fn a_worker_that_is_killed_is_noticed_though_its_output_is_held_open() {
    let mut stage = Stage::new(ONCE);
    block_on(async {
        let holder = "setsid sh -c 'exec 3>/proc/$W/fd/1 4>/proc/$W/fd/2; echo ready; sleep 321'";
        let steps = format!(
            "{}\n- fail: crash",
            shell(&format!("export W=$PPID; {holder} & read l <&1; sleep 0.1"))
        );
        let outcome = stage.play(&steps).await;
        assert!(outcome.run.error.as_deref().unwrap().contains("signal 9"), "{outcome:?}");
        assert_eq!((outcome.mail.state, outcome.mail.attempts), (DeliveryState::Waiting, 1));
        assert_eq!(outcome.left, Vec::<String>::new());
    });
}

#[test]
fn a_stranger_kills_a_worker_in_the_middle_of_a_call() {
    let mut stage = Stage::new(&ONCE.replace("1h", "50ms"));
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        let steps = "- call: channel_send\n  with: { message: once }\n".repeat(200);
        let alice = stage.begin(&format!("{steps}- say: done")).await;
        watch
            .wait("a message of hers", |event| match &event.body {
                EventBody::MessageSent { message, .. } if message.content == "once" => Some(()),
                _ => None,
            })
            .await;
        let worker = stage.home.members().beginning("agent-worker worker")[0];
        kill_process(worker, Signal::KILL).unwrap();
        let outcome = stage.outcome(&mut watch, &alice).await;
        assert_eq!(outcome.run.class, Some(FailureClass::Transient), "{outcome:?}");
        let again = stage.outcome(&mut watch, &alice).await;
        assert_eq!(again.run.state, RunState::Succeeded, "{again:?}");
        assert_eq!((again.mail.state, again.mail.attempts), (DeliveryState::Acked, 2));
        let page = Peek { limit: Some(500), ..Peek::default() };
        let channel = stage.client().at(alice.scope.clone().unwrap().to_string().parse().unwrap());
        let said = channel.call(&page).await.unwrap().messages;
        let of = |id| said.iter().filter(|message| message.run == Some(id)).count();
        assert_eq!(of(again.run.id), 201, "and its final text");
        assert!((1..=200).contains(&of(outcome.run.id)), "a call is done or it is not");
    });
}

#[test]
fn a_stopped_worker_is_given_up_and_its_late_calls_change_nothing() {
    let config =
        "heartbeat_lost = \"500ms\"\n".to_owned() + &ONCE.replace("2s", "20s")["[runs]\n".len()..];
    let mut stage = Stage::new(&format!("[runs]\n{config}"));
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        let program = env!("CARGO_BIN_EXE_agent-worker");
        // A child that hears no signal goes on with the run's token when its end is decided.
        let late = format!(
            "trap '' TERM; kill -STOP $PPID; until [ -e go ]; do sleep 0.01; done; \
             {program} send @stage-1 '@alice late' >said 2>&1; echo $? >code; kill -CONT $PPID; sleep 322"
        );
        let alice = stage.begin(&shell(&late)).await;
        watch
            .wait("its end is decided", |event| match &event.body {
                EventBody::RunChanged(run) if run.state == RunState::Ending => Some(()),
                _ => None,
            })
            .await;
        stage.home.write("go", "");
        let outcome = stage.outcome(&mut watch, &alice).await;
        assert_eq!(outcome.run.class, Some(FailureClass::Transient), "{outcome:?}");
        assert!(outcome.run.error.as_deref().unwrap().contains("no heartbeat"), "{outcome:?}");
        assert_eq!((outcome.mail.state, outcome.mail.attempts), (DeliveryState::Waiting, 1));
        assert_eq!(outcome.left, Vec::<String>::new());
        let said = std::fs::read_to_string(stage.home.work().join("said")).unwrap();
        assert!(said.contains("has ended"), "{said}");
        let channel = stage.client().at(alice.scope.clone().unwrap().to_string().parse().unwrap());
        let all = channel.call(&Peek::default()).await.unwrap().messages;
        assert!(all.iter().all(|message| !message.content.contains("late")), "{all:?}");
    });
}

#[test]
fn a_token_outlives_no_run() {
    let mut stage = Stage::new(ONCE);
    block_on(async {
        for (then, class) in
            [("- say: done", None), ("- fail: crash", Some(FailureClass::Transient))]
        {
            let steps = format!("{}\n{then}", shell("echo $AGENT_WORKER_TOKEN >token"));
            let outcome = stage.play(&steps).await;
            assert_eq!(outcome.run.class, class, "{outcome:?}");
            let token = std::fs::read_to_string(stage.home.work().join("token")).unwrap();
            let scope = outcome.run.scope.to_string();
            let mut send = stage.home.command(&["send", &scope, "late"]);
            let said = send.env("AGENT_WORKER_TOKEN", token.trim()).output().unwrap();
            assert!(!said.status.success());
            let words = String::from_utf8_lossy(&said.stderr).into_owned();
            assert!(words.contains("has ended"), "{scope}: {words}");
        }
    });
}

#[test]
fn an_unknown_tool_is_refused_to_a_run_that_has_ended() {
    let mut stage = Stage::new(ONCE);
    block_on(async {
        let steps = format!("{}\n- say: done", shell("echo $AGENT_WORKER_TOKEN >token"));
        stage.play(&steps).await;
        let token = std::fs::read_to_string(stage.home.work().join("token")).unwrap();
        let file = stage.home.daemon_file().expect("a daemon runs");
        let http = agent_worker_http::client().no_proxy().build().unwrap();
        let request = http.post(format!("http://{}:{}/mcp", file.host, file.port));
        let request = request.bearer_auth(token.trim());
        let request = request.header("accept", "application/json, text/event-stream");
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "fly_away" } });
        let answer = request.header("mcp-protocol-version", "2025-11-25").json(&call).send().await;
        let answer: Value = answer.unwrap().json().await.unwrap();
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(answer.to_string().contains("has ended"), "{answer}");
    });
}

/// The worker itself is quiet meanwhile: its own lines would fall into the middle of others.
const STORM: &str = "kill -STOP $PPID; yes '{\"report\":\"heartbeat\"}' >/proc/$PPID/fd/1";

#[test]
fn words_without_work_keep_no_run_alive() {
    // A storm of signs of life, faster than they are read: neither the limits nor the person wait.
    let storm = shell(STORM);
    let mut stage = Stage::new(&format!("{ONCE}total = \"2s\"\n"));
    block_on(async {
        let outcome = stage.play(&storm).await;
        assert_eq!(outcome.run.class, Some(FailureClass::TimedOut), "{outcome:?}");
        assert!(outcome.run.error.as_deref().unwrap().contains("not done within 2s"));
        assert_eq!(outcome.left, Vec::<String>::new());
    });
}

#[test]
fn a_storm_of_words_can_be_cancelled() {
    let storm = shell(STORM);
    let mut stage = Stage::new(ONCE);
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        let alice = stage.begin(&storm).await;
        let run = watch.run_is("alice", "calling shell").await;
        wait_until("the storm blows", || !stage.home.members().beginning("yes").is_empty());
        stage.client().call(&RunCancel { id: run.id }).await.unwrap();
        let outcome = stage.outcome(&mut watch, &alice).await;
        assert_eq!(outcome.run.state, RunState::Cancelled, "{outcome:?}");
        assert_eq!((outcome.mail.state, outcome.mail.attempts), (DeliveryState::Held, 0));
    });
}
