//! What the page says of its daemon.

use super::{
    chat::{WIDE, open},
    streams::{TURNS, until_it_follows},
};
use crate::support::{Home, block_on};

const LINK: &str = "document.querySelector('#link')";

#[test]
fn a_page_that_goes_on_reconnecting_says_so_once() {
    let home = Home::new();
    let daemon = home.daemon();
    block_on(async {
        let test = "a_page_that_goes_on_reconnecting_says_so_once";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        daemon.kill();
        browser.until(&format!("{LINK}.textContent === 'reconnecting …'")).await;
        browser
            .run(&format!(
                "window.said = {LINK}.firstChild;
                 const real = window.fetch;
                 let tries = 0;
                 window.fetch = (path, request) => {{
                     document.body.dataset.tries = tries += 1;
                     return real(path, request);
                 }};"
            ))
            .await;
        browser.until("Number(document.body.dataset.tries) >= 2").await;
        assert_eq!(browser.run(&format!("return {LINK}.firstChild === window.said")).await, true);
    });
}

#[test]
fn a_page_of_another_version_than_its_daemon_says_that_it_has_to_be_reloaded() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_page_of_another_version_than_its_daemon_says_that_it_has_to_be_reloaded";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        until_it_follows(&home, &browser).await;
        browser
            .run(&format!(
                "{TURNS}
                 window.turn(true);
                 const hello = 'event: hello\\ndata: {{\"version\":\"0.0.0\"}}\\n\\n';
                 const bytes = new TextEncoder().encode(hello);
                 const real = window.fetch;
                 window.fetch = async (path, request) => path.startsWith('/events')
                     ? new Response(new ReadableStream({{ start: (to) => to.enqueue(bytes) }}))
                     : real(path, request);
                 window.turn(false);"
            ))
            .await;
        let told = "The daemon was updated: reload this page.";
        browser.until(&format!("{LINK}.textContent === '{told}'")).await;
    });
}
