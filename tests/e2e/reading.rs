//! Reading over HTTP in detail: transcripts by range, queues, one message whole.

use agent_worker_client::Client;
use agent_worker_protocol::{
    AgentQueue, AgentShow, BlockKind, BlockRead, BlockState, Cause, ChannelSend, DeliveryState,
    EventList, MessageShow, Mode, Origin, Peek, RunBlocks, RunId, RunState, WaitsFor,
};

use crate::support::{Home, Team, Watch, block_on, mock, transcript};

fn say(text: &str) -> ChannelSend {
    ChannelSend { message: text.to_owned(), to: Vec::new(), intent: None, reply_to: None }
}

fn all_of(id: RunId) -> RunBlocks {
    RunBlocks { id, from: None, last: false, limit: None, max_chars: None, tail_chars: None }
}

/// The stored transcript of a run, put together from pages of one block and parts of seven bytes.
async fn in_pieces(client: &Client, id: RunId) -> Vec<(BlockKind, String)> {
    let (mut blocks, mut from) = (Vec::new(), 0);
    loop {
        let ask = RunBlocks { from: Some(from), limit: Some(1), max_chars: Some(0), ..all_of(id) };
        let page = client.call(&ask).await.unwrap();
        for block in page.blocks {
            let mut text = String::new();
            loop {
                let off = u32::try_from(text.len()).unwrap();
                let ask = BlockRead { id, n: from, off: Some(off), limit: Some(7) };
                let part = client.call(&ask).await.unwrap();
                assert_eq!((part.n, part.len, part.kind), (block.n, block.len, block.kind));
                text.push_str(&part.text);
                if !part.more {
                    break;
                }
            }
            blocks.push((block.kind, text));
        }
        from += 1;
        if !page.more {
            return blocks;
        }
    }
}

#[test]
fn a_transcript_in_pieces_is_the_one_that_was_watched() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let steps = "- think: \"hm, äöü\"\n- call: team_members\n- say: \"done: 漢字\"";
        let team = Team::new("team", "@alice go").agent("alice", &mock(steps));
        team.start(&home, &client, Mode::Run).await;
        let run = watch.run_ended(|run| run.state == RunState::Succeeded).await.id;
        let watched = transcript(&client, run).await;
        assert!(watched.len() >= 5, "{watched:?}");
        assert_eq!(in_pieces(&client, run).await, watched);
        let newest = RunBlocks { last: true, limit: Some(1), ..all_of(run) };
        let newest = client.call(&newest).await.unwrap();
        assert_eq!((newest.blocks.len(), newest.more), (1, true));
        let last = &newest.blocks[0];
        assert_eq!((last.n + 1, last.text.as_str()), (newest.count, "done: 漢字"));
        assert_eq!((last.len, last.state), (12, BlockState::Done));
    });
}

#[test]
fn a_queue_tells_what_mail_waits_for() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let script = mock("- think: hm\n- sleep: 10m");
        let team = Team::new("team", "@alice go").agent("alice", &script);
        team.start(&home, &client, Mode::Start).await;
        let run = watch.run_works("alice").await;
        let client = client.at("@team".parse().unwrap());
        let sent = client.call(&say("@alice and this")).await.unwrap();
        let target = "alice@team".parse().unwrap();
        let queue = client.call(&AgentQueue { target, limit: None }).await.unwrap();
        assert_eq!((queue.queue.len(), queue.more), (1, false));
        let waiting = &queue.queue[0];
        assert_eq!((waiting.position, waiting.message), (1, Some(sent.id)));
        assert_eq!((waiting.reason, waiting.waits_for), (Cause::Mention, WaitsFor::Run));
        assert!(waiting.text.starts_with(&format!("{} is live", run.id)), "{}", waiting.text);
    });
}

#[test]
fn a_message_tells_who_had_it_and_what_came_of_it() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let asks = mock("- call: channel_send\n  with: { message: \"@bob please\" }");
        let team = Team::new("team", "@alice go").agent("alice", &asks);
        let team = team.agent("bob", &mock("- think: \"nothing to say\""));
        team.start(&home, &client, Mode::Start).await;
        let is_of = |name: &'static str| {
            move |run: &agent_worker_protocol::Run| {
                run.agent.name.as_ref().is_some_and(|of| of.as_str() == name)
            }
        };
        let alice = watch.run_ended(is_of("alice")).await;
        let bob = watch.run_ended(is_of("bob")).await;
        let client = client.at("@team".parse().unwrap());
        let said = client.call(&Peek::default()).await.unwrap().messages;
        let asked = said.iter().find(|message| message.content == "@bob please").unwrap();
        let detail = client.call(&MessageShow { id: asked.id }).await.unwrap();
        assert_eq!(detail.message, *asked);
        assert_eq!(detail.root, said[0].id);
        assert_eq!(detail.sent_by.unwrap().id, alice.id);
        let runs: Vec<_> = detail.runs.iter().map(|run| (run.id, run.cause)).collect();
        assert_eq!(runs, [(bob.id, Some(asked.id))]);
        assert_eq!(detail.deliveries.len(), 1);
        assert_eq!(detail.deliveries[0].delivery.state, DeliveryState::Acked);
        assert_eq!(detail.read_by.len(), 1);
        assert_eq!(
            (detail.read_by[0].run, detail.read_by[0].at),
            (Some(bob.id), Some(bob.started_at))
        );
    });
}

