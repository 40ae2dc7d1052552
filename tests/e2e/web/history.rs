//! All that an agent was told, thought, did and said, in one scroll.

use agent_worker_protocol::{Ask, Mode};

use super::{browser, chat::held, streams::TURNS};
use crate::support::{Home, Team, block_on, mock};

#[test]
fn hired_agents_stand_below_their_parent() {
    let home = Home::new();
    let folder = home.example("hire");
    home.ok(&["run", folder.join("workflow.yaml").to_str().unwrap(), "--quiet"]);
    block_on(async {
        let test = "hired_agents_stand_below_their_parent";
        let Some(browser) = browser(test, &home, (1200, 800)).await else { return };
        browser.go(home.ok(&["web", "--no-open"]).trim()).await;
        let depths = "[...document.querySelectorAll('#tree li[data-depth]')]\
            .map((one) => one.dataset.depth + one.querySelector('span').textContent).join(' ')";
        browser.until(&format!("{depths} === '0lead 1north 1south'")).await;
    });
}

const RUNS: usize = 22;

async fn ask(home: &Home, text: &str) {
    let ask = Ask::new("alice@team".parse().unwrap(), text.to_owned());
    home.client().serve(&ask).await.unwrap();
}

#[test]
fn an_agents_whole_history_is_in_one_scroll_and_goes_on() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "an_agents_whole_history_is_in_one_scroll_and_goes_on";
        let Some(browser) = browser(test, &home, (1200, 800)).await else { return };
        let script = mock("- think: so it begins\n- call: team_members\n- say: it is done");
        let team = Team::new("team", "").agent("alice", &script);
        team.start(&home, &home.client(), Mode::Start).await;
        for n in 1..=RUNS {
            ask(&home, &format!("question {n}.")).await;
        }
        browser.go(home.ok(&["web", "--no-open"]).trim()).await;
        let alice = "[...document.querySelectorAll('#tree button')]\
            .find((one) => one.textContent.startsWith('alice'))";
        browser.until(alice).await;
        browser.run(&format!("({alice}).click()")).await;
        browser.until("!document.querySelector('#history').hidden").await;
        browser.run("document.querySelector('#history').click()").await;

        let items = "[...document.querySelectorAll('#past > li')]";
        let has = |at: &str, text: &str| format!("{items}.at({at}).textContent.includes('{text}')");
        browser.until(&format!("{items}.length === 20 && {}", has("-1", "it is done"))).await;
        assert_eq!(browser.run("return document.querySelector('#talk').hidden").await, true);
        let newest = [format!("question {RUNS}."), "so it begins".into(), "team_members".into()];
        for text in newest {
            browser.until(&has("-1", &text)).await;
        }
        browser.run("document.querySelector('#past').scrollTop = 0").await;
        browser.until(&format!("{items}.length === {RUNS}")).await;
        browser.run("document.querySelector('#past').scrollTop = 0").await;
        browser.until(&has("0", "question 1.")).await;

        ask(&home, "one more.").await;
        browser.until(&format!("{items}.length === {}", RUNS + 1)).await;
        browser.run(&format!("{items}.at(-1).scrollIntoView()")).await;
        browser.until(&has("-1", "one more.")).await;
        browser.until(&has("-1", "succeeded")).await;
        browser.run("document.querySelector('#history').click()").await;
        browser.until("!document.querySelector('#talk').hidden").await;
    });
}

#[test]
fn the_history_of_an_agent_without_a_workflow_goes_on_too() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.ok(&["new", "alice", "--backend", "mock"]);
    block_on(async {
        let test = "the_history_of_an_agent_without_a_workflow_goes_on_too";
        let Some(browser) = browser(test, &home, (1200, 800)).await else { return };
        browser.go(home.ok(&["web", "--no-open"]).trim()).await;
        let alice = "document.querySelector('[data-key=\"alice @global\"]')";
        browser.until(alice).await;
        browser.run(&format!("{alice}.click()")).await;
        browser.run("document.querySelector('#history').click()").await;
        browser.until("document.querySelector('#past').textContent === 'No runs yet.'").await;
        home.ok(&["ask", "alice", "go"]);
        browser.until("document.querySelector('#past').textContent.includes('run_1')").await;
    });
}

#[test]
fn a_history_opens_while_that_of_another_agent_is_still_read() {
    let home = Home::new();
    let _daemon = home.daemon();
    for name in ["alice", "bob"] {
        home.ok(&["new", name, "--backend", "mock"]);
    }
    block_on(async {
        let test = "a_history_opens_while_that_of_another_agent_is_still_read";
        let Some(browser) = browser(test, &home, (1200, 800)).await else { return };
        browser.go(home.ok(&["web", "--no-open"]).trim()).await;
        browser
            .run(
                "const real = window.fetch;
                 window.fetch = (path, request) => path.startsWith('/runs?target=alice')
                     ? new Promise(() => {})
                     : real(path, request);",
            )
            .await;
        for name in ["alice", "bob"] {
            let agent = format!("document.querySelector('[data-key=\"{name} @global\"]')");
            browser.until(&agent).await;
            browser.run(&format!("{agent}.click()")).await;
            browser.run("document.querySelector('#history').click()").await;
        }
        browser.until("document.querySelector('#past').textContent === 'No runs yet.'").await;
    });
}

