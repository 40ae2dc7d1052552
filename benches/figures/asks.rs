//! The first word of an answer, from an agent with a large home and from one without any.

use std::time::{Duration, Instant};

use agent_worker_client::{AskStream, Client};
use agent_worker_protocol::{AgentCreate, Ask, AskEvent};
use serde_json::json;

use super::{
    home::Home,
    limit::share,
    table::{ms, percentile, print},
};

const TIMES: usize = 100;
/// How many files the home has, and how long its long-term memory is, in bytes.
const FILES: usize = 100;
const LASTING: usize = 5 << 20;
/// How much later the first word may come: the aim, in ms.
const AIM: f64 = 5.0;

fn fill(folder: &std::path::Path) {
    let notes = folder.join("memory/daily");
    std::fs::create_dir_all(&notes).expect("it is made");
    let first: jiff::civil::Date = "2026-01-01".parse().expect("it is a date");
    for day in first.series(jiff::Span::new().days(1)).take(FILES) {
        let text = "## 09:00 direct run_1\nthe user asked for a change\n".repeat(30);
        std::fs::write(notes.join(format!("{day}.md")), text).expect("it is written");
    }
    let fact = "- the user prefers short answers to long ones\n";
    let lasting = fact.repeat(LASTING / fact.len());
    std::fs::write(folder.join("memory/long-term.md"), lasting).expect("it is written");
}

async fn make(client: &Client, name: &str, home: Option<&str>) {
    let agent = json!({
        "name": name, "backend": "mock", "home": home, "cwd": std::env::temp_dir(),
        "script": "- times: 0\n  do: [ { say: yes } ]",
    });
    let agent: AgentCreate = serde_json::from_value(agent).expect("it is one");
    client.call(&agent).await.expect("it is made");
}

/// From the question to the first word of its answer.
async fn first_word(client: &Client, name: &str) -> Duration {
    let ask = Ask::new(name.parse().expect("a target"), "well?".to_owned());
    let begun = Instant::now();
    let mut stream = AskStream::ask(client, &ask);
    let mut first = None;
    while let Some(event) = stream.next().await {
        if let AskEvent::Chunk { .. } = event.expect("it is answered") {
            first.get_or_insert(begun.elapsed());
        }
    }
    first.expect("it said something")
}

#[tokio::main(flavor = "current_thread")]
pub async fn run() {
    let home = Home::start("");
    let client = home.client();
    let folder = home.path().join("homely");
    make(&client, "plain", None).await;
    make(&client, "homely", Some(&folder.display().to_string())).await;
    fill(&folder);
    let (mut plain, mut homely) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        plain.push(first_word(&client, "plain").await);
        homely.push(first_word(&client, "homely").await);
    }
    plain.sort_unstable();
    homely.sort_unstable();
    let rows = [("p50", 50), ("p95", 95)].map(|(name, percent)| {
        let (without, with) = (percentile(&plain, percent), percentile(&homely, percent));
        let later = with.saturating_sub(without);
        let share = share(&format!("ask, {name}, ms later"), later.as_secs_f64() * 1e3, AIM);
        vec![name.to_owned(), ms(without), ms(with), ms(later), share]
    });
    print(
        "First word of an answer: no home, and one of 100 files and 5 MB (aim: 5 ms later)",
        &["", "no home", "home", "later", "of the aim"],
        &rows,
    );
}
