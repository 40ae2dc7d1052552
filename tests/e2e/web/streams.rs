//! What the page follows, and how it goes on when that is refused.

use agent_worker_protocol::{ChannelSend, Mode};
use serde_json::json;

use super::{
    browser::Browser,
    chat::{ENTER, WIDE, held, item, open, start},
};
use crate::support::{Home, Team, block_on, mock};

#[test]
fn a_refused_feed_is_asked_for_ever_more_rarely() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_refused_feed_is_asked_for_ever_more_rarely";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        until_it_follows(&home, &browser).await;
        let waits = browser
            .wait(
                "const done = arguments[arguments.length - 1];
                 const [real, later] = [window.fetch, window.setTimeout];
                 const refused = () => new Response('{}', { status: 503 });
                 window.fetch = async (path, request) =>
                     path.startsWith('/events') ? refused() : real(path, request);
                 const waits = [];
                 window.setTimeout = (go, time) => {
                     if (time < 250 || time > 5000) return later(go, time);
                     waits.push(time);
                     return waits.length < 4 ? later(go, 0) : done(waits);
                 };
                 import('/web/mirror.js').then(({ follow }) => follow(() => {}));",
            )
            .await;
        assert_eq!(waits, json!([250, 500, 1000, 2000]));
    });
}

/// Starts a team whose alice writes to another member alone.
pub async fn start_others(home: &Home) {
    let script = mock("- call: channel_send\n  with: { message: between us, to: [ide] }");
    Team::new("team", "@alice go")
        .agent("alice", &script)
        .with("  ide: { backend: external }")
        .start(home, &home.client(), Mode::Start)
        .await;
}

/// Goes to the conversation of the two.
pub async fn go_to_others(browser: &Browser) {
    let others = "document.querySelector('[data-key=\"alice+ide @team\"]')";
    browser.until(others).await;
    browser.run(&format!("{others}.click()")).await;
}

#[test]
fn no_cursor_is_set_in_a_conversation_of_others() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "no_cursor_is_set_in_a_conversation_of_others";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        start_others(&home).await;
        browser
            .run(
                "const real = window.fetch;
                 window.asked = [];
                 window.fetch = (path, request) => {
                     window.asked.push(path);
                     return real(path, request);
                 };",
            )
            .await;
        go_to_others(&browser).await;
        browser.until(&item("between us")).await;
        browser.run("document.querySelector('#talk').dispatchEvent(new Event('scroll'))").await;
        let set = "return window.asked.filter((path) => path.startsWith('/cursors/alice'))";
        assert_eq!(browser.run(set).await, json!([]));
    });
}

#[test]
fn direct_conversations_of_the_user_and_of_the_daemon_have_no_line_of_their_own() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "direct_conversations_of_the_user_and_of_the_daemon_have_no_line_of_their_own";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let listed = browser
            .wait(
                "const done = arguments[arguments.length - 1];
                 const names = ['channel', 'group', 'alice+ide', 'alice+user', 'alice+system'];
                 import('/web/tree.js').then(({ hasLine }) =>
                     done(names.filter((name) => hasLine({ name }))));",
            )
            .await;
        assert_eq!(listed, json!(["channel", "group", "alice+ide"]));
    });
}

#[test]
fn a_transcript_is_asked_for_ever_more_rarely_and_not_again_once_refused() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_transcript_is_asked_for_ever_more_rarely_and_not_again_once_refused";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let told = browser
            .wait(
                "const done = arguments[arguments.length - 1];
                 const later = window.setTimeout;
                 const waits = [];
                 const body = JSON.stringify({ error: { message: 'it is gone' } });
                 window.fetch = async () =>
                     new Response(body, { status: waits.length < 5 ? 503 : 404 });
                 window.setTimeout = (go, time) => {
                     if (time < 1000 || time > 15000) return later(go, time);
                     waits.push(time);
                     return later(go, 0);
                 };
                 const into = document.createElement('div');
                 const grown = () => done([...waits, into.textContent]);
                 import('/web/run.js').then(({ followRun }) =>
                     followRun('run_1', into, { grown }));",
            )
            .await;
        assert_eq!(told, json!([1000, 2000, 4000, 8000, 15000, "it is gone"]));
    });
}

