//! Answers that come before their requests are complete (`semantics.md` §14: refused at the gate,
//! or too long). A client that is still sending gets them too, and the daemon waits for it only for
//! a limited time.

use std::io::{Read, Write};

use super::wire::{Ask, Door, answers, read_to_end};
use crate::support::{Home, wait_until};

/// More than lies between two ends of a connection.
fn long() -> Vec<u8> {
    vec![b' '; 16 << 20]
}

#[test]
fn an_answer_is_heard_by_who_is_still_sending() {
    let door = Door::open();
    let head = format!("GET /agents HTTP/1.1\r\nX: {}", "x".repeat(16 << 20));
    let answers = door.send(head);
    assert_eq!((answers.len(), answers[0].status), (1, 431), "{answers:?}");
    for (ask, status) in [
        (Ask::new("POST", "/send").without("Authorization"), 401),
        (Ask::new("POST", "/mcp").without("Authorization"), 401),
        (Ask::new("POST", "/send").instead("Host: evil.example"), 403),
        (Ask::new("POST", "/nothing"), 404),
        (Ask::new("GET", "/send"), 405),
        (Ask::new("POST", "/send").with("Content-Type: text/plain"), 415),
        (Ask::new("POST", "/send").with("Content-Type: application/json"), 413),
        (Ask::new("POST", "/mcp").with("Content-Type: application/json"), 413),
        (Ask::new("POST", "/shutdown").with("Content-Type: application/json"), 413),
    ] {
        door.ask(&ask.clone().body(long())).status_is(status);
        door.ask(&ask.without("Connection").body(long())).status_is(status);
    }
    door.assert_calm();
}

#[test]
fn who_finds_no_room_hears_so_while_still_sending() {
    let door =
        Door::open_in(Home::with_config("[http]\nconnections = 8\nbody_timeout = \"10m\"\n"));
    let feeds: Vec<_> = (0..8).map(|_| door.begin(&Ask::get("/events"))).collect();
    assert!(feeds.iter().all(|(status, _)| *status == 200), "{feeds:?}");
    door.ask(&Ask::post("/send", long())).refusal(503, "busy");
    drop(feeds);
    wait_until("there is room again", || door.status(&Ask::get("/agents")) == 200);
    door.assert_calm();
}

#[test]
fn who_goes_on_for_ever_after_the_answer_is_cut() {
    let door = Door::open_in(Home::with_config("[http]\nbody_timeout = \"300ms\"\n"));
    let ask = Ask::new("POST", "/send").without("Authorization");
    let mut stream = door.send_only(&ask.with("Content-Length: 1000000000000"));
    let heard = answers(&read_to_end(&mut stream));
    assert_eq!((heard.len(), heard[0].status), (1, 401), "{heard:?}");
    wait_until("the daemon has had enough", || stream.write_all(&[b' '; 1000]).is_err());
    door.assert_calm();
}

#[test]
fn who_does_not_hang_up_holds_no_daemon_up() {
    let door = Door::open();
    let mut stream = door.send_only(&Ask::get("/agents"));
    let heard = answers(&read_to_end(&mut stream));
    assert_eq!((heard.len(), heard[0].status), (1, 200), "{heard:?}");
    let home = door.stop();
    let log = std::fs::read_to_string(home.path().join("daemon.log")).unwrap();
    assert!(log.contains("stopped") && !log.contains("were cut"), "{log}");
    drop(stream.read(&mut [0]));
}
