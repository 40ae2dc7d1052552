//! A server for tests: it notes what it is sent and answers what it was told to.

use std::{
    future::Future,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use crate::{Client, Endpoint};

/// Waits, but not for ever.
pub async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), work).await.expect("it takes too long")
}

/// What is done with one connection.
pub enum Reply {
    /// An answer with a JSON body.
    Json(u16, Value),
    /// These bytes, and the end.
    Raw(&'static str),
    /// The request is read and the connection ends.
    Close,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Seen {
    pub line: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

pub struct Fake {
    pub base: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    task: JoinHandle<()>,
}

impl Fake {
    /// One connection after the other gets one reply after the other; the last stands for all
    /// further ones.
    pub async fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            let mut next = 0;
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let reply = &replies[next.min(replies.len() - 1)];
                if serve(stream, reply, &notes).await.is_ok() {
                    next += 1;
                }
            }
        });
        Self { base, seen, task }
    }

    pub fn client(&self) -> Client {
        Client::new(Endpoint { base: self.base.clone(), token: "secret".to_owned() })
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(stream: TcpStream, reply: &Reply, notes: &Mutex<Vec<Seen>>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let request = read(&mut stream).await?;
    notes.lock().unwrap().push(request);
    let bytes = match reply {
        Reply::Close => return Ok(()),
        Reply::Raw(text) => (*text).to_owned(),
        Reply::Json(status, body) => {
            let body = body.to_string();
            let length = body.len();
            format!(
                "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\n\
                 content-length: {length}\r\n\r\n{body}"
            )
        }
    };
    stream.write_all(bytes.as_bytes()).await?;
    stream.shutdown().await
}

async fn read(stream: &mut BufReader<TcpStream>) -> std::io::Result<Seen> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if line.trim().is_empty() {
            break;
        }
        lines.push(line.trim_end().to_owned());
    }
    let headers = lines[1..].iter().filter_map(|line| line.split_once(": "));
    let headers: Vec<_> =
        headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, value)| value.parse().unwrap())];
    stream.read_exact(&mut body).await?;
    Ok(Seen { line: lines.swap_remove(0), headers, body })
}
