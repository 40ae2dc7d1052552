//! A disk that fails: the waiting client is told of the error, and nothing that was stored before
//! is lost. The daemon ends rather than trust a disk that has failed once (§2).

use agent_worker_client::{Client, ClientError};
use agent_worker_protocol::{ChannelSend, ErrorCode, MessageId, Peek, Target};

use super::{inject::Inject, store_words};
use crate::support::{Home, Ledger, block_on};

fn number(n: usize) -> ChannelSend {
    ChannelSend { message: format!("number {n}"), to: Vec::new(), intent: None, reply_to: None }
}

async fn send(client: &Client, n: usize) -> Result<MessageId, ClientError> {
    client.call_with_key(&number(n), &format!("key {n}")).await.map(|sent| sent.id)
}

/// Lets the calls fail in the middle of sends.
fn fails_at(test: &str, calls: &str) {
    const BEFORE: usize = 5;
    let home = Home::new();
    let mut daemon = home.daemon();
    let Some(inject) = Inject::attach(test, daemon.number(), None) else { return };
    drop(inject);
    let stored: Vec<MessageId> = block_on(async {
        let client = home.client();
        let mut stored = Vec::new();
        for n in 0..BEFORE {
            stored.push(send(&client, n).await.unwrap());
        }
        store_words(&client).await;
        stored
    });
    let inject = Inject::attach(test, daemon.number(), Some((calls, "EIO")));
    let inject = inject.expect("it could before");
    let refused = block_on(async { send(&home.client(), BEFORE).await.unwrap_err() });
    match &refused {
        ClientError::Refused(body) => {
            assert_eq!(body.code, ErrorCode::Internal, "{body:?}");
            assert!(body.message.contains("disk error"), "{body:?}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(daemon.wait().code(), Some(1), "it ends by itself");
    drop(inject);
    assert!(home.daemon_file().is_none(), "it takes back what it said of itself");
    let log = std::fs::read_to_string(home.path().join("daemon.log")).unwrap();
    assert!(log.contains("nothing more is written") && !log.contains("panicked"), "{log}");
    let daemon = home.daemon();
    block_on(async {
        let client = home.client();
        for (n, known) in stored.iter().enumerate() {
            assert_eq!(send(&client, n).await.unwrap(), *known);
        }
        // The daemon could not tell whether the message was stored. After a repeated request it is
        // there once.
        send(&client, BEFORE).await.unwrap();
        let ledger = Ledger::read(&client).await;
        assert_eq!(ledger.messages.len(), BEFORE + 1, "{:?}", ledger.messages);
    });
    daemon.stop();
}

#[test]
fn a_commit_that_cannot_be_flushed_is_no_commit() {
    fails_at("a_commit_that_cannot_be_flushed_is_no_commit", "fsync,fdatasync");
}

#[test]
fn a_commit_that_cannot_be_written_is_no_commit() {
    fails_at("a_commit_that_cannot_be_written_is_no_commit", "pwrite64");
}

#[test]
fn a_commit_over_the_quota_is_refused_and_the_daemon_goes_on() {
    let test = "a_commit_over_the_quota_is_refused_and_the_daemon_goes_on";
    let home = Home::new();
    let daemon = home.daemon();
    block_on(async {
        let client = home.client();
        send(&client, 0).await.unwrap();
        store_words(&client).await;
    });
    let failing = Some(("pwrite64", "EDQUOT"));
    let Some(inject) = Inject::attach(test, daemon.number(), failing) else { return };
    block_on(async {
        let client = home.client();
        let refused = send(&client, 1).await.unwrap_err();
        assert!(refused.is(ErrorCode::StorageFull), "{refused:?}");
        assert_eq!(Ledger::read(&client).await.messages.len(), 1, "reads go on");
        drop(inject);
        send(&client, 1).await.unwrap();
        assert_eq!(Ledger::read(&client).await.messages.len(), 2);
    });
    daemon.stop();
}

#[test]
fn a_page_that_cannot_be_read_is_told_and_the_daemon_goes_on() {
    let home = Home::new();
    let daemon = home.daemon();
    block_on(async {
        for n in 0..200 {
            send(&home.client(), n).await.unwrap();
        }
        // What the writer does of itself comes before the fault, which would end the daemon.
        store_words(&home.client()).await;
    });
    daemon.stop();
    let daemon = home.daemon();
    block_on(store_words(&home.client()));
    let test = "a_page_that_cannot_be_read_is_told_and_the_daemon_goes_on";
    let Some(inject) = Inject::attach(test, daemon.number(), Some(("pread64", "EIO"))) else {
        return;
    };
    block_on(async {
        let channel = home.client().at("@global".parse::<Target>().unwrap());
        let page = Peek { limit: Some(150), ..Peek::default() };
        let refused = channel.call(&page).await.unwrap_err();
        assert!(matches!(&refused, ClientError::Refused(body) if body.code == ErrorCode::Internal));
        drop(inject);
        assert_eq!(channel.call(&page).await.unwrap().messages.len(), 150);
        send(&home.client(), 200).await.unwrap();
    });
    daemon.stop();
}
