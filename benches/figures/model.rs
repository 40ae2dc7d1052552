//! The time from a model's server to the screen of `ask`, and the memory of a worker in a long run.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::Stdio,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use super::{
    home::Home,
    limit::share,
    table::{ms, percentile, print},
};

/// How often it is asked.
const TIMES: usize = 40;

/// Rounds of the long run.
const ROUNDS: usize = 200;

/// What the model begins with, and by which it is known on the screen.
const WORD: &str = "Kestrel";

/// What a server does with one request.
enum Act {
    /// Says a word, tells when, and ends after a moment.
    Say(mpsc::Sender<Instant>),
    /// Has a tool called, or ends.
    Call(bool),
}

fn chunk(delta: &str, finish: &str) -> String {
    format!(
        "data: {{\"id\":\"c\",\"choices\":[{{\"index\":0,\"delta\":{delta},\
         \"finish_reason\":{finish}}}]}}\n\n"
    )
}

fn request(stream: &TcpStream) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.to_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    reader.read_exact(&mut vec![0; length]).ok()
}

const HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

fn answer(mut stream: &TcpStream, act: &Act) -> std::io::Result<()> {
    stream.write_all(HEAD.as_bytes())?;
    match act {
        Act::Say(sent) => {
            // Gives `ask` time to follow the run, as a slow model does.
            thread::park_timeout(Duration::from_millis(100));
            let word = chunk(&format!("{{\"content\":\"{WORD} \"}}"), "null");
            let at = Instant::now();
            stream.write_all(word.as_bytes())?;
            // The receiver may be gone.
            let _ = sent.send(at);
            thread::park_timeout(Duration::from_millis(50));
            stream.write_all(chunk("{\"content\":\"it is.\"}", "\"stop\"").as_bytes())?;
        }
        Act::Call(true) => {
            let call = "{\"content\":\"I look again.\",\"tool_calls\":[{\"index\":0,\"id\":\"a\",\
                        \"function\":{\"name\":\"channel_read\",\"arguments\":\"{}\"}}]}";
            stream.write_all(chunk(call, "\"tool_calls\"").as_bytes())?;
        }
        Act::Call(false) => {
            stream.write_all(chunk("{\"content\":\"Done.\"}", "\"stop\"").as_bytes())?;
        }
    }
    stream.write_all(b"data: [DONE]\n\n")
}

/// A server that does the next thing with each request.
fn serve(mut acts: impl Iterator<Item = Act> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/v1", listener.local_addr().expect("it is bound"));
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(stream) = stream else { return };
            if request(&stream).is_none() {
                continue;
            }
            let Some(act) = acts.next() else { return };
            drop(answer(&stream, &act));
        }
    });
    url
}

fn home(url: &str) -> Home {
    let home = Home::start(&format!("[providers.house]\nbase_url = \"{url}\"\n"));
    let made = home.command("new").args(["alice", "--model", "house/m-1"]).output();
    assert!(made.is_ok_and(|made| made.status.success()), "an agent is made");
    home
}

/// From the word's leaving the server to its being on the screen of `ask`.
fn first_sign() -> Vec<Duration> {
    let (sent, told) = mpsc::channel();
    let home = home(&serve(std::iter::repeat_with(move || Act::Say(sent.clone()))));
    let mut spans = Vec::new();
    for n in 0..TIMES {
        let mut command = home.command("ask");
        command.args(["alice", &format!("number {n}")]);
        let mut ask =
            command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let mut screen = ask.stdout.take().expect("it is piped");
        let mut seen = Vec::new();
        let mut buffer = [0; 256];
        while !seen.windows(WORD.len()).any(|part| part == WORD.as_bytes()) {
            let read = screen.read(&mut buffer).expect("it is read");
            assert!(read > 0, "the answer lacks its word");
            seen.extend_from_slice(&buffer[..read]);
        }
        let at = Instant::now();
        spans.push(at.duration_since(told.recv().expect("it was sent")));
        drop(screen.read_to_end(&mut seen));
        drop(ask.wait());
    }
    spans.sort();
    spans
}

/// The most memory that a worker has taken in a long run, in bytes.
fn long_run() -> u64 {
    let acts = (1..=ROUNDS).map(|n| Act::Call(n < ROUNDS));
    let home = home(&serve(acts));
    let mut command = home.command("serve");
    let mut ask = command.args(["alice", "look"]).stdout(Stdio::null()).spawn().expect("it starts");
    let daemon = home.file().pid;
    let mut most = 0;
    while ask.try_wait().expect("it is there").is_none() {
        most = most.max(children(daemon).map(Home::peak).max().unwrap_or(0));
        thread::park_timeout(Duration::from_millis(5));
    }
    most
}

/// The processes that one has started.
fn children(parent: u32) -> impl Iterator<Item = u32> {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(move |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let behind_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        behind_name.split(' ').nth(1).and_then(|of| of.parse().ok()) == Some(parent)
    })
}

pub fn run() {
    let spans = first_sign();
    let p = |percent| percentile(&spans, percent);
    let within = share("first sign of text, p50", p(50).as_secs_f64() * 1e3, 20.0);
    print(
        "From a model's server to the screen of `ask`",
        &["first sign of text", "p50", "p90", "most", "p50 of 20 ms"],
        &[vec![format!("{TIMES} times"), ms(p(50)), ms(p(90)), ms(p(100)), within]],
    );
    let bytes = long_run();
    #[expect(clippy::cast_precision_loss, reason = "it is a few megabytes")]
    let mib = bytes as f64 / f64::from(1 << 20);
    let within = share("memory of a worker", mib, 40.0);
    print(
        "A worker at the end of a long run",
        &["rounds", "most memory", "of 40 MB"],
        &[vec![ROUNDS.to_string(), format!("{mib:.1} MiB"), within]],
    );
}
