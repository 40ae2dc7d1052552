//! A way to the daemon on which every connection breaks after a while.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// Stands before a daemon.
pub struct Breaking {
    port: u16,
    state: Arc<State>,
}

struct State {
    daemon: SocketAddr,
    holds: AtomicBool,
    broken: AtomicU64,
}

/// After how many bytes a connection breaks, one after the other: within the greeting, within an
/// event, within a snapshot, and late enough for one.
const AFTER: [u64; 8] = [90, 700, 30_000, 2_500, 300, 9_000, 5_000, 60_000];

impl Breaking {
    pub async fn before(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let own = listener.local_addr().unwrap().port();
        let state = Arc::new(State {
            daemon: SocketAddr::from(([127, 0, 0, 1], port)),
            holds: AtomicBool::new(false),
            broken: AtomicU64::new(0),
        });
        tokio::spawn(accept(listener, state.clone()));
        Self { port: own, state }
    }

    pub fn base(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// How many connections have broken.
    pub fn broken(&self) -> u64 {
        self.state.broken.load(Ordering::SeqCst)
    }

    /// Connections that are made from here on do not break.
    pub fn hold(&self) {
        self.state.holds.store(true, Ordering::SeqCst);
    }
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    for after in AFTER.into_iter().cycle() {
        let Ok((client, _)) = listener.accept().await else { return };
        let after = if state.holds.load(Ordering::SeqCst) { u64::MAX } else { after };
        tokio::spawn(pass_on(client, state.clone(), after));
    }
}

/// Passes on what both sides send, but at most `after` bytes of the daemon's.
async fn pass_on(client: TcpStream, state: Arc<State>, after: u64) {
    let Ok(daemon) = TcpStream::connect(state.daemon).await else { return };
    let (mut from_client, mut to_client) = client.into_split();
    let (from_daemon, mut to_daemon) = daemon.into_split();
    let asking = tokio::spawn(async move {
        drop(tokio::io::copy(&mut from_client, &mut to_daemon).await);
        drop(to_daemon.shutdown().await);
    });
    let mut limited = from_daemon.take(after);
    drop(tokio::io::copy(&mut limited, &mut to_client).await);
    if limited.limit() == 0 {
        state.broken.fetch_add(1, Ordering::SeqCst);
    }
    asking.abort();
}