#[test]
fn a_message_that_comes_behind_the_history_is_read_when_that_closes() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.ok(&["new", "alice", "--backend", "mock"]);
    block_on(async {
        let test = "a_message_that_comes_behind_the_history_is_read_when_that_closes";
        let Some(browser) = browser(test, &home, (1200, 800)).await else { return };
        browser.go(home.ok(&["web", "--no-open"]).trim()).await;
        let alice = "document.querySelector('[data-key=\"alice @global\"]')";
        browser.until(alice).await;
        browser.run(&format!("{alice}.click()")).await;
        browser
            .run(
                "const real = window.fetch;
                 window.noted = 0;
                 window.fetch = (path, request) => {
                     if (path.startsWith('/cursors')) window.noted += 1;
                     return real(path, request);
                 };
                 document.querySelector('#history').click();",
            )
            .await;
        let message = format!("a long one\n\n{}", "- more of it\n".repeat(100));
        home.ok(&["send", "alice", &message]);
        browser.until("document.querySelector('#talk').textContent.includes('a long one')").await;
        assert_eq!(browser.run("return window.noted").await, 0);
        browser.run("document.querySelector('#history').click()").await;
        browser
            .until(
                "(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight > clientHeight
                 && scrollHeight - scrollTop - clientHeight < 2)(document.querySelector('#talk'))
                 && window.noted",
            )
            .await;
    });
}

#[test]
fn a_run_that_begins_while_the_history_is_read_is_shown_once() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_run_that_begins_while_the_history_is_read_is_shown_once";
        let Some(browser) = browser(test, &home, (1200, 800)).await else { return };
        let team = Team::new("team", "").agent("alice", &held("go", "- say: it is done"));
        team.start(&home, &home.client(), Mode::Start).await;
        let go = home.write("go", "");
        ask(&home, "question 1.").await;
        std::fs::remove_file(go).unwrap();
        browser.go(home.ok(&["web", "--no-open"]).trim()).await;
        let alice = "document.querySelector('[data-key=\"alice @team\"]')";
        browser.until(alice).await;
        browser.run(&format!("{alice}.click()")).await;
        browser
            .run(
                "const real = window.fetch;
                 window.fetch = async (path, request) => {
                     if (path.startsWith('/runs?')) await new Promise((go) => (window.letGo = go));
                     return real(path, request);
                 };
                 document.querySelector('#history').click();",
            )
            .await;
        home.ok(&["send", "@team", "@alice go on"]);
        browser.until("document.querySelector('#past > .run')").await;
        browser.run("window.letGo()").await;
        browser.until("document.querySelector('#past-run_1')").await;
        let shown = "return [...document.querySelectorAll('#past > li')].map((one) => one.id)";
        assert_eq!(browser.run(shown).await, serde_json::json!(["past-run_1", "past-run_2"]));
        home.write("go", "");
        browser
            .until("document.querySelector('#past-run_2 .state').textContent === 'succeeded'")
            .await;
    });
}

#[test]
fn a_history_that_could_not_be_read_says_so_and_is_read_after_a_break() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.ok(&["new", "alice", "--backend", "mock"]);
    block_on(async {
        let test = "a_history_that_could_not_be_read_says_so_and_is_read_after_a_break";
        let Some(browser) = browser(test, &home, (1200, 800)).await else { return };
        browser.go(home.ok(&["web", "--no-open"]).trim()).await;
        let alice = "document.querySelector('[data-key=\"alice @global\"]')";
        browser.until(alice).await;
        browser.run(&format!("{alice}.click()")).await;
        browser
            .run(&format!(
                "{TURNS}
                 const real = window.fetch;
                 const body = JSON.stringify({{ error: {{ message: 'it is full' }} }});
                 window.fetch = async (path, request) => {{
                     if (!path.startsWith('/runs?')) return real(path, request);
                     window.fetch = real;
                     return new Response(body, {{ status: 503 }});
                 }};
                 document.querySelector('#history').click();"
            ))
            .await;
        browser.until("document.querySelector('#past').textContent === 'it is full'").await;
        browser.run("window.turn(true)").await;
        home.ok(&["ask", "alice", "go"]);
        browser.run("window.turn(false)").await;
        browser.until("document.querySelector('#past-run_1')").await;
        let count = "return document.querySelectorAll('#past > li').length";
        assert_eq!(browser.run(count).await, 1);
    });
}
