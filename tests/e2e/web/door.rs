//! Who is let into the page.

use std::time::Duration;

use serde_json::json;

use super::{
    browser,
    chat::{ENTER, WIDE, open, start},
    streams::TURNS,
};
use crate::support::{Home, block_on, mock};

#[test]
fn a_link_lets_one_tab_in_and_a_revoked_page_says_how_to_come_back() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_link_lets_one_tab_in_and_a_revoked_page_says_how_to_come_back";
        let Some(browser) = browser(test, &home, (1200, 800)).await else { return };
        let link = home.ok(&["web", "--no-open"]);
        browser.go(link.trim()).await;
        browser.until("document.querySelector('#tree button')").await;
        let address = browser.run("return location.href").await;
        assert!(!address.as_str().unwrap().contains('#'), "the code is gone: {address}");
        let revoked = home.ok(&["web", "--revoke"]);
        assert_eq!(revoked.trim(), "1 browser logged out; unused links no longer work");
        browser.reload().await;
        let refused = "document.querySelector('#talk').textContent.includes('agent-worker web')";
        browser.until(refused).await;
        assert_eq!(browser.run("return document.querySelectorAll('#tree button').length").await, 0);
        browser.tab().await;
        browser.go(link.trim()).await;
        browser.until(refused).await;
        // A link that is pasted into this tab changes no more than what is behind the #.
        let fresh = home.ok(&["web", "--no-open"]);
        browser.run(&format!("location.href = '{}'", fresh.trim())).await;
        browser.until("document.querySelector('#tree button')").await;
        // A used link does not log out a tab that is logged in.
        browser.run(&format!("location.href = '{}'", link.trim())).await;
        browser.until("location.hash === '' && document.querySelector('#tree button')").await;
    });
}

#[test]
fn nothing_is_written_before_the_page_has_begun_for_that_would_be_lost() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "nothing_is_written_before_the_page_has_begun_for_that_would_be_lost";
        let Some(browser) = browser(test, &home, WIDE).await else { return };
        let link = home.ok(&["web", "--no-open"]);
        let shut = "document.querySelectorAll('#composer > :disabled').length";
        // A page that is not let in stays as it was loaded.
        browser.go(link.trim().split('#').next().unwrap()).await;
        browser.until("document.querySelector('#talk li')").await;
        assert_eq!(browser.run(&format!("return {shut}")).await, 2);
        let looks = "return getComputedStyle(document.querySelector('#send')).cursor";
        assert_eq!(browser.run(looks).await, "default", "it does not look like one to press");
        browser.run(&format!("location.href = '{}'", link.trim())).await;
        browser.until(&format!("document.querySelector('#tree button') && {shut} === 0")).await;
    });
}

#[test]
fn a_link_whose_request_failed_lets_the_page_in_after_a_reload() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_link_whose_request_failed_lets_the_page_in_after_a_reload";
        let Some(browser) = browser(test, &home, (1200, 800)).await else { return };
        let link = home.ok(&["web", "--no-open"]);
        let (base, code) = link.trim().split_once("/#").unwrap();
        browser.go(base).await;
        let script = format!(
            "const done = arguments[arguments.length - 1];
             history.replaceState(null, '', '/#{code}');
             window.fetch = async () => {{ throw new TypeError('cut'); }};
             import('/web/daemon.js').then(({{ enter }}) => enter())
                 .catch((error) => done(error.message + location.hash));"
        );
        let told = format!("the daemon does not answer#{code}");
        assert_eq!(browser.wait(&script).await, told);
        browser.reload().await;
        browser.until("location.hash === '' && document.querySelector('#tree button')").await;
    });
}

#[test]
fn a_revoked_page_that_shows_the_history_says_so_too() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.ok(&["new", "alice", "--backend", "mock"]);
    block_on(async {
        let test = "a_revoked_page_that_shows_the_history_says_so_too";
        let Some(browser) = browser(test, &home, (1200, 800)).await else { return };
        browser.go(home.ok(&["web", "--no-open"]).trim()).await;
        let alice = "document.querySelector('[data-key=\"alice @global\"]')";
        browser.until(alice).await;
        browser.run(&format!("{alice}.click()")).await;
        browser.run("document.querySelector('#history').click()").await;
        browser.until("document.querySelector('#past').textContent === 'No runs yet.'").await;
        home.ok(&["web", "--revoke"]);
        browser
            .until("document.querySelector('#talk').textContent.includes('agent-worker web')")
            .await;
        let shown = "return ['past', 'history', 'newest', 'composer']
            .filter((id) => !document.getElementById(id).hidden)";
        assert_eq!(browser.run(shown).await, json!([]));
    });
}

#[test]
fn a_revoked_page_does_not_say_that_it_reconnects() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_revoked_page_does_not_say_that_it_reconnects";
        let Some(browser) = browser(test, &home, (1200, 800)).await else { return };
        browser.go(home.ok(&["web", "--no-open"]).trim()).await;
        browser.until("document.querySelector('#tree button')").await;
        // A page that follows the feed says that it reconnects, until it is refused.
        home.ok(&["send", "@global", "still here"]);
        browser.until("document.querySelector('#talk').textContent.includes('still here')").await;
        home.ok(&["web", "--revoke"]);
        browser
            .until("document.querySelector('#talk').textContent.includes('agent-worker web')")
            .await;
        let link = browser.run("return document.querySelector('#link').textContent").await;
        assert_eq!(link, "");
    });
}

