//! Connections that are reset in the middle of an answer: a client that follows goes on, without
//! loss and without doubling (§§6, 12).

use agent_worker_client::{AskStream, Feed, FeedFilter, FeedItem};
use agent_worker_protocol::{
    Ask, AskEvent, BlockKind, ChannelSend, Cursor, EventBody, Mode, RunState,
};

use crate::support::{Chance, Cutter, Home, Team, Watch, block_on, mock, transcript, within};

const SEED: u64 = 7;

/// A text of many characters of more than one byte.
fn words(begin: &str) -> String {
    let words: Vec<_> = (0..150).map(|n| format!("{begin}-wörd-{n}-字")).collect();
    words.join(" ")
}

/// An agent that speaks for a while, and does things in between.
fn talkative() -> Team {
    let speech = |begin: &str| format!("- say: \"{}\"\n- sleep: 300ms\n", words(begin));
    let script = format!(
        "- think: \"{}\"\n{}- call: team_members\n{}- call: channel_read\n{}",
        words("thought"),
        speech("first"),
        speech("second"),
        speech("third")
    );
    Team::new("team", "").agent("alice", &mock(&script))
}

#[test]
fn a_feed_that_is_reset_goes_on_where_it_was() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        for n in 0..60 {
            let message = format!("number {n} {}", "ä".repeat(200));
            client
                .call(&ChannelSend { message, to: Vec::new(), intent: None, reply_to: None })
                .await
                .unwrap();
        }
        let newest = client.snapshot().await.unwrap().seq;
        let file = home.daemon_file().unwrap();
        let cutter = Cutter::before(&file, Chance::new(SEED), 2_000, 10_000).await;
        let begin = Some(Cursor { epoch: None, seq: 0 });
        let mut feed = Feed::follow(&cutter.client(), FeedFilter::default(), begin);
        let mut seqs = Vec::new();
        within("the feed comes to its end", async {
            while seqs.last() != Some(&newest) {
                match feed.next().await.unwrap().unwrap() {
                    FeedItem::Event(event) => seqs.push(event.seq),
                    FeedItem::Reset(reset) => panic!("{reset:?}"),
                    _ => {}
                }
            }
        })
        .await;
        assert_eq!(seqs, (1..=newest).collect::<Vec<_>>());
        assert!(cutter.cuts() > 2, "{}", cutter.cuts());
    });
}

#[test]
fn a_transcript_that_is_reset_while_it_grows_is_the_one_that_is_stored() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        talkative().start(&home, &client, Mode::Start).await;
        let to_alice = "alice@team".parse().unwrap();
        let message = "go".to_owned();
        let go = ChannelSend { message, to: Vec::new(), intent: None, reply_to: None };
        client.at(to_alice).call(&go).await.unwrap();
        let begun = watch.wait("a run begins", |event| match &event.body {
            EventBody::RunChanged(run) => Some(run.id),
            _ => None,
        });
        let run = begun.await;
        let file = home.daemon_file().unwrap();
        let cutter = Cutter::before(&file, Chance::new(SEED), 2_500, 2_000).await;
        let seen = transcript(&cutter.client(), run).await;
        assert_eq!(watch.run_ended(|_| true).await.state, RunState::Succeeded);
        assert_eq!(seen, transcript(&client, run).await);
        assert!(seen.iter().any(|(_, text)| *text == words("third")), "{seen:?}");
        assert!(cutter.cuts() > 2, "{}", cutter.cuts());
    });
}

#[test]
fn an_answer_that_is_reset_while_it_grows_is_told_whole_and_once() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        talkative().start(&home, &client, Mode::Start).await;
        let file = home.daemon_file().unwrap();
        let cutter = Cutter::before(&file, Chance::new(SEED), 2_500, 2_000).await;
        let agent = "alice@team".parse().unwrap();
        let ask = Ask::new(agent, "how much?".to_owned());
        let mut stream = AskStream::ask(&cutter.client(), &ask);
        let (mut said, mut thought, mut others) = (String::new(), String::new(), Vec::new());
        let answer = within("it is answered", async {
            loop {
                match stream.next().await.expect("it goes on").expect("it is read") {
                    AskEvent::Chunk { text, .. } => said.push_str(&text),
                    AskEvent::Thinking { text } => thought.push_str(&text),
                    AskEvent::Tool { name, .. } => others.push(format!("calls {name}")),
                    AskEvent::ToolResult { name, .. } => others.push(format!("has {name}")),
                    AskEvent::Queued { message, .. } => others.push(message.to_string()),
                    AskEvent::Started { run } => others.push(run.to_string()),
                    AskEvent::Notice { text } => panic!("{text}"),
                    AskEvent::Error(body) => panic!("{body:?}"),
                    AskEvent::Done(answer) => return answer,
                }
            }
        })
        .await;
        let wanted = [
            "msg_1",
            "run_1",
            "calls team_members",
            "has team_members",
            "calls channel_read",
            "has channel_read",
        ];
        assert_eq!(others, wanted);
        assert_eq!(thought, words("thought"));
        assert_eq!(said, [words("first"), words("second"), words("third")].join("\n"));
        assert_eq!(answer.content, said);
        let stored = transcript(&client, answer.run).await;
        let texts = stored.iter().filter(|(kind, _)| *kind == BlockKind::Text);
        assert_eq!(texts.count(), 3, "it was asked once");
        assert!(cutter.cuts() > 2, "{}", cutter.cuts());
    });
}

#[test]
fn the_events_of_one_workflow_come_without_those_of_all_others() {
    let home = Home::new();
    let _daemon = home.daemon();
    let team = Team::new("quiet", "hello").agent("alice", &mock("- say: done"));
    home.ok(&["start", &team.write(&home), "-d", "-q"]);
    home.ok(&["send", "@quiet", "the only one"]);
    let loud = "loud ".repeat(1_000);
    block_on(async {
        let client = home.client();
        for _ in 0..100 {
            let message = loud.clone();
            client
                .call(&ChannelSend { message, to: Vec::new(), intent: None, reply_to: None })
                .await
                .unwrap();
        }
        let file = home.daemon_file().unwrap();
        for args in [&["@quiet"][..], &["--kind", "workflow.changed"], &["@quiet", "--after", "1"]]
        {
            // The messages of the other workflow are half a megabyte.
            let cutter = Cutter::before(&file, Chance::new(SEED), 50_000, 1).await;
            home.lead_to(&cutter.file(file.clone()));
            let told = home.ok(&[&["events"], args].concat());
            assert!(told.contains("@quiet") && !told.contains("loud"), "{args:?}: {told}");
            assert_eq!(cutter.cuts(), 0, "{args:?}");
        }
    });
}
