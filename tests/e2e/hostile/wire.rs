//! HTTP as bytes, so that a test can send what no client would.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use serde_json::Value;

use crate::support::{DEADLINE, Home, Running};

/// A daemon of a test's own, spoken to through bare sockets. In requests `$TOKEN` and `$PORT` are
/// the operator's token and the daemon's port.
pub struct Door {
    pub home: Home,
    pub token: String,
    port: u16,
    daemon: Running,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

/// A request that is right until a test makes it wrong.
#[derive(Debug, Clone)]
pub struct Ask {
    method: String,
    target: String,
    headers: Vec<String>,
    body: Vec<u8>,
}

impl Door {
    /// One whose daemon waits for bodies however slow the machine is.
    pub fn open() -> Self {
        Self::open_in(Home::with_config("[http]\nbody_timeout = \"10m\"\n"))
    }

    pub fn open_in(home: Home) -> Self {
        let daemon = home.daemon();
        let file = home.daemon_file().expect("a daemon runs");
        Self { token: file.token, port: file.port, home, daemon }
    }

    /// Has the daemon end as it should.
    pub fn stop(self) -> Home {
        self.daemon.stop();
        self.home
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the daemon listens");
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream.set_write_timeout(Some(DEADLINE)).unwrap();
        stream
    }

    fn filled(&self, bytes: &[u8]) -> Vec<u8> {
        // Bytes that are not text are in a body, behind the head.
        let text = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        let rest = &bytes[text.len()..];
        let text = text.replace("$TOKEN", &self.token).replace("$PORT", &self.port.to_string());
        [text.as_bytes(), rest].concat()
    }

    /// Sends a request and gives the status that comes back, whatever comes behind it.
    pub fn status(&self, ask: &Ask) -> u16 {
        self.begin(ask).0
    }

    /// Sends a request and does not wait for its answer.
    pub fn send_only(&self, ask: &Ask) -> TcpStream {
        let mut stream = self.connect();
        stream.write_all(&self.filled(&ask.bytes())).unwrap();
        stream
    }

    /// Sends a request and gives the status, and the connection as it goes on.
    pub fn begin(&self, ask: &Ask) -> (u16, TcpStream) {
        let mut stream = self.send_only(ask);
        let mut head = [0; "HTTP/1.1 200".len()];
        stream.read_exact(&mut head).unwrap_or_else(|error| panic!("{ask:?}: {error}"));
        let head = String::from_utf8_lossy(&head);
        (head[9..].parse().unwrap(), stream)
    }

    /// Sends bytes and gives all answers until the daemon closes the connection.
    pub fn send(&self, bytes: impl AsRef<[u8]>) -> Vec<Answer> {
        let mut stream = self.connect();
        stream.write_all(&self.filled(bytes.as_ref())).expect("the daemon hears it out");
        answers(&read_to_end(&mut stream))
    }

    /// Sends a request and gives its answer.
    pub fn ask(&self, ask: &Ask) -> Answer {
        let mut answers = self.send(ask.bytes());
        assert_eq!(answers.len(), 1, "{ask:?}: {answers:?}");
        answers.remove(0)
    }

    /// Asserts that the daemon is there, answers at once, and broke nowhere.
    pub fn assert_calm(&self) {
        let answer = self.ask(&Ask::get("/status"));
        assert_eq!(answer.status, 200, "{answer:?}");
        let log = std::fs::read_to_string(self.home.path().join("daemon.log")).unwrap();
        let broken = |line: &&str| line.contains("panicked") || line.contains(" ERROR ");
        assert_eq!(log.lines().find(broken), None, "{log}");
    }
}

/// All that comes until the other side has closed, as it should: with no reset.
pub fn read_to_end(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return bytes,
            Ok(read) => bytes.extend_from_slice(&buffer[..read]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                panic!("not closed within {DEADLINE:?}: {}", String::from_utf8_lossy(&bytes))
            }
            Err(error) => panic!("{error}: {}", String::from_utf8_lossy(&bytes)),
        }
    }
}

/// The answers in what came over one connection.
pub fn answers(bytes: &[u8]) -> Vec<Answer> {
    let text = String::from_utf8_lossy(bytes);
    let mut rest = text.as_ref();
    let mut found = Vec::new();
    while let Some((head, behind)) = rest.split_once("\r\n\r\n") {
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let head = head.to_lowercase();
        let length = head.split("\r\n").find_map(|line| line.strip_prefix("content-length: "));
        let length = length.map_or(behind.len(), |length| length.parse().unwrap());
        let end = length.min(behind.len());
        found.push(Answer { status, head, body: behind[..end].to_owned() });
        rest = &behind[end..];
    }
    found
}

impl Answer {
    pub fn status_is(&self, status: u16) {
        assert_eq!(self.status, status, "{self:?}");
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts that it is a refusal in the one shape, and gives its message.
    pub fn refusal(&self, status: u16, code: &str) -> String {
        assert_eq!(self.status, status, "{self:?}");
        assert!(self.head.contains("content-type: application/json"), "{self:?}");
        let error = self.json()["error"].clone();
        assert_eq!(error["code"], code, "{self:?}");
        assert!(error.as_object().unwrap().contains_key("hint"), "{self:?}");
        error["message"].as_str().expect("a message").to_owned()
    }
}

impl Ask {
    pub fn new(method: &str, target: &str) -> Self {
        let headers =
            ["Host: 127.0.0.1:$PORT", "Authorization: Bearer $TOKEN", "Connection: close"];
        let headers = headers.map(ToOwned::to_owned).to_vec();
        Self { method: method.to_owned(), target: target.to_owned(), headers, body: Vec::new() }
    }

    pub fn get(target: &str) -> Self {
        Self::new("GET", target)
    }

    /// A post with a JSON body.
    pub fn post(target: &str, body: impl AsRef<[u8]>) -> Self {
        Self::new("POST", target).json(body)
    }

    pub fn json(self, body: impl AsRef<[u8]>) -> Self {
        self.with("Content-Type: application/json").body(body)
    }

    pub fn body(self, body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref().to_owned();
        Self { body: body.clone(), ..self }.with(&format!("Content-Length: {}", body.len()))
    }

    /// With one more header.
    pub fn with(mut self, header: &str) -> Self {
        self.headers.push(header.to_owned());
        self
    }

    /// Without a header.
    pub fn without(mut self, name: &str) -> Self {
        let begin = format!("{}:", name.to_lowercase());
        self.headers.retain(|header| !header.to_lowercase().starts_with(&begin));
        self
    }

    /// With a header in place of its like.
    pub fn instead(self, header: &str) -> Self {
        let name = header.split(':').next().unwrap_or_default();
        self.without(name).with(header)
    }

    /// With another token than the operator's.
    pub fn token(self, token: &str) -> Self {
        self.instead(&format!("Authorization: Bearer {token}"))
    }

    pub fn bytes(&self) -> Vec<u8> {
        let Self { method, target, headers, body } = self;
        let mut bytes = format!("{method} {target} HTTP/1.1\r\n").into_bytes();
        for header in headers {
            bytes.extend_from_slice(format!("{header}\r\n").as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(body);
        bytes
    }
}
