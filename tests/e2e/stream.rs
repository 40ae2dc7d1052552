//! The feed and transcripts: nothing is missed, nothing comes twice.

use agent_worker_client::{Client, Feed, FeedFilter, FeedItem, OutputItem, RunOutput};
use agent_worker_protocol::{
    BlockKind, ChannelSend, Cursor, EventBody, EventList, Mode, OutputEvent, RunCancel, RunId,
    RunState, Scope, Target,
};

use crate::support::{Home, Team, Watch, block_on, mock, transcript, wait_until, within};

fn say(text: String) -> ChannelSend {
    ChannelSend { message: text, to: Vec::new(), intent: None, reply_to: None }
}

/// Follows the feed until an event, and gives the places of all.
async fn follow_until(feed: &mut Feed, last: i64) -> Vec<i64> {
    let mut seqs = Vec::new();
    within("the feed comes to its end", async {
        while seqs.last() != Some(&last) {
            if let FeedItem::Event(event) = feed.next().await.expect("goes on").expect("is read") {
                seqs.push(event.seq);
            }
        }
    })
    .await;
    seqs
}

#[test]
fn readers_that_leave_and_come_back_see_every_event_once_and_in_order() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        for n in 0..50 {
            client.call(&say(format!("number {n}"))).await.unwrap();
        }
        let snapshot = client.snapshot().await.unwrap();
        let begin = Cursor { epoch: None, seq: 0 };
        let mut whole = Feed::follow(&client, FeedFilter::default(), Some(begin.clone()));
        let all = follow_until(&mut whole, snapshot.seq).await;
        assert_eq!(all, (1..=snapshot.seq).collect::<Vec<_>>());
        let mut pieces = Vec::new();
        let mut cursor = begin;
        for stop in [7, 8, 30, snapshot.seq] {
            let mut feed = Feed::follow(&client, FeedFilter::default(), Some(cursor));
            pieces.extend(follow_until(&mut feed, stop).await);
            cursor = Cursor { epoch: Some(snapshot.epoch.clone()), seq: stop };
        }
        assert_eq!(pieces, all);
    });
}

#[test]
fn a_filtered_feed_has_its_scope_and_its_kinds_alone() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "@alice go").agent("alice", &mock("- say: done"));
        let scope: Scope = "@team".parse().unwrap();
        let filter =
            FeedFilter { scope: Some(scope.clone()), kinds: vec!["message.sent".to_owned()] };
        let mut feed = Feed::follow(&client, filter, Some(Cursor { epoch: None, seq: 0 }));
        client.call(&say("elsewhere".to_owned())).await.unwrap();
        team.start(&home, &client, Mode::Run).await;
        let mut texts = Vec::new();
        within("both messages", async {
            while texts.len() < 2 {
                if let FeedItem::Event(event) = feed.next().await.unwrap().unwrap() {
                    assert_eq!((&event.scope, event.body.kind()), (&scope, "message.sent"));
                    texts.push(event.seq);
                }
            }
        })
        .await;
    });
}

#[test]
fn a_cursor_of_another_database_is_told_so() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        for cursor in ["0123-1", "99999"] {
            let mut feed =
                Feed::follow(&client, FeedFilter::default(), Some(cursor.parse().unwrap()));
            let reset = within("a reset", async {
                loop {
                    if let FeedItem::Reset(reset) = feed.next().await.unwrap().unwrap() {
                        return reset;
                    }
                }
            })
            .await;
            assert_eq!(reset.epoch, client.snapshot().await.unwrap().epoch);
        }
    });
}

/// What a reader is told first.
async fn greeting(feed: &mut Feed) -> FeedItem {
    loop {
        match feed.next().await.expect("goes on").expect("is read") {
            FeedItem::Connected => {}
            other => return other,
        }
    }
}

#[test]
fn a_cursor_that_is_ahead_is_told_so_to_who_does_not_follow_too() {
    let home = Home::new();
    let _daemon = home.daemon();
    let read = home.run(&["events", "--after", "99999999"]);
    assert_eq!((read.code, read.stdout.as_str()), (Some(0), ""), "{read:?}");
    assert!(read.stderr.contains("the cursor is ahead of the feed"), "{read:?}");
}

#[test]
fn a_cursor_of_another_epoch_is_told_so_to_who_does_not_follow_too() {
    let home = Home::new();
    let _daemon = home.daemon();
    let read = home.run(&["events", "--after", "0123-99999999"]);
    assert_eq!((read.code, read.stdout.as_str()), (Some(0), ""), "{read:?}");
    assert!(read.stderr.contains("events were missed: "), "{read:?}");
}

#[test]
fn a_cursor_whose_events_are_no_longer_kept_is_told_so() {
    let tuned = "[feed]\nkeep = \"1ms\"\nkeep_events = 3\n[runs]\nsweep = \"20ms\"\n";
    let home = Home::with_config(tuned);
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        for n in 0..20 {
            client.call(&say(format!("number {n}"))).await.unwrap();
        }
        let newest = client.snapshot().await.unwrap().seq;
        within("a reset", async {
            loop {
                let begin = Cursor { epoch: None, seq: 1 };
                let mut feed = Feed::follow(&client, FeedFilter::default(), Some(begin));
                match greeting(&mut feed).await {
                    FeedItem::Reset(reset) => return assert_eq!(reset.seq, newest),
                    // It was not swept yet.
                    other => assert!(matches!(other, FeedItem::Hello(_)), "{other:?}"),
                }
            }
        })
        .await;
        home.assert_sound();
    });
}

