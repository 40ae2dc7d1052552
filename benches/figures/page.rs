//! The web chat in a real Chromium: first paint, scrolling through 10,000 messages, and what 20 open
//! pages cost the daemon.

use std::process::Stdio;

use agent_worker_protocol::ChannelSend;

use super::{
    browser::Browser,
    home::Home,
    limit::share,
    table::{median, print},
};

const MESSAGES: usize = 10_000;
/// The pages of a browser share one stream of the feed.
const BROWSERS: usize = 4;
const TABS: usize = 5;
/// The aims: ms to the first paint, ms of a frame, MB of 20 pages.
const PAINT: f64 = 200.0;
const FRAME: f64 = 50.0;
const MEMORY: f64 = 10.0;

/// Scrolls up, a bit each frame, until the first message is there, and notes how long frames take.
const SCROLL: &str = "
    const done = arguments[arguments.length - 1];
    const list = document.querySelector('#talk');
    const frames = [];
    let last = performance.now();
    const step = (now) => {
        frames.push(now - last);
        last = now;
        list.scrollTop -= 1000;
        const first = list.firstChild.textContent;
        if (list.scrollTop > 0 || !first.includes('line 1.')) return requestAnimationFrame(step);
        frames.sort((one, other) => one - other);
        const at = (share) => frames[Math.floor((frames.length - 1) * share)];
        done([frames.length, at(0.5), at(0.99), at(1)]);
    };
    requestAnimationFrame(step);";

fn link(home: &Home) -> String {
    let mut command = home.command("web");
    let made = command.arg("--no-open").stderr(Stdio::null()).output().expect("it is made");
    String::from_utf8(made.stdout).expect("it is text").trim().to_owned()
}

async fn fill(home: &Home) {
    let client = home.client();
    for n in 1..=MESSAGES {
        let message = format!("line {n}.\n\n{}", "more of it\n".repeat(n % 7));
        let send = ChannelSend { message, to: Vec::new(), intent: None, reply_to: None };
        client.call(&send).await.expect("it is sent");
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn run() {
    let home = Home::start("");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(browser) = Browser::open(folder.path(), (1200, 800)).await else {
        eprintln!("chromedriver is not installed: the page is not measured");
        return;
    };
    fill(&home).await;
    let before = Home::anonymous(home.file().pid);
    browser.go(&link(&home)).await;
    let is_there = "document.querySelector('#talk > li')";
    let mut paints = Vec::new();
    for _ in 0..9 {
        browser.reload().await;
        browser.until(is_there).await;
        let painted = "return performance.getEntriesByType('paint').at(-1).startTime";
        paints.push(browser.run(painted).await.as_f64().expect("it is painted"));
    }
    let scrolled = browser.wait(SCROLL).await;
    let frame = |at: usize| scrolled[at].as_f64().expect("it is a number");
    let mut browsers = vec![browser];
    while browsers.len() < BROWSERS {
        browsers.extend(Browser::open(folder.path(), (1200, 800)).await);
    }
    for (n, browser) in browsers.iter().enumerate() {
        for _ in usize::from(n == 0)..TABS {
            browser.tab().await;
            browser.go(&link(&home)).await;
            browser.until(is_there).await;
        }
    }
    let after = Home::anonymous(home.file().pid);
    #[expect(clippy::cast_precision_loss, reason = "KiB of a process are few")]
    let grown = after.saturating_sub(before) as f64 / 1024.0;
    let row = |what: &str, figure: f64, aim: f64| {
        let share = share(&format!("page, {what}"), figure, aim);
        vec![what.to_owned(), format!("{figure:.1}"), format!("{aim:.0}"), share]
    };
    let rows = [
        row("first contentful paint, ms", median(paints), PAINT),
        row(&format!("p99 of {} frames while scrolling, ms", frame(0)), frame(2), FRAME),
        row("its longest frame, ms", frame(3), FRAME),
        row("memory of the daemon with 20 pages, MiB more", grown, MEMORY),
    ];
    print("The web chat with 10,000 messages", &["", "figure", "aim", "of the aim"], &rows);
}