#[test]
fn a_revoked_page_keeps_nothing_that_was_said() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_revoked_page_keeps_nothing_that_was_said";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        start(&home, &browser, &mock("- say: here I am")).await;
        browser.keys("#text", &format!("@alice go{ENTER}")).await;
        browser.until("document.querySelector('#said').textContent.startsWith('alice')").await;
        home.ok(&["web", "--revoke"]);
        browser
            .until("document.querySelector('#talk').textContent.includes('agent-worker web')")
            .await;
        let kept = "return document.body.textContent.includes('here I am')";
        assert_eq!(browser.run(kept).await, false);
    });
}

#[test]
fn a_hidden_page_that_is_revoked_keeps_nothing_either() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_hidden_page_that_is_revoked_keeps_nothing_either";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        home.ok(&["send", "@global", "here I am"]);
        browser.until("document.querySelector('#talk').textContent.includes('here I am')").await;
        browser
            .run(&format!(
                "{TURNS}
                 const later = window.setTimeout;
                 window.setTimeout = (go, time) => later(go, time === 60000 ? 50 : time);
                 const real = window.fetch;
                 window.fetch = (path, request) => {{
                     if (path.startsWith('/questions')) document.body.dataset.looked = 'yes';
                     return real(path, request);
                 }};
                 window.turn(true);"
            ))
            .await;
        browser.until("document.body.dataset.looked").await;
        home.ok(&["web", "--revoke"]);
        browser
            .until("document.querySelector('#talk').textContent.includes('agent-worker web')")
            .await;
        let kept = "return document.body.textContent.includes('here I am')";
        assert_eq!(browser.run(kept).await, false);
    });
}

async fn enter(http: &reqwest::Client, link: &str) -> reqwest::Response {
    let (base, code) = link.trim().split_once("/#").unwrap();
    let request = http.post(format!("{base}/web/enter")).json(&json!({ "code": code }));
    request.send().await.unwrap()
}

/// Goes in by a link; gives where the daemon is, and the token of the browser.
async fn let_in(http: &reqwest::Client, link: &str) -> (String, String) {
    let entered: serde_json::Value = enter(http, link).await.json().await.unwrap();
    let base = link.trim().split_once("/#").unwrap().0;
    (base.to_owned(), entered["token"].as_str().unwrap().to_owned())
}

#[test]
fn a_code_is_good_once_and_a_browsers_token_until_it_is_revoked() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let http = agent_worker_http::client().no_proxy().build().unwrap();
        let link = home.ok(&["web", "--no-open"]);
        let (base, token) = let_in(&http, &link).await;
        let again = enter(&http, &link).await;
        assert_eq!(again.status(), 401);
        assert!(again.text().await.unwrap().contains("agent-worker web"));
        let asked = || http.get(format!("{base}/snapshot")).bearer_auth(&token);
        assert_eq!(asked().send().await.unwrap().status(), 200);
        // Another page has its origin, and gets nothing.
        let elsewhere = asked().header("origin", "http://127.0.0.1:1").send().await.unwrap();
        assert_eq!(elsewhere.status(), 403);
        let unused = home.ok(&["web", "--no-open"]);
        home.ok(&["web", "--revoke"]);
        assert_eq!(asked().send().await.unwrap().status(), 401);
        assert_eq!(enter(&http, &unused).await.status(), 401, "an unused link");
        assert_eq!(enter(&http, &home.ok(&["web", "--no-open"])).await.status(), 200);
    });
}

#[test]
fn a_browser_that_is_shut_out_is_told_nothing_more() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let http = agent_worker_http::client().no_proxy().build().unwrap();
        let (base, token) = let_in(&http, &home.ok(&["web", "--no-open"])).await;
        let feed = http.get(format!("{base}/events")).bearer_auth(token).send().await.unwrap();
        home.ok(&["send", "@global", "before"]);
        home.ok(&["web", "--revoke"]);
        home.ok(&["send", "@global", "after"]);
        let heard = feed.text().await.unwrap();
        assert!(heard.contains("hello"), "{heard}");
        assert!(!heard.contains("\"after\""), "{heard}");
    });
}

#[test]
fn the_feed_of_a_browser_ends_as_soon_as_it_is_shut_out() {
    let home = Home::with_config("[feed]\nheartbeat = \"12s\"\n");
    let _daemon = home.daemon();
    block_on(async {
        let http = agent_worker_http::client().no_proxy().build().unwrap();
        let (base, token) = let_in(&http, &home.ok(&["web", "--no-open"])).await;
        let feed = http.get(format!("{base}/events")).bearer_auth(token);
        // Before a heartbeat could end it.
        let feed = feed.timeout(Duration::from_secs(10)).send().await.unwrap();
        home.ok(&["web", "--revoke"]);
        feed.text().await.expect("the feed has ended");
    });
}

#[test]
fn the_page_is_small_and_takes_nothing_from_elsewhere() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let http = agent_worker_http::client().no_proxy().build().unwrap();
        let file = home.daemon_file().unwrap();
        let base = format!("http://{}:{}", file.host, file.port);
        let page = http.get(&base).send().await.unwrap();
        let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
        for part in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"] {
            assert!(policy.contains(part), "{policy}");
        }
        let html = page.text().await.unwrap();
        let scripts = [
            "daemon", "feed", "mirror", "tree", "talk", "run", "composer", "markdown", "needs",
            "history",
        ];
        let mut bytes = html.len();
        for path in scripts
            .iter()
            .map(|name| format!("/web/{name}.js"))
            .chain(["/web/main.js".to_owned(), "/web/style.css".to_owned()])
        {
            let text = http.get(format!("{base}{path}")).send().await.unwrap();
            assert_eq!(text.status(), 200, "{path}");
            let text = text.text().await.unwrap();
            assert!(!text.contains("innerHTML") && !text.contains("eval("), "{path}");
            bytes += text.len();
        }
        assert!(bytes < 150_000, "{bytes}");
    });
}
