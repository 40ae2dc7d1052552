//! A caller that costs as little as a caller can: bytes that were made before, over a connection
//! that is kept (HTTP/1.1, RFC 9112). It shares the processors with the daemon, so what it costs
//! itself is missing there.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use agent_worker_protocol::DaemonFile;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Digits of an idempotency key, as many as a UUID has characters.
const KEY: usize = 36;
const HEAD_END: &[u8] = b"\r\n\r\n";

/// What is called again and again.
#[derive(Clone)]
pub struct Call {
    address: (String, u16),
    request: Arc<Vec<u8>>,
    /// Where in the request its idempotency key stands, if it has one
    key: Option<usize>,
}

impl Call {
    /// A request that reads.
    pub fn get(daemon: &DaemonFile, path: &str) -> Self {
        Self::new(daemon, "GET", path, "", "")
    }

    /// A request with a JSON body.
    pub fn post(daemon: &DaemonFile, path: &str, body: &Value) -> Self {
        Self::new(daemon, "POST", path, "", &body.to_string())
    }

    /// The same with an idempotency key, another one each time.
    pub fn post_once(daemon: &DaemonFile, path: &str, body: &Value) -> Self {
        let key = format!("idempotency-key: {}\r\n", "0".repeat(KEY));
        let mut call = Self::new(daemon, "POST", path, &key, &body.to_string());
        call.key = position(&call.request, "0".repeat(KEY).as_bytes());
        call
    }

    fn new(daemon: &DaemonFile, method: &str, path: &str, headers: &str, body: &str) -> Self {
        let DaemonFile { host, port, token, .. } = daemon;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}:{port}\r\nauthorization: Bearer {token}\r\n\
             accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n\
             mcp-protocol-version: 2025-11-25\r\n{headers}content-length: {}\r\n\r\n{body}",
            body.len()
        );
        let request = Arc::new(request.into_bytes());
        Self { address: (host.clone(), *port), request, key: None }
    }

    /// A caller with a connection of its own.
    pub async fn connect(&self) -> Caller {
        let (host, port) = &self.address;
        let stream = TcpStream::connect((host.as_str(), *port)).await.expect("a daemon runs");
        stream.set_nodelay(true).expect("it can be set");
        Caller { stream, request: self.request.to_vec(), key: self.key, answer: Vec::new() }
    }
}

/// One connection.
pub struct Caller {
    stream: TcpStream,
    request: Vec<u8>,
    key: Option<usize>,
    answer: Vec<u8>,
}

impl Caller {
    /// Calls once, and reads the whole answer.
    pub async fn call(&mut self) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        if let Some(at) = self.key {
            let key = format!("{:0KEY$}", NEXT.fetch_add(1, Ordering::Relaxed));
            self.request[at..at + KEY].copy_from_slice(key.as_bytes());
        }
        self.stream.write_all(&self.request).await.expect("it is sent");
        self.answer.clear();
        while !self.is_whole() {
            let read = self.stream.read_buf(&mut self.answer).await.expect("it is read");
            assert!(read > 0, "the daemon hung up");
        }
        let answer = String::from_utf8_lossy(&self.answer);
        let is_done = answer.starts_with("HTTP/1.1 200") && !answer.contains(r#""isError":true"#);
        assert!(is_done, "{answer}");
    }

    /// Whether the body is as long as the head says.
    fn is_whole(&self) -> bool {
        let Some(end) = position(&self.answer, HEAD_END) else { return false };
        let head = str::from_utf8(&self.answer[..end]).expect("a head is ASCII");
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.expect("it tells its length").parse().expect("a number");
        self.answer.len() == end + HEAD_END.len() + length
    }
}

fn position(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}