#[test]
fn the_log_has_every_event_of_the_feed_once_and_in_order() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::all(&client).await;
        for n in 0..40 {
            client.call(&say(&format!("number {n}"))).await.unwrap();
        }
        let snapshot = client.snapshot().await.unwrap();
        let mut told = Vec::new();
        while told.len() < usize::try_from(snapshot.seq).unwrap() {
            told.push(serde_json::to_value(watch.event().await).unwrap());
        }
        let (mut read, mut before) = (Vec::new(), None);
        loop {
            let ask = EventList { before, limit: Some(7), ..EventList::default() };
            let page = client.call(&ask).await.unwrap();
            assert_eq!((&page.epoch, page.newest), (&snapshot.epoch, snapshot.seq));
            let mut events = page
                .events
                .iter()
                .map(|event| {
                    let mut event = serde_json::to_value(event).unwrap();
                    event.as_object_mut().unwrap().remove("subject");
                    event
                })
                .collect::<Vec<_>>();
            events.append(&mut read);
            read = events;
            before = page.next;
            if !page.more {
                break;
            }
        }
        assert_eq!(read, told);
    });
}

#[test]
fn a_conversation_is_read_on_both_sides_of_any_message() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut ids = Vec::new();
        for n in 0..30 {
            ids.push(client.call(&say(&format!("number {n}"))).await.unwrap().id);
        }
        for (at, first, last) in [(15, 13, 16), (0, 0, 3), (29, 26, 29)] {
            let ask = Peek { around: Some(ids[at]), limit: Some(4), ..Peek::default() };
            let page = client.call(&ask).await.unwrap();
            let read: Vec<_> = page.messages.iter().map(|message| message.id).collect();
            assert_eq!(read, ids[first..=last]);
            assert_eq!((page.more_before, page.more_after), (first > 0, last < 29));
        }
    });
}

#[test]
fn an_agent_tells_where_it_is_from_and_what_it_is_offered() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "").agent("alice", &mock("- say: done"));
        let started = team.start(&home, &client, Mode::Start).await;
        let target = "alice@team".parse().unwrap();
        let detail = client.call(&AgentShow { target }).await.unwrap();
        assert_eq!(detail.origin, Origin::File);
        assert!(Some(detail.created_at) <= started.workflow.started_at);
        assert!(detail.tools.contains(&"channel_send".to_owned()), "{:?}", detail.tools);
        assert_eq!((detail.limits, detail.attempts), (started.workflow.limits, 3));
    });
    let info = home.ok(&["info", "alice@team"]);
    assert!(info.contains("by its workflow file"), "{info}");
}

#[test]
fn what_an_inbox_does_not_show_stays_unread() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let team = Team::new("team", "").agent("alice", &mock("- say: la"));
        team.start(&home, &home.client(), Mode::Start).await;
        for text in ["@user one", "@user two", "@user three"] {
            home.ok(&["send", "@team", text, "--as", "alice"]);
        }
        let part = home.run(&["inbox", "-n", "2"]);
        assert!(part.stdout.contains("two") && part.stdout.contains("three"), "{part:?}");
        assert!(part.stderr.contains("hint: agent-worker inbox @team -n 500\n"), "{part:?}");
        let all = home.run(&["inbox", "@team", "-n", "500"]);
        assert!(all.stdout.contains("one") && all.stdout.contains("three"), "{all:?}");
        assert_eq!(all.stderr, "");
        assert_eq!(home.ok(&["inbox"]), "no unread messages\n");
    });
}

#[test]
fn an_inbox_with_all_tells_read_from_unread_and_is_cut_by_the_unread_alone() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let team = Team::new("team", "").agent("alice", &mock("- say: la"));
        team.start(&home, &home.client(), Mode::Start).await;
        let send = |text| home.ok(&["send", "@team", text, "--as", "alice"]);
        send("@user one");
        send("@user two");
        home.ok(&["inbox"]);
        send("@user three");
        let part = home.run(&["inbox", "@team", "--all", "-n", "2"]);
        assert!(part.stdout.contains("2 messages, 1 unread in @team\n"), "{part:?}");
        assert_eq!(part.stderr, "");
        assert_eq!(home.ok(&["inbox"]), "no unread messages\n");
        send("@user four");
        send("@user five");
        let cut = home.run(&["inbox", "@team", "--all", "-n", "1"]);
        assert!(cut.stderr.contains("stay unread"), "{cut:?}");
        assert!(home.ok(&["inbox"]).contains("2 unread messages in @team\n"));
    });
}

#[test]
fn more_unread_messages_than_a_page_has_are_read_when_all_are_shown() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "").agent("alice", &mock("- say: la"));
        team.start(&home, &client, Mode::Start).await;
        let alice = client.at("@team".parse().unwrap()).acting_as("alice".parse().unwrap());
        alice.call(&say("@user first")).await.unwrap();
        home.ok(&["inbox"]);
        for n in 0..501 {
            alice.call(&say(&format!("@user {n}"))).await.unwrap();
        }
        let cut = home.run(&["inbox", "@team", "-n", "500"]);
        assert!(cut.stderr.contains("stay unread"), "{}", cut.stderr);
        assert!(cut.stderr.contains("hint: agent-worker inbox @team -n 1000\n"), "{}", cut.stderr);
        // The message before these is read.
        let whole = home.run(&["inbox", "@team", "--all", "-n", "501"]);
        assert_eq!(whole.stderr, "");
        assert_eq!(home.ok(&["inbox"]), "no unread messages\n");
    });
}
