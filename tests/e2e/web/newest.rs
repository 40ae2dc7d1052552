//! How one comes to what is new at the end of a conversation.

use super::{
    chat::{ENTER, WIDE, item, open},
    streams::{TURNS, send},
};
use crate::support::{Home, block_on};

/// Goes to the first message, as a reader does: each frame tells first what was scrolled.
const TO_START: &str = "const done = arguments[arguments.length - 1];
    document.querySelector('#talk').scrollTop = 0;
    requestAnimationFrame(() => requestAnimationFrame(done));";

#[test]
fn messages_that_came_during_a_break_are_offered_to_a_reader_further_up() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "messages_that_came_during_a_break_are_offered_to_a_reader_further_up";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        send(&home, 1..=60).await;
        browser.until(&item("line 60.")).await;
        browser.wait(TO_START).await;
        browser.run(&format!("{TURNS} window.turn(true)")).await;
        send(&home, 61..=62).await;
        browser.run("window.turn(false)").await;
        browser.until("!document.querySelector('#newest').hidden").await;
        let top = browser.run("return document.querySelector('#talk').scrollTop").await;
        assert_eq!(top, 0, "it stays where it is read");
        browser.keys("#newest", ENTER).await;
        browser.until(&item("line 62.")).await;
        assert_eq!(browser.run("return document.querySelector('#newest').hidden").await, true);
        // The keyboard scrolls the list from here.
        assert_eq!(browser.run("return document.activeElement.id").await, "talk");
    });
}

#[test]
fn only_what_this_page_sends_takes_a_reader_further_up_to_the_end() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "only_what_this_page_sends_takes_a_reader_further_up_to_the_end";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        send(&home, 1..=60).await;
        browser.until(&item("line 60.")).await;
        browser.wait(TO_START).await;
        send(&home, 61..=61).await;
        browser.until("!document.querySelector('#newest').hidden").await;
        let top = browser.run("return document.querySelector('#talk').scrollTop").await;
        assert_eq!(top, 0, "it stays where it is read");
        browser.keys("#text", &format!("from here{ENTER}")).await;
        let end = "(({ scrollHeight, scrollTop, clientHeight }) =>
            scrollHeight - scrollTop - clientHeight < 2)(document.querySelector('#talk'))";
        let newest = "document.querySelector('#newest').hidden";
        browser.until(&format!("{} && {newest} && {end}", item("from here"))).await;
    });
}

#[test]
fn messages_that_come_at_once_are_gone_to_and_noted_as_read_once() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "messages_that_come_at_once_are_gone_to_and_noted_as_read_once";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        send(&home, 1..=1).await;
        browser.until(&item("line 1.")).await;
        browser
            .run(&format!(
                "{TURNS}
                 window.turn(true);
                 const real = window.fetch;
                 window.noted = 0;
                 window.fetch = async (path, request) => {{
                     if (request.method === 'PUT') window.noted += 1;
                     const answer = await real(path, request);
                     if (!path.startsWith('/events')) return answer;
                     document.body.dataset.follows = 'yes';
                     const parts = answer.body.pipeThrough(new TextDecoderStream()).getReader();
                     const atOnce = async (into) => {{
                         let text = '';
                         while (!(text.includes('line 30.') && text.endsWith('\\n\\n'))) {{
                             text += (await parts.read()).value;
                         }}
                         into.enqueue(new TextEncoder().encode(text));
                     }};
                     return new Response(new ReadableStream({{ pull: atOnce }}));
                 }};
                 window.turn(false);"
            ))
            .await;
        browser.until("document.body.dataset.follows").await;
        send(&home, 2..=30).await;
        browser.until(&item("line 30.")).await;
        assert_eq!(browser.run("return window.noted").await, 1);
    });
}

#[test]
fn newest_messages_are_offered_above_a_long_draft() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "newest_messages_are_offered_above_a_long_draft";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        send(&home, 1..=60).await;
        browser.until(&item("line 60.")).await;
        let draft = "const text = document.querySelector('#text');
            text.value = 'one\\n'.repeat(12);
            text.dispatchEvent(new Event('input'))";
        browser.run(draft).await;
        browser.wait(TO_START).await;
        send(&home, 61..=61).await;
        browser.until("!document.querySelector('#newest').hidden").await;
        let seen = "const newest = document.querySelector('#newest').getBoundingClientRect();
            const { left, right, top, bottom } = newest;
            return document.elementFromPoint((left + right) / 2, (top + bottom) / 2).id";
        assert_eq!(browser.run(seen).await, "newest");
    });
}

#[test]
fn what_is_unfolded_at_the_end_is_not_scrolled_away() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "what_is_unfolded_at_the_end_is_not_scrolled_away";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        home.ok(&["send", "@global", &"one line after another. ".repeat(500)]);
        browser.until("document.querySelector('#talk button')").await;
        browser.run("document.querySelector('#talk button').click()").await;
        browser.until("!document.querySelector('#talk button')").await;
        let top = "return document.querySelector('#talk').scrollTop";
        let before = browser.run(top).await;
        home.ok(&["send", "@global", "comes behind it"]);
        browser.until(&item("comes behind it")).await;
        assert_eq!(browser.run(top).await, before);
        assert_eq!(browser.run("return document.querySelector('#newest').hidden").await, false);
    });
}

#[test]
fn newest_messages_are_not_offered_over_the_history() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "newest_messages_are_not_offered_over_the_history";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let offered = "const newest = document.querySelector('#newest');
            newest.hidden = false;
            return getComputedStyle(newest).display !== 'none'";
        assert_eq!(browser.run(offered).await, true);
        browser.run("document.querySelector('#history').click()").await;
        browser.until("document.querySelector('#talk').hidden").await;
        assert_eq!(browser.run(offered).await, false);
    });
}
