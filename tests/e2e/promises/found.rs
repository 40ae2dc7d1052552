//! A message that was acknowledged is found at once and once, also after `kill -9`.

use agent_worker_protocol::{ChannelSend, Hit, Search};

use crate::support::{Home, block_on};

/// How often the daemon is killed, and how many messages it acknowledges before.
const KILLS: usize = 5;
const MESSAGES: usize = 40;

async fn look(home: &Home, text: &str) -> Vec<Hit> {
    let search = Search { text: text.to_owned(), limit: Some(100), next: None };
    home.client().call(&search).await.unwrap().hits
}

#[test]
fn what_was_acknowledged_before_a_kill_is_found_once_after_it() {
    let home = Home::new();
    for kill in 0..KILLS {
        let daemon = home.daemon();
        block_on(async {
            let client = home.client();
            for n in 0..MESSAGES {
                let message = format!("needle{kill} word{n}");
                let send = ChannelSend { message, to: Vec::new(), intent: None, reply_to: None };
                client.call(&send).await.unwrap();
            }
            // In its own daemon the newest is found although its words are not stored yet.
            let newest = format!("needle{kill} word{}", MESSAGES - 1);
            assert_eq!(look(&home, &newest).await.len(), 1, "{newest}");
            let send = ChannelSend {
                message: format!("needle{kill} last"),
                to: Vec::new(),
                intent: None,
                reply_to: None,
            };
            client.call(&send).await.unwrap();
        });
        daemon.kill();
    }
    let daemon = home.daemon();
    block_on(async {
        for kill in 0..KILLS {
            let found = look(&home, &format!("needle{kill}")).await;
            assert_eq!(found.len(), MESSAGES + 1, "of daemon {kill}");
        }
    });
    daemon.stop();
    home.assert_sound();
}