#[test]
fn two_live_runs_are_followed_and_the_page_can_send_while_more_are_at_work() {
    let home = Home::with_config("[runs]\nmax_runs = 8\n");
    let _daemon = home.daemon();
    block_on(async {
        let test = "two_live_runs_are_followed_and_the_page_can_send_while_more_are_at_work";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let script = held("go", "- say: the whole of it");
        let team = Team::new("team", "");
        let names = ["ann", "bob", "cyd", "dan", "eve"];
        let team = names.iter().fold(team, |team, name| team.agent(name, &script));
        team.start(&home, &home.client(), Mode::Start).await;
        let channel = "document.querySelector('[data-key=\"channel @team\"]')";
        browser.until(channel).await;
        browser.run(&format!("{channel}.click()")).await;
        browser.keys("#text", &format!("@all please begin{ENTER}")).await;
        // With the feed, five streams would be all connections that a browser opens.
        let runs = "[...document.querySelectorAll('#talk > .run')]";
        let begun = format!("{runs}.filter((one) => one.textContent.includes('half of it'))");
        browser.until(&format!("{runs}.length === 5 && {begun}.length === 2")).await;
        browser.keys("#text", &format!("one more thing{ENTER}")).await;
        browser.until(&item("one more thing")).await;
        let unfolded = "document.querySelectorAll('#talk > .run > details[open]').length";
        assert_eq!(browser.run(&format!("return {unfolded}")).await, 2);
        let folded = "document.querySelector('#talk > .run > details:not([open])')";
        browser.run(&format!("window.asked = {folded}; window.asked.firstChild.click()")).await;
        let heard = "window.asked.textContent.includes('half of it')";
        browser.until(&format!("{heard} && {unfolded} === 2")).await;
        home.write("go", "");
        browser.until(&format!("{runs}.length === 0")).await;
    });
}

/// Takes both places of live runs, as another window does.
async fn fill_places(browser: &Browser) {
    browser
        .run(
            "for (const place of ['run-0', 'run-1']) {
                 const held = () => new Promise((go) => (window.leave = go));
                 navigator.locks.request(place, held)
                     .catch(() => (document.body.dataset.lost = place));
             }",
        )
        .await;
}

const FOLD: &str = "document.querySelector('#talk > .run > details')";

#[test]
fn a_live_run_waits_for_a_place_that_another_window_has() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_live_run_waits_for_a_place_that_another_window_has";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        start(&home, &browser, &held("go", "- say: the whole of it")).await;
        fill_places(&browser).await;
        browser.keys("#text", &format!("@alice please begin{ENTER}")).await;
        browser.until(FOLD).await;
        assert_eq!(browser.run(&format!("return {FOLD}.open")).await, false);
        browser.run("window.leave()").await;
        browser.until(&format!("{FOLD}.open && {FOLD}.textContent.includes('half of it')")).await;
        home.write("go", "");
        browser.until(&item("the whole of it")).await;
    });
}

#[test]
fn a_live_run_that_is_unfolded_takes_the_place_of_another_window() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_live_run_that_is_unfolded_takes_the_place_of_another_window";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        start(&home, &browser, &held("go", "- say: the whole of it")).await;
        fill_places(&browser).await;
        browser.keys("#text", &format!("@alice please begin{ENTER}")).await;
        browser.until(FOLD).await;
        browser.run(&format!("{FOLD}.firstChild.click()")).await;
        browser.until("document.body.dataset.lost === 'run-0'").await;
        browser.until(&format!("{FOLD}.textContent.includes('half of it')")).await;
        home.write("go", "");
        browser.until(&item("the whole of it")).await;
    });
}

#[test]
fn a_hidden_page_ends_its_feed_and_catches_up_when_it_is_seen() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_hidden_page_ends_its_feed_and_catches_up_when_it_is_seen";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let ended = browser
            .wait(
                "const done = arguments[arguments.length - 1];
                 const real = window.fetch;
                 let isHidden = false;
                 Object.defineProperty(document, 'hidden', { get: () => isHidden });
                 window.turn = (to) => {
                     isHidden = to;
                     document.dispatchEvent(new Event('visibilitychange'));
                 };
                 window.fetch = (path, request) => {
                     if (path.startsWith('/events')) {
                         window.fetch = real;
                         request.signal.addEventListener('abort', () => done('ended'));
                         window.turn(true);
                     }
                     return real(path, request);
                 };
                 window.turn(true);
                 window.turn(false);",
            )
            .await;
        assert_eq!(ended, "ended");
        home.ok(&["send", "@global", "while nothing is seen"]);
        browser.run("window.turn(false)").await;
        browser.until(&item("while nothing is seen")).await;
    });
}

/// Makes `window.turn(isHidden)`, as a person who looks at another window.
pub const TURNS: &str = "
    let isHidden = false;
    Object.defineProperty(document, 'hidden', { get: () => isHidden });
    window.turn = (to) => {
        isHidden = to;
        document.dispatchEvent(new Event('visibilitychange'));
    };";

const COUNT: &str = "document.querySelectorAll('#talk [id^=msg_]').length";

pub async fn send(home: &Home, numbers: std::ops::RangeInclusive<usize>) {
    for n in numbers {
        let message = format!("line {n}.");
        let send = ChannelSend { message, to: Vec::new(), intent: None, reply_to: None };
        home.client().call(&send).await.unwrap();
    }
}

/// Waits until the page follows the feed: one message may come with the conversation, and one with
/// what is caught up on, but nothing else brings the third.
pub async fn until_it_follows(home: &Home, browser: &Browser) {
    for n in 1..=3 {
        send(home, n..=n).await;
        browser.until(&item(&format!("line {n}."))).await;
    }
}

