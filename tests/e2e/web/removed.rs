//! Workflows that are removed while the page shows them.

use agent_worker_protocol::{Mode, WorkflowStart};

use super::{
    browser::Browser,
    chat::{ENTER, WIDE, item, open, start},
    sending::write,
    streams::TURNS,
};
use crate::support::{Home, Team, block_on, mock};

/// Has the page draw between any two events.
const ONE_BY_ONE: &str = "
    const real = window.fetch;
    const frame = () => new Promise((go) => requestAnimationFrame(go));
    window.fetch = async (path, request) => {
        const answer = await real(path, request);
        if (!path.startsWith('/events')) return answer;
        document.body.dataset.slow = 'yes';
        const [read, write] = [new TextDecoder(), new TextEncoder()];
        const slow = new TransformStream({
            async transform(bytes, out) {
                for (const event of read.decode(bytes, { stream: true }).split(/(?<=\\n\\n)/)) {
                    out.enqueue(write.encode(event));
                    await frame();
                    await frame();
                }
            },
        });
        return new Response(answer.body.pipeThrough(slow), answer);
    };";

#[test]
fn a_fresh_start_leaves_the_page_at_its_workflow() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "a_fresh_start_leaves_the_page_at_its_workflow";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        let script = mock("- say: la");
        start(&home, &browser, &script).await;
        let slow = format!("{TURNS} {ONE_BY_ONE} window.turn(true); window.turn(false);");
        browser.run(&slow).await;
        browser.until("document.body.dataset.slow").await;
        home.ok(&["stop", "@team"]);
        let team = Team::new("team", "").agent("alice", &script);
        let again = WorkflowStart { fresh: true, ..team.to_start(&home, Mode::Start) };
        home.client().call(&again).await.unwrap();
        // The last one comes by the feed alone, behind all that the start has changed.
        for text in ["to the second", "to the third"] {
            home.ok(&["send", "@team", text]);
            browser.until(&item(text)).await;
        }
        let title = browser.run("return document.querySelector('#title').textContent").await;
        assert_eq!(title, "channel @team");
    });
}

#[test]
fn the_page_leaves_an_agent_that_was_removed_for_its_channel() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "the_page_leaves_an_agent_that_was_removed_for_its_channel";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        go_to_ivy(&home, &browser).await;
        home.ok(&["rm", "ivy"]);
        browser.until(&is_titled("channel @global")).await;
        assert_eq!(browser.run("return document.querySelector('#history').hidden").await, true);
    });
}

const IVY: &str = "document.querySelector('[data-key=\"ivy @global\"]')";

/// Goes to the conversation with a new agent.
async fn go_to_ivy(home: &Home, browser: &Browser) {
    home.write("ivy.yaml", &mock("- say: la"));
    home.ok(&["new", "ivy", "--backend", "mock", "--script", "ivy.yaml"]);
    browser.until(IVY).await;
    browser.run(&format!("{IVY}.click()")).await;
    browser.until(&is_titled("ivy @global")).await;
    browser.until(&format!("{IVY}.ariaCurrent === 'page'")).await;
}

fn is_titled(title: &str) -> String {
    format!("document.querySelector('#title').textContent === '{title}'")
}

#[test]
fn what_is_being_written_to_an_agent_that_is_removed_goes_nowhere_else() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let test = "what_is_being_written_to_an_agent_that_is_removed_goes_nowhere_else";
        let Some(browser) = open(test, &home, WIDE).await else { return };
        go_to_ivy(&home, &browser).await;
        write(&browser, "the beginning").await;
        home.ok(&["rm", "ivy"]);
        browser.until(&format!("!{IVY}")).await;
        browser.keys("#text", &format!(" and the end{ENTER}")).await;
        let told = "document.querySelector('#told').textContent";
        browser.until(&format!("{told}.startsWith('Not sent: ')")).await;
        let draft = browser.run("return document.querySelector('#text').value").await;
        assert_eq!(draft, "the beginning and the end");
        browser.run("document.querySelector('#text').value = ''").await;
        home.ok(&["send", "@global", "another event"]);
        browser.until(&is_titled("channel @global")).await;
    });
}
