//! Questions to an agent that cannot be answered now, and what the asker is told.

use agent_worker_client::AskStream;
use agent_worker_protocol::{Ask, AskEvent, ErrorBody, Mode, Target, WorkflowStop};

use crate::support::{Home, Team, Watch, block_on, mock, within};

fn ask(agent: &str) -> Ask {
    let agent: Target = agent.parse().unwrap();
    Ask::new(agent, "how much?".to_owned())
}

/// A team whose only agent is long at work.
fn busy() -> Team {
    Team::new("team", "@alice go").agent("alice", &mock("- think: hm\n- sleep: 10m"))
}

async fn refusal(stream: &mut AskStream) -> ErrorBody {
    within("the question is refused", async {
        loop {
            match stream.next().await.expect("it goes on").expect("it is read") {
                AskEvent::Error(body) => return body,
                AskEvent::Done(answer) => panic!("{answer:?}"),
                _ => {}
            }
        }
    })
    .await
}

#[test]
fn a_question_that_waits_ends_when_its_workflow_is_stopped() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        busy().start(&home, &client, Mode::Start).await;
        watch.run_works("alice").await;
        let mut stream = AskStream::ask(&client, &ask("alice@team"));
        let queued = within("it is stored", stream.next()).await.unwrap().unwrap();
        assert!(matches!(queued, AskEvent::Queued { .. }), "{queued:?}");
        let key = "@team".parse().unwrap();
        client.call(&WorkflowStop { key, now: true, purge: false, timeout: None }).await.unwrap();
        let refused = refusal(&mut stream).await;
        assert!(refused.message.contains("@team is stopped"), "{refused:?}");
        assert_eq!(refused.hint.as_deref(), Some("agent-worker resume @team"));
    });
}

/// The news of a claim are published before the claim's caller is told.
#[test]
fn an_asker_who_hears_of_the_run_at_once_sees_the_answer_grow() {
    let home = Home::new();
    let mut daemon = home.failing_daemon("store.published=sleep(200)");
    assert!(daemon.first_line().starts_with("ready "));
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "").agent("alice", &mock("- say: forty\n- sleep: 10m"));
        team.start(&home, &client, Mode::Start).await;
        let mut stream = AskStream::ask(&client, &ask("alice@team"));
        let chunk = within("the answer grows", async {
            loop {
                if let AskEvent::Chunk { text, .. } = stream.next().await.unwrap().unwrap() {
                    return text;
                }
            }
        });
        assert_eq!(chunk.await, "forty");
        let key = "@team".parse().unwrap();
        client.call(&WorkflowStop { key, now: true, purge: false, timeout: None }).await.unwrap();
    });
}

#[test]
fn an_agent_is_asked_in_the_scope_of_the_request() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "").agent("alice", &mock("- say: \"forty-two\""));
        team.start(&home, &client, Mode::Start).await;
        let there = client.at("@team".parse().unwrap());
        let answer = within("it is answered", there.serve(&ask("alice"))).await.unwrap();
        assert_eq!(answer.content, "forty-two");
    });
}

#[test]
fn an_asker_who_loses_the_last_daemon_is_told_where_the_answer_will_be() {
    let home = Home::new();
    let daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        busy().start(&home, &client, Mode::Start).await;
        watch.run_works("alice").await;
        let args = ["ask", "alice@team", "how much?", "--json", "--no-start"];
        let mut asking = home.command(&args);
        asking.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut asking = asking.spawn().unwrap();
        let mut line = String::new();
        let mut stdout = std::io::BufReader::new(asking.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut stdout, &mut line).unwrap();
        assert!(line.contains("queued"), "{line}");
        daemon.kill();
        let ended = asking.wait_with_output().unwrap();
        let stderr = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(3), "{stderr}");
        assert!(stderr.contains("the question is stored (msg_2)"), "{stderr}");
        assert!(stderr.contains("agent-worker peek alice@team"), "{stderr}");
    });
}

#[test]
fn nobody_is_asked_in_the_name_of_another() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "")
            .agent("alice", &mock("- say: hi"))
            .agent("bob", &mock("- say: hi"));
        team.start(&home, &client, Mode::Start).await;
        let as_bob = client.acting_as("bob".parse().unwrap());
        let refused = as_bob.serve(&ask("alice@team")).await.unwrap_err().to_string();
        assert!(refused.contains("only the user can do this, and you act as bob"), "{refused}");
    });
}

#[test]
fn an_answer_that_ask_has_printed_is_read_unless_something_older_is_not() {
    let home = Home::new();
    let _daemon = home.daemon();
    let file = Team::new("team", "").agent("alice", &mock("- say: hi")).write(&home);
    home.ok(&["start", &file, "--background"]);
    let unread = || home.json(&["info", "user@team"])["agent"]["unread"].clone();
    home.ok(&["ask", "alice@team", "one?"]);
    assert_eq!(unread(), 0);
    // What these print is for programs.
    home.ok(&["ask", "alice@team", "two?", "--json"]);
    assert_eq!(unread(), 1);
    home.ok(&["serve", "alice@team", "three?"]);
    assert_eq!(unread(), 2);
    home.ok(&["ask", "alice@team", "four?"]);
    assert_eq!(unread(), 3, "the older answers were not shown");
}
