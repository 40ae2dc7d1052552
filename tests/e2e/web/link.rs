//! What the page says of its daemon.

use super::chat::{WIDE, open};
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
