//! Clients that come in and take their time, and crowds of them (`semantics.md` §14: headers
//! within 5 s; the bounds are settings of `[http]`).

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use agent_worker_protocol::Mode;

use super::wire::{Ask, Door, answers, read_to_end};
use crate::support::{Home, Team, Watch, block_on, mock, wait_until};

const HASTY: &str = "[http]\nheader_timeout = \"300ms\"\nbody_timeout = \"300ms\"\n";

/// Sends a byte now and then until the daemon has had enough, and gives what it said.
fn trickle(stream: &mut TcpStream, byte: u8) -> Vec<u8> {
    let mut heard = Vec::new();
    stream.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
    wait_until("the daemon has had enough", || {
        let mut buffer = [0; 4096];
        match stream.read(&mut buffer) {
            Ok(0) => return true,
            Ok(read) => heard.extend_from_slice(&buffer[..read]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => return true,
        }
        stream.write_all(&[byte]).is_err()
    });
    heard
}

#[test]
fn headers_that_trickle_are_not_waited_for() {
    let door = Door::open_in(Home::with_config(HASTY));
    for begun in
        ["", "G", "GET /health HTTP/1.1\r\n", "GET /health HTTP/1.1\r\nHost: localhost\r\nX: "]
    {
        let mut stream = door.connect();
        stream.write_all(begun.as_bytes()).unwrap();
        let heard = answers(&trickle(&mut stream, b'a'));
        assert!(heard.iter().all(|answer| answer.status >= 400), "{begun}: {heard:?}");
    }
    // Nor is a client that says nothing at all, before its first request or after it.
    assert_eq!(read_to_end(&mut door.connect()), b"");
    let keep = Ask::get("/health").without("Connection");
    let (status, mut stream) = door.begin(&keep);
    assert_eq!(status, 200);
    let rest = read_to_end(&mut stream);
    assert!(rest.ends_with(b"}"), "{}", String::from_utf8_lossy(&rest));
    door.assert_calm();
}

#[test]
fn a_body_that_trickles_is_not_waited_for() {
    let door = Door::open_in(Home::with_config(HASTY));
    for path in ["/send", "/mcp", "/shutdown", "/workflows", "/run"] {
        for length in ["Content-Length: 100000", "Transfer-Encoding: chunked"] {
            let ask = Ask::new("POST", path).with("Content-Type: application/json").with(length);
            let mut stream = door.send_only(&ask);
            if length.contains("chunked") {
                stream.write_all(b"fffff\r\n").unwrap();
            }
            let heard = answers(&trickle(&mut stream, b' '));
            assert_eq!(heard.len(), 1, "{path}: {heard:?}");
            heard[0].refusal(408, "too_slow");
        }
    }
    door.assert_calm();
}

#[test]
fn who_may_not_come_in_is_told_before_the_body_comes() {
    let door = Door::open();
    for ask in [
        Ask::new("POST", "/send").without("Authorization"),
        Ask::new("POST", "/mcp").instead("Host: evil.example"),
        Ask::new("POST", "/send").with("Content-Type: text/plain"),
        Ask::new("POST", "/nothing"),
    ] {
        let mut stream = door.send_only(&ask.with("Content-Length: 1000000000"));
        let heard = answers(&read_to_end(&mut stream));
        assert!(matches!(heard[0].status, 401 | 403 | 404 | 415), "{heard:?}");
    }
    door.assert_calm();
}

/// The memory that a process has, in MiB.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

#[test]
fn five_hundred_that_say_nothing_keep_nobody_waiting() {
    // They are not sent away by their age.
    let door = Door::open_in(Home::with_config("[http]\nheader_timeout = \"10m\"\n"));
    let pid = door.home.daemon_file().unwrap().pid;
    let mut crowd: Vec<_> = (0..250).map(|_| door.connect()).collect();
    for _ in 0..250 {
        let mut stream = door.connect();
        let half = format!("GET /agents HTTP/1.1\r\nHost: localhost\r\nX: {}", "x".repeat(10_000));
        stream.write_all(half.as_bytes()).unwrap();
        crowd.push(stream);
    }
    door.home.ok(&["list"]);
    door.home.ok(&["send", "@global", "hello"]);
    assert!(resident(pid) < 200, "{} MiB", resident(pid));
    drop(crowd);
    door.assert_calm();
}

#[test]
fn beyond_the_bound_the_idle_make_room_and_those_at_work_stay() {
    let door = Door::open_in(Home::with_config(
        "[http]\nconnections = 8\nstreams = 100\nheader_timeout = \"10m\"\n",
    ));
    let mut idle: Vec<_> = (0..8).map(|_| door.connect()).collect();
    assert_eq!(door.status(&Ask::get("/agents")), 200);
    assert_eq!(read_to_end(&mut idle[0]), b"", "the first of the idle has made room");
    let at_work: Vec<_> = (0..8).map(|_| door.begin(&Ask::get("/events"))).collect();
    assert!(at_work.iter().all(|(status, _)| *status == 200));
    for stream in &mut idle {
        assert_eq!(read_to_end(stream), b"");
    }
    door.ask(&Ask::get("/agents")).refusal(503, "busy");
    let refused = door.home.run(&["list", "--no-start"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("connections"), "{refused:?}");
    drop(at_work);
    wait_until("there is room again", || door.status(&Ask::get("/agents")) == 200);
    door.assert_calm();
}

#[test]
fn requests_whose_bodies_do_not_come_keep_no_one_out() {
    let door = Door::open_in(Home::with_config(
        "[http]\nconnections = 8\nheader_timeout = \"10m\"\nbody_timeout = \"10m\"\n",
    ));
    let body = ["Content-Type: application/json", "Content-Length: 10"];
    let half = |ask: Ask| body.into_iter().fold(ask, Ask::with);
    let entering = half(Ask::new("POST", "/web/enter").without("Authorization"));
    for ask in [entering, half(Ask::new("POST", "/send"))] {
        let _halves: Vec<_> = (0..8).map(|_| door.send_only(&ask)).collect();
        for _ in 0..8 {
            assert_eq!(door.status(&Ask::get("/agents")), 200, "{ask:?}");
        }
    }
    door.assert_calm();
}

#[test]
fn streams_are_counted_and_runs_cannot_take_the_persons() {
    let door = Door::open_in(Home::with_config("[http]\nstreams = 3\n"));
    let script = mock("- shell: \"printenv AGENT_WORKER_TOKEN >token\"\n- think: hm\n- sleep: 10m");
    let run = block_on(async {
        let client = door.home.client();
        let mut watch = Watch::now(&client).await;
        Team::new("team", "@alice go")
            .agent("alice", &script)
            .start(&door.home, &client, Mode::Run)
            .await;
        watch.run_is("alice", "thinking").await.id
    });
    wait_until("the feed of the test is closed", || {
        let streams: Vec<_> = (0..3).map(|_| door.begin(&Ask::get("/events"))).collect();
        streams.iter().all(|(status, _)| *status == 200)
    });
    let token = std::fs::read_to_string(door.home.work().join("token")).unwrap();
    let own = Ask::get(&format!("/runs/{run}/output")).token(token.trim());
    let theirs: Vec<_> = (0..3).map(|_| door.begin(&own)).collect();
    assert!(theirs.iter().all(|(status, _)| *status == 200), "{theirs:?}");
    door.ask(&own).refusal(503, "busy");
    let mut feeds = Vec::new();
    wait_until("the person has all places", || {
        let (status, stream) = door.begin(&Ask::get("/events"));
        feeds.extend((status == 200).then_some(stream));
        feeds.len() == 3
    });
    for path in ["/events", &format!("/runs/{run}/output")] {
        door.ask(&Ask::get(path)).refusal(503, "busy");
    }
    assert_eq!(door.status(&Ask::get("/agents")), 200, "what ends at once is answered");
    feeds.pop();
    wait_until("a place is free", || door.status(&Ask::get("/events")) == 200);
    door.assert_calm();
}
