//! A wire that breaks: what passes between a client and the daemon, cut again and again.

use std::{
    net::Ipv4Addr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use agent_worker_client::{Client, Endpoint};
use agent_worker_protocol::DaemonFile;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use super::Chance;

/// Lets through so much of what the daemon says over each connection, and then resets it.
pub struct Cutter {
    base: String,
    token: String,
    cuts: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Cutter {
    /// Listens in place of a daemon. Connection number `n` gets `n * least` bytes, as each tells a
    /// transcript from its beginning, and at random up to `more` bytes more.
    pub async fn before(file: &DaemonFile, mut chance: Chance, least: usize, more: usize) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let (port, cuts) = (file.port, Arc::new(AtomicUsize::new(0)));
        let count = cuts.clone();
        let task = tokio::spawn(async move {
            for n in 1.. {
                let (client, _) = listener.accept().await.unwrap();
                let (amount, count) = (n * least + chance.below(more), count.clone());
                tokio::spawn(async move {
                    let daemon = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.unwrap();
                    if !is_passed_whole(client, daemon, amount).await {
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        Self { base, token: file.token.clone(), cuts, task }
    }

    /// Where a command finds it in place of the daemon.
    pub fn file(&self, daemon: DaemonFile) -> DaemonFile {
        let port = self.base.rsplit(':').next().and_then(|port| port.parse().ok());
        DaemonFile { port: port.expect("the address ends with a port"), ..daemon }
    }

    /// A client that speaks to the daemon through it.
    pub fn client(&self) -> Client {
        Client::new(Endpoint { base: self.base.clone(), token: self.token.clone() })
    }

    /// How many connections it has cut.
    pub fn cuts(&self) -> usize {
        self.cuts.load(Ordering::Relaxed)
    }
}

impl Drop for Cutter {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Whether the answer came to its end before it was cut.
async fn is_passed_whole(mut client: TcpStream, mut daemon: TcpStream, amount: usize) -> bool {
    let (mut asks, mut is_told) = client.split();
    let (said, mut is_asked) = daemon.split();
    let mut said = said.take(amount as u64);
    let is_whole = tokio::select! {
        _ = copy(&mut asks, &mut is_asked) => true,
        told = copy(&mut said, &mut is_told) => told.is_ok_and(|told| told < amount as u64),
    };
    if is_whole {
        drop(client.shutdown().await);
    } else {
        client.set_zero_linger().unwrap();
    }
    is_whole
}
