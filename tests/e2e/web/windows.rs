//! Several windows of one browser.

use serde_json::json;

use super::{
    browser,
    browser::Browser,
    chat::{ENTER, WIDE, item, open},
    sending::write,
    streams::TURNS,
};
use crate::support::{Home, block_on};

/// More than the connections that a browser opens to a daemon.
const WINDOWS: usize = 7;

/// Counts in `window.anew` how often the page reads the whole state.
const COUNTS: &str = "
    const real = window.fetch;
    window.anew = 0;
    window.fetch = (path, request) => {
        if (path === '/snapshot') window.anew += 1;
        return real(path, request);
    };";

#[test]
fn seven_windows_see_each_message_also_after_that_with_the_feed_is_closed() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "seven_windows_see_each_message_also_after_that_with_the_feed_is_closed";
        let Some(browser) = browser(test, &home, WIDE).await else { return };
        let mut windows = Vec::new();
        for _ in 0..WINDOWS {
            windows.push(browser.tab().await);
            browser.go(home.ok(&["web", "--no-open"]).trim()).await;
            browser.until("document.querySelector('#tree button')").await;
            // Tabs hide one another; these all count as seen.
            browser.run(&format!("{TURNS} window.turn(false);")).await;
        }
        home.ok(&["send", "@global", "to all of them"]);
        for window in &windows {
            browser.turn_to(window).await;
            browser.until(&item("to all of them")).await;
            browser.run(COUNTS).await;
        }
        browser.turn_to(&windows[0]).await;
        browser.close().await;
        home.ok(&["send", "@global", "to those that are left"]);
        for window in &windows[1..] {
            browser.turn_to(window).await;
            browser.until(&item("to those that are left")).await;
            assert_eq!(browser.run("return window.anew").await, 0);
        }
    });
}

#[test]
fn windows_tell_each_other_how_far_the_feed_is_and_nothing_that_was_said() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "windows_tell_each_other_how_far_the_feed_is_and_nothing_that_was_said";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        browser
            .run(
                "window.other = new BroadcastChannel('feed');
                 window.other.onmessage = ({ data }) =>
                     (document.body.dataset.told = Object.keys(data).sort());",
            )
            .await;
        home.ok(&["send", "@global", "between us"]);
        browser.until("document.body.dataset.told").await;
        let told = browser.run("return document.body.dataset.told").await;
        assert_eq!(told, json!("epoch,seq"));
    });
}

/// Hides the page, and has another hold the feed that says nothing: the page gives it up after this
/// many milliseconds.
async fn hold_elsewhere(browser: &Browser, silence: &str) {
    browser
        .run(&format!(
            "{TURNS}
             window.turn(true);
             const held = () => {{
                 document.body.dataset.held = 'yes';
                 return new Promise(() => {{}});
             }};
             const later = window.setTimeout;
             navigator.locks.request('feed', held).catch(() => {{
                 window.setTimeout = later;
                 document.body.dataset.lost = 'yes';
             }});
             window.setTimeout = (go, time) => later(go, time === 25000 ? {silence} : time);"
        ))
        .await;
    browser.until("document.body.dataset.held").await;
}

#[test]
fn a_window_that_holds_the_feed_and_is_silent_loses_it_to_another() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_window_that_holds_the_feed_and_is_silent_loses_it_to_another";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        hold_elsewhere(&browser, "500").await;
        browser.run("window.turn(false)").await;
        browser.until("document.body.dataset.lost").await;
        home.ok(&["send", "@global", "heard again"]);
        browser.until(&item("heard again")).await;
    });
}

#[test]
fn what_a_window_sends_is_there_though_the_window_that_holds_the_feed_stands_still() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test =
            "what_a_window_sends_is_there_though_the_window_that_holds_the_feed_stands_still";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        hold_elsewhere(&browser, "1e9").await;
        browser.run("window.turn(false)").await;
        write(&browser, &format!("my own words{ENTER}")).await;
        browser.until(&item("my own words")).await;
    });
}