#[test]
fn a_command_whose_cursor_is_too_old_prints_the_events_that_are_kept() {
    let tuned = "[feed]\nkeep = \"1ms\"\nkeep_events = 10\n[runs]\nsweep = \"20ms\"\n";
    let home = Home::with_config(tuned);
    let _daemon = home.daemon();
    for n in 0..10 {
        home.ok(&["send", "@global", &format!("number {n}")]);
    }
    let newest = EventList { limit: Some(1), ..EventList::default() };
    let log = || block_on(async { home.client().call(&newest).await.unwrap() });
    wait_until("the old events are removed", || {
        let log = log();
        log.newest - log.oldest == 9
    });
    let read = home.run(&["events", "--after", "1"]);
    assert_eq!((read.code, read.stdout.lines().count()), (Some(0), 10), "{read:?}");
    let missed = format!("those from 2 to {} are no longer kept\n", log().oldest - 1);
    assert_eq!(read.stderr, format!("events were missed: {missed}"));
    let until = home.run(&["events", "--after", "1", "--until", "message.sent"]);
    let last = until.stdout.lines().last().unwrap_or_default();
    assert!(until.code == Some(0) && last.contains("number"), "{until:?}");
}

#[test]
fn a_filtered_reader_misses_nothing_while_others_are_busy() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "hello").agent("alice", &mock("- say: done"));
        team.start(&home, &client, Mode::Start).await;
        let scope: Scope = "@team".parse().unwrap();
        let filter =
            FeedFilter { scope: Some(scope.clone()), kinds: vec!["message.sent".to_owned()] };
        let mut feed = Feed::follow(&client, filter, None);
        assert!(matches!(greeting(&mut feed).await, FeedItem::Hello(_)));
        let send = async |target: Target, count: usize| {
            for n in 0..count {
                client.at(target.clone()).call(&say(format!("number {n}"))).await.unwrap();
            }
        };
        let reading = within("all of the team's messages", async {
            let mut count = 0;
            while count < 300 {
                count += usize::from(matches!(feed.next().await, Some(Ok(FeedItem::Event(_)))));
            }
        });
        let other: Target = "@global".parse().unwrap();
        tokio::join!(
            reading,
            send(scope.into(), 300),
            send(other.clone(), 300),
            send(other.clone(), 300),
            send(other, 300)
        );
    });
}

#[test]
fn a_transcript_is_the_same_whenever_one_begins_to_watch() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let script = mock(
            "- think: \"first thought\"\n- call: team_members\n- sleep: 100ms\n\
             - say: \"Ein längerer Text, 一些中文, in pieces.\"\n- think: \"last thought\"",
        );
        let team = Team::new("team", "@alice go").agent("alice", &script);
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        let run = watch.run_works("alice").await;
        let live = transcript(&client, run.id).await;
        let ended = watch.run_ended(|_| true).await;
        assert_eq!(ended.state, RunState::Succeeded);
        let stored = transcript(&client, run.id).await;
        assert_eq!(live, stored);
        let kinds: Vec<_> = stored.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(
            kinds,
            [
                BlockKind::Prompt,
                BlockKind::Thinking,
                BlockKind::ToolCall,
                BlockKind::ToolResult,
                BlockKind::Text,
                BlockKind::Thinking
            ]
        );
        assert_eq!(stored[4].1, "Ein längerer Text, 一些中文, in pieces.");
        assert!(stored[0].1.contains("@alice go"), "the prompt as it was sent");
    });
}

#[test]
fn a_snapshot_and_the_events_after_it_make_the_next_snapshot() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let before = client.snapshot().await.unwrap();
        let team = Team::new("team", "@alice go").agent("alice", &mock("- say: done"));
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        watch.run_ended(|_| true).await;
        let target: Target = "@team".parse().unwrap();
        client.at(target).call(&say("@alice more".to_owned())).await.unwrap();
        watch.run_ended(|_| true).await;
        let after = client.snapshot().await.unwrap();
        assert!(after.seq > before.seq);
        assert_eq!(after.epoch, before.epoch);
        assert_eq!(after.runs.len(), before.runs.len() + 2);
        assert!(after.agents.iter().any(|agent| agent.target.to_string() == "alice@team"));
    });
}

/// What a run says is told before it is stored.
#[test]
fn who_comes_between_what_a_run_says_and_its_storing_is_told_it_too() {
    let home = Home::new();
    let mut daemon = home.failing_daemon("store.done=sleep(200)");
    assert!(daemon.first_line().starts_with("ready "));
    let script = mock("- say: this is it\n- sleep: 10m");
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let team = Team::new("team", "@alice go").agent("alice", &script);
        team.start(&home, &client, Mode::Start).await;
        let run = watch
            .wait("a run begins", |event| match &event.body {
                EventBody::RunChanged(run) => Some(run.id),
                _ => None,
            })
            .await;
        hear(&client, run, "this is it").await;
        hear(&client, run, "this is it").await;
        client.call(&RunCancel { id: run }).await.unwrap();
        watch.run_ended(|_| true).await;
    });
}

/// Follows a transcript until it is told this.
async fn hear(client: &Client, run: RunId, wanted: &str) {
    let mut output = RunOutput::follow(client, run);
    let told = async {
        loop {
            let item = output.next().await.unwrap().unwrap();
            if matches!(item, OutputItem::Output(OutputEvent::Delta { text, .. }) if text == wanted)
            {
                return;
            }
        }
    };
    within("it is told", told).await;
}
