//! A server that says what it is told to say, byte by byte.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// What is written, and what becomes of the connection then.
#[derive(Debug, Clone)]
pub struct Script {
    bytes: Vec<u8>,
    then: Then,
    /// How much time passes before
    late: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Close,
    Wait,
}

/// The server.
pub struct Server {
    /// Where it listens.
    pub url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

/// An answer with this status, these headers and this body.
pub fn answer(status: u16, headers: &str, body: &str) -> Script {
    let long = body.len();
    let head = format!("HTTP/1.1 {status} Said\r\ncontent-length: {long}\r\n{headers}\r\n");
    script([head.as_bytes(), body.as_bytes()].concat(), Then::Close)
}

/// A stream that says this and is whole.
pub fn stream(body: &str) -> Script {
    let mut script = broken_stream(body);
    script.bytes.extend_from_slice(b"0\r\n\r\n");
    script
}

/// A stream that says this and breaks off.
pub fn broken_stream(body: &str) -> Script {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n\
                transfer-encoding: chunked\r\n\r\n";
    let chunk = format!("{:x}\r\n{body}\r\n", body.len());
    let chunk = if body.is_empty() { String::new() } else { chunk };
    script([head.as_bytes(), chunk.as_bytes()].concat(), Then::Close)
}

/// The same, but the connection stays and nothing comes any more.
pub fn silent(script: Script) -> Script {
    Script { then: Then::Wait, ..script }
}

/// Nothing at all.
pub fn nothing() -> Script {
    script(Vec::new(), Then::Wait)
}

/// The same after this time. The clock of the test stands still from then on, and jumps to what is
/// waited for.
pub fn late(script: Script, late: Duration) -> Script {
    Script { late, ..script }
}

fn script(bytes: Vec<u8>, then: Then) -> Script {
    Script { bytes, then, late: Duration::ZERO }
}

impl Server {
    /// Starts a server that answers each connection with the next script.
    pub async fn start(scripts: Vec<Script>) -> Self {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let book = Arc::clone(&requests);
        tokio::spawn(async move {
            let mut kept = Vec::new();
            for script in scripts {
                let (mut socket, _) = listener.accept().await.unwrap();
                let request = read_request(&mut socket).await;
                book.lock().unwrap().push(request);
                if !script.late.is_zero() {
                    tokio::time::pause();
                    tokio::time::advance(script.late).await;
                }
                socket.write_all(&script.bytes).await.unwrap();
                match script.then {
                    Then::Close => drop(socket.shutdown().await),
                    Then::Wait => kept.push(socket),
                }
            }
            std::future::pending::<()>().await;
        });
        Self { url, requests }
    }

    /// The requests so far, head and body.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn read_request(socket: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let read = socket.read(&mut buffer).await.unwrap();
        bytes.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            return text;
        }
    }
}
