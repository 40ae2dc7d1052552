//! The feed as bytes: a reader that keeps nothing but the ids, and leaves when a test says so.

use std::net::{Ipv4Addr, SocketAddr};

use agent_worker_protocol::DaemonFile;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};

/// One connection to `GET /events`, as far as it was read.
pub struct Raw {
    stream: TcpStream,
    /// What came and is not taken apart yet
    bytes: Vec<u8>,
    /// The part of it behind the head that came in whole chunks
    text: String,
    has_head: bool,
    /// How many bytes came
    pub count: usize,
}

/// One event as it came.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Line {
    pub id: Option<String>,
    pub name: String,
    pub data: String,
}

impl Raw {
    /// Asks for what comes after an event, or for everything. `window` is what the system keeps
    /// for this side, where it is not to be the usual.
    pub async fn open(file: &DaemonFile, after: Option<&str>, window: Option<u32>) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        if let Some(bytes) = window {
            socket.set_recv_buffer_size(bytes).unwrap();
        }
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, file.port));
        let mut stream = socket.connect(address).await.expect("the daemon listens");
        let (query, last) = match after {
            Some(id) => ("", format!("Last-Event-ID: {id}\r\n")),
            None => ("?after=0", String::new()),
        };
        let head = format!(
            "GET /events{query} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\
             {last}\r\n",
            file.port, file.token
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        Self { stream, bytes: Vec::new(), text: String::new(), has_head: false, count: 0 }
    }

    /// The next event, or none when no more than `most` bytes may come over this connection. Safe
    /// to be dropped and called again.
    pub async fn next(&mut self, most: usize) -> Option<Line> {
        loop {
            if let Some((line, rest)) = self.text.split_once("\n\n") {
                let (line, rest) = (Line::of(line), rest.to_owned());
                self.text = rest;
                return Some(line);
            }
            let mut buffer = vec![0; (most - self.count).min(64 * 1024)];
            if buffer.is_empty() {
                return None;
            }
            let read = self.stream.read(&mut buffer).await.expect("it is not cut from there");
            assert!(read > 0, "the daemon has ended the feed: {}", self.text);
            self.count += read;
            self.bytes.extend_from_slice(&buffer[..read]);
            self.take_apart();
        }
    }

    /// Resets the connection, as the end of a crashed process does.
    pub fn reset(self) {
        self.stream.set_zero_linger().unwrap();
    }

    /// Takes the chunks that are whole.
    fn take_apart(&mut self) {
        if !self.has_head {
            let Some(end) = find(&self.bytes, b"\r\n\r\n") else { return };
            let head = String::from_utf8(self.bytes.drain(..end + 4).collect()).unwrap();
            assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
            assert!(head.contains("transfer-encoding: chunked"), "{head}");
            self.has_head = true;
        }
        while let Some(end) = find(&self.bytes, b"\r\n") {
            let size = str::from_utf8(&self.bytes[..end]).unwrap();
            let size = usize::from_str_radix(size, 16).unwrap();
            let (from, to) = (end + 2, end + 2 + size);
            if self.bytes.len() < to + 2 {
                return;
            }
            self.text.push_str(str::from_utf8(&self.bytes[from..to]).unwrap());
            self.bytes.drain(..to + 2);
        }
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|part| part == what)
}

impl Line {
    fn of(text: &str) -> Self {
        let mut line = Self::default();
        for (field, value) in text.lines().filter_map(|part| part.split_once(": ")) {
            match field {
                "id" => line.id = Some(value.to_owned()),
                "event" => value.clone_into(&mut line.name),
                "data" => value.clone_into(&mut line.data),
                other => panic!("`{other}` in {text}"),
            }
        }
        line
    }
}
