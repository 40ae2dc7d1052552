//! What the page follows, and how it goes on when that is refused.

use agent_worker_protocol::workflow::Mode;
use serde_json::json;

use super::chat::{ENTER, WIDE, held, item, open};
use crate::support::{Home, Team, block_on, mock};

#[test]
fn a_refused_feed_is_asked_for_ever_more_rarely() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_refused_feed_is_asked_for_ever_more_rarely";
        let Some(browser) = open(test, &home, WIDE).await else { return };
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

#[test]
fn no_cursor_is_set_in_a_conversation_of_others() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "no_cursor_is_set_in_a_conversation_of_others";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let script = mock("- call: channel_send\n  with: { message: between us, to: [ide] }");
        Team::new("team", "@alice go")
            .agent("alice", &script)
            .with("  ide: { backend: external }")
            .start(&home, &home.client(), Mode::Start)
            .await;
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
        let others = "document.querySelector('[data-key=\"alice+ide @team\"]')";
        browser.until(others).await;
        browser.run(&format!("{others}.click()")).await;
        browser.until(&item("between us")).await;
        browser.run("document.querySelector('#talk').dispatchEvent(new Event('scroll'))").await;
        let set = "return window.asked.filter((path) => path.startsWith('/cursors/alice'))";
        assert_eq!(browser.run(set).await, json!([]));
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
