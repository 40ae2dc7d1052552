//! A channel of very many messages.

use std::{path::Path, sync::Arc};

use agent_worker_daemon::testing::{
    Clock, Credential, Cx, Run, Settings, Store, Surroundings, recover,
};
use agent_worker_protocol::{ChannelSend, Intent, Scope};

use super::{
    screen::{Setup, Terminal},
    stage::Stage,
    way::Way,
};
use crate::support::Home;

const MESSAGES: usize = 20_000;
/// How many are stored at once.
const BATCH: usize = 1_000;
/// Which of them is searched for.
const HIT: usize = MESSAGES / 2;
/// How many requests a jump may take.
const A_JUMP: usize = 3;
/// How much memory the control room may hold, in KiB.
const MEMORY: usize = 80_000;

fn text(number: usize) -> String {
    let word = if number == HIT { "needle" } else { "hay" };
    format!("this is number {number}, and it is {word}.")
}

fn send(cx: &mut Cx<'_>, number: usize) {
    let message = text(number);
    let op = ChannelSend { message, to: Vec::new(), intent: Some(Intent::Inform), reply_to: None };
    op.run(cx).expect("it is stored");
}

/// A database whose global channel has them all, made by the operation itself.
fn fill(path: &Path) {
    let settings = Arc::new(Settings::with("").expect("they are right"));
    let (store, end) =
        Store::open(path, Surroundings::new(Clock::System, settings)).expect("it opens");
    store.blocking_write(Credential::Daemon, |cx| recover::begin(cx, "epoch")).expect("it begins");
    for first in (0..MESSAGES).step_by(BATCH) {
        let operator = Credential::Operator { target: Some(Scope::global().into()), member: None };
        let fill = move |cx: &mut Cx<'_>| {
            (first..first + BATCH).for_each(|number| send(cx, number));
            Ok(())
        };
        store.blocking_write(operator, fill).expect("they are stored");
    }
    store.close();
    // It says nothing but that it has ended.
    let _ = end.blocking_recv();
}

/// Waits until a message is shown.
fn wait_for(terminal: &Terminal, number: usize) {
    terminal.wait_for_text(&text(number));
}

#[test]
fn d_11_in_a_channel_of_very_many_messages_every_jump_is_a_few_requests() {
    let home = Home::new();
    fill(&home.path().join("agent-worker.db"));
    let daemon = home.daemon();
    let stage = Stage { home, daemon };
    let way = Way::of(&stage.home);
    let terminal = stage.tui(&Setup::default(), &["@global"]);
    let asked = || way.asked("").len();
    wait_for(&terminal, MESSAGES - 1);
    terminal.press("\r");
    terminal.wait_for_text("reply");
    // What the picture and the feed are is asked for once, besides.
    terminal.wait_for_quiet(std::time::Duration::from_secs(1));
    assert!(asked() <= A_JUMP + 2, "to open it: {:#?}", way.asked(""));
    let jump = |what: &str, go: &dyn Fn(), to: usize| {
        let before = asked();
        go();
        wait_for(&terminal, to);
        terminal.wait_for_quiet(std::time::Duration::from_secs(1));
        let asked = &way.asked("")[before..];
        assert!(asked.len() <= A_JUMP, "{what}: {asked:#?}");
        assert!(terminal.memory() <= MEMORY, "{what}: {} KiB", terminal.memory());
    };
    let to_last = || terminal.press("G");
    let search = || {
        terminal.press("/");
        terminal.wait_for_text("in this conversation, all of it");
        terminal.paste("needle");
        terminal.wait_for_text("needle");
        terminal.press("\r");
    };
    jump("to the first", &|| terminal.press("g"), 0);
    jump("to the last", &to_last, MESSAGES - 1);
    jump("into the middle", &search, HIT);
    jump("to the last", &to_last, MESSAGES - 1);
    // A time is looked for among all of them.
    let before = asked();
    terminal.press("@");
    terminal.wait_for_text("go to a time");
    terminal.paste("1h");
    terminal.press("\r");
    wait_for(&terminal, 0);
    terminal.wait_for_quiet(std::time::Duration::from_secs(1));
    let looks = MESSAGES.ilog2() as usize + 1;
    assert!(asked() - before <= looks + 1 + A_JUMP, "{:#?}", &way.asked("")[before..]);
    jump("to the last", &to_last, MESSAGES - 1);
    // Page by page: each page of messages is asked for once.
    let before = way.asked("GET").len();
    let mut top = MESSAGES;
    for page in 0..50 {
        terminal.press("\x1b[5~");
        terminal.wait_for(&format!("page {page} above number {top}"), |screen| {
            first(screen).is_some_and(|first| first < top)
        });
        top = terminal.look(|emulator| first(emulator.screen())).unwrap();
    }
    let pages = way.asked("GET")[before..].len();
    let read = MESSAGES - top;
    assert!(read > 1_000, "{read}");
    assert!(pages <= read / 200 + 3, "{pages} requests for {read} messages");
    assert!(terminal.memory() <= MEMORY, "{} KiB", terminal.memory());
    jump("to the last", &to_last, MESSAGES - 1);
}

/// The number of the first message on the screen.
fn first(screen: &vt100::Screen) -> Option<usize> {
    let text = screen.contents();
    let at = text.split("this is number ").nth(1)?;
    at.split(',').next()?.parse().ok()
}