#[test]
fn a_message_that_comes_while_one_catches_up_leaves_no_hole() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_message_that_comes_while_one_catches_up_leaves_no_hole";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        send(&home, 1..=1).await;
        browser.until(&item("line 1.")).await;
        browser
            .run(&format!(
                "{TURNS}
                 window.turn(true);
                 const real = window.fetch;
                 let pages = 0;
                 window.fetch = async (path, request) => {{
                     if (path.startsWith('/peek') && (pages += 1) === 2) {{
                         document.body.dataset.held = 'yes';
                         await new Promise((go) => (window.letGo = go));
                     }}
                     return real(path, request);
                 }};"
            ))
            .await;
        send(&home, 2..=250).await;
        browser.run("window.turn(false)").await;
        browser.until(&format!("document.body.dataset.held && {COUNT} === 100")).await;
        send(&home, 251..=251).await;
        browser.until(&item("line 251.")).await;
        browser.run("window.letGo()").await;
        browser.until(&format!("{COUNT} === 251")).await;
        let lines = "[...document.querySelectorAll('#talk [id^=msg_] .text')]
            .map((one) => Number(one.textContent.match(/line (\\d+)/)[1]))";
        let in_order = format!("return {lines}.every((line, at) => line === at + 1)");
        assert_eq!(browser.run(&in_order).await, true);
    });
}

#[test]
fn what_could_not_be_read_after_a_break_is_read_after_the_next() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "what_could_not_be_read_after_a_break_is_read_after_the_next";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        send(&home, 1..=1).await;
        browser.until(&item("line 1.")).await;
        browser
            .run(&format!(
                "{TURNS}
                 window.turn(true);
                 const real = window.fetch;
                 window.fetch = async (path, request) => {{
                     if (!path.startsWith('/peek')) return real(path, request);
                     window.fetch = real;
                     document.body.dataset.failed = 'yes';
                     return new Response('{{}}', {{ status: 503 }});
                 }};"
            ))
            .await;
        send(&home, 2..=2).await;
        browser.run("window.turn(false)").await;
        browser.until("document.body.dataset.failed").await;
        send(&home, 3..=3).await;
        browser.until(&item("line 3.")).await;
        assert_eq!(browser.run(&format!("return {COUNT}")).await, 2);
        browser.run("window.turn(true); window.turn(false)").await;
        browser.until(&item("line 2.")).await;
    });
}

fn remove_the_team(home: &Home) {
    home.ok(&["stop", "@team"]);
    home.ok(&["rm", "@team"]);
}

#[test]
fn the_messages_of_a_removed_workflow_are_taken_away() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "the_messages_of_a_removed_workflow_are_taken_away";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let script = mock("- say: la");
        start(&home, &browser, &script).await;
        home.ok(&["send", "@team", "to the first"]);
        browser.until(&item("to the first")).await;
        remove_the_team(&home);
        browser.until(&format!("{COUNT} === 0")).await;
        // It is in no list any more, and the page does not stay there.
        browser.until("document.querySelector('#title').textContent === 'channel @global'").await;
        let tree = "return document.querySelector('#tree').textContent.includes('@team')";
        assert_eq!(browser.run(tree).await, false);
        // Another one of its name while the page is not looked at.
        start(&home, &browser, &script).await;
        home.ok(&["send", "@team", "to the second"]);
        browser.until(&item("to the second")).await;
        browser.run(&format!("{TURNS} window.turn(true)")).await;
        remove_the_team(&home);
        let team = Team::new("team", "").agent("alice", &script);
        team.start(&home, &home.client(), Mode::Start).await;
        home.ok(&["send", "@team", "to the third"]);
        browser.run("window.turn(false)").await;
        browser.until(&item("to the third")).await;
        assert_eq!(browser.run(&format!("return {COUNT}")).await, 1);
    });
}

#[test]
fn a_conversation_that_could_not_be_read_says_so_and_is_read_after_a_break() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_conversation_that_could_not_be_read_says_so_and_is_read_after_a_break";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        send(&home, 1..=2).await;
        browser.until(&item("line 2.")).await;
        browser
            .run(&format!(
                "{TURNS}
                 const real = window.fetch;
                 const body = JSON.stringify({{ error: {{ message: 'it is full' }} }});
                 window.fetch = async (path, request) => {{
                     if (!path.startsWith('/peek')) return real(path, request);
                     window.fetch = real;
                     return new Response(body, {{ status: 503 }});
                 }};
                 document.querySelector('[data-key=\"channel @global\"]').click();"
            ))
            .await;
        browser.until("document.querySelector('#talk').textContent === 'it is full'").await;
        send(&home, 3..=3).await;
        browser.until(&item("line 3.")).await;
        browser.run("window.turn(true); window.turn(false)").await;
        browser.until(&format!("{COUNT} === 3")).await;
        let items = "return document.querySelectorAll('#talk > li').length";
        assert_eq!(browser.run(items).await, 3);
    });
}
