//! Mail under way: what comes while its recipient works, what comes at once, what comes often.

use std::collections::BTreeSet;

use agent_worker_protocol::{
    ChannelSend, DeliveryState, EventBody, Inbox, MessageId, MessageType, Mode, Peek, RunList,
    RunState, Target, WorkflowState,
};

use crate::support::{Home, Team, Watch, block_on, mock, within};

fn say(text: &str) -> ChannelSend {
    ChannelSend { message: text.to_owned(), to: Vec::new(), intent: None, reply_to: None }
}

fn target(text: &str) -> Target {
    text.parse().unwrap()
}

#[test]
fn a_mention_during_a_run_starts_the_next_run_when_that_ends() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let script =
            "- do: [{ think: hm }, { sleep: 300ms }, { say: first }]\n- do: [{ say: second }]\n";
        let team = Team::new("team", "@alice go").agent("alice", script);
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        watch.run_works("alice").await;
        let sent = client.at(target("@team")).call(&say("@alice and this")).await.unwrap();
        let first = watch.run_ended(|_| true).await;
        let second = watch.run_ended(|_| true).await;
        assert_eq!(second.cause, Some(sent.id));
        let idle = second.started_at.since(first.ended_at.unwrap());
        assert!(idle.as_secs() < 5, "{idle:?}: it was started by the end of the first");
        watch.workflow(WorkflowState::Completed).await;
    });
}

#[test]
fn a_thousand_mentions_reach_a_working_agent_and_none_is_lost() {
    let home = Home::with_config("[guard]\nruns = 100000\n");
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let script = mock("- sleep: 5ms\n- say: \"done\"");
        let team = Team::new("team", "").agent("alice", &script);
        team.start(&home, &client, Mode::Start).await;
        let mut watch = Watch::now(&client).await;
        let channel = client.at(target("@team"));
        let senders = (0..20).map(|sender| {
            let channel = channel.clone();
            async move {
                let mut sent = Vec::new();
                for n in 0..50 {
                    let text = format!("@alice sender {sender} says {n}");
                    sent.push(channel.call(&say(&text)).await.unwrap().id);
                }
                sent
            }
        });
        let sent: BTreeSet<MessageId> =
            futures::future::join_all(senders).await.into_iter().flatten().collect();
        assert_eq!(sent.len(), 1000);
        let mut acked = BTreeSet::new();
        while acked.len() < sent.len() {
            let id = watch
                .wait("every mention is acked", |event| match &event.body {
                    EventBody::DeliveryChanged(delivery)
                        if delivery.state == DeliveryState::Acked =>
                    {
                        Some(delivery.message)
                    }
                    _ => None,
                })
                .await;
            assert!(acked.insert(id), "{id} is acked once");
        }
        assert_eq!(acked, sent);
        let runs =
            client.call(&RunList { limit: Some(500), ..RunList::default() }).await.unwrap().runs;
        assert!(runs.iter().all(|run| run.state == RunState::Succeeded));
        assert!(runs.len() > 20, "many runs, one at a time: {}", runs.len());
    });
}

#[test]
fn an_agent_handles_what_its_team_sends_it_at_the_same_moment() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let ask = mock("- call: channel_send\n  with: { message: \"@zoe one from me\" }");
        let mut team = Team::new("team", "@all go");
        for name in ["anna", "bert", "carl", "dora"] {
            team = team.agent(name, &ask);
        }
        let team = team.agent("zoe", &mock("- say: \"\""));
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        watch.workflow(WorkflowState::Completed).await;
        let inbox = Inbox { target: target("zoe@team"), limit: Some(500), all: true, before: None };
        let mail = client.call(&inbox).await.unwrap().messages;
        assert_eq!(mail.len(), 5, "the kickoff, and one from each");
        assert!(mail.iter().all(|item| item.delivery.state == DeliveryState::Acked));
        let channel = client.at(target("@team")).call(&Peek::default()).await.unwrap();
        let said = channel.messages.iter().filter(|message| message.kind == MessageType::Message);
        assert_eq!(said.count(), 5);
    });
}

#[test]
fn a_clock_that_jumps_and_an_unknown_ack_lose_nothing() {
    // The clock itself is played with in the daemon's own tests; here nothing is hidden by an
    // acknowledgement that names what it should not.
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let script = "- do:\n    - call: my_inbox_ack\n      with: { until: msg_999999 }\n    \
                      - call: my_inbox_ack\n      with: { until: nonsense }\n    - say: done\n";
        let team = Team::new("team", "@alice go").agent("alice", script);
        let mut watch = Watch::now(&client).await;
        let started = team.start(&home, &client, Mode::Run).await;
        let run = watch.run_ended(|_| true).await;
        assert_eq!(run.state, RunState::Succeeded);
        within("it ends", watch.workflow(WorkflowState::Completed)).await;
        let inbox = Inbox { target: target("alice@team"), limit: None, all: true, before: None };
        let mail = client.call(&inbox).await.unwrap().messages;
        assert_eq!(mail.len(), 1, "{started:?}");
        assert_eq!(mail[0].delivery.state, DeliveryState::Acked);
    });
}
