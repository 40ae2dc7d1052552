//! Search among 100,000 messages.

use std::time::{Duration, Instant};

use agent_worker_daemon::testing::{Credential, Cx, Run, Store};
use agent_worker_protocol::{ChannelSend, Scope, Search};

use super::{
    limit::share,
    sends::{bare_store, operator},
    table::{ms, percentile, print},
};

/// How many messages are searched.
const MESSAGES: usize = 100_000;
/// How many are stored in one transaction, so that it takes no hours.
const BATCH: usize = 1_000;
/// How often each search is made.
const SEARCHES: usize = 200;
/// What a search may take: the aim, in ms.
const AIM: f64 = 2.0;

const COMMON: [&str; 12] =
    ["the", "please", "look", "at", "this", "change", "and", "say", "what", "is", "wrong", "with"];
const SIGNS: [&str; 6] = ["请检查", "東京の天気", "谢谢你", "文档", "並行処理", "测试通过"];

/// A text of about the length that agents send each other, with common and rare words.
fn text(n: usize) -> String {
    let common = |at: usize| COMMON[(n * 7 + at * 5) % COMMON.len()];
    let words: Vec<_> = (0..12).map(common).collect();
    let signs = if n.is_multiple_of(3) { SIGNS[n / 3 % SIGNS.len()] } else { "" };
    format!("{} word{} {signs} in file{}.rs", words.join(" "), n % 5_000, n % 97)
}

fn fill(store: &Store) {
    for batch in 0..MESSAGES / BATCH {
        let work = move |cx: &mut Cx<'_>| {
            for n in 0..BATCH {
                let message = text(batch * BATCH + n);
                ChannelSend { message, to: Vec::new(), intent: None, reply_to: None }.run(cx)?;
            }
            Ok(())
        };
        store.blocking_write(operator(), work).expect("they are stored");
    }
}

fn as_member() -> Credential {
    let member = Some("sink".parse().expect("it is a name"));
    Credential::Operator { target: Some(Scope::global().into()), member }
}

/// The name of a search, the text to search for, and the caller.
type Wanted = (&'static str, &'static str, fn() -> Credential);

fn searches() -> Vec<Wanted> {
    vec![
        ("a rare word", "word77", operator),
        ("a word of every message", "please", operator),
        ("three of them", "please change wrong", operator),
        ("a phrase", "\"please and\"", operator),
        ("a phrase with a rare word", "\"word4711 in\"", operator),
        ("words of all, never a phrase", "\"look at\"", operator),
        ("a common and a rare word", "the word4711", operator),
        ("the beginning of a word", "word49*", operator),
        ("one sign", "京", operator),
        ("a word of two signs", "天気", operator),
        ("a word of five", "東京の天気", operator),
        ("by a member", "please from:user", operator),
        ("by nobody, of every message", "please from:nobody", operator),
        ("in a conversation", "word77 in:channel", operator),
        ("of an hour", "please after:1h", operator),
        ("before it all", "please before:2020-01-01", operator),
        ("documents", "please kind:document", operator),
        ("as an agent may", "please change", as_member),
        ("nothing", "absent", operator),
    ]
}

fn look(
    runtime: &tokio::runtime::Runtime,
    store: &Store,
    text: &str,
    who: fn() -> Credential,
) -> Vec<Duration> {
    let mut spans: Vec<_> = (0..SEARCHES)
        .map(|_| {
            let search = Search { text: text.to_owned(), limit: None, next: None };
            let begun = Instant::now();
            runtime.block_on(store.read(who(), move |cx| search.run(cx))).expect("it is found");
            begun.elapsed()
        })
        .collect();
    spans.sort();
    spans
}

pub fn run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = bare_store(&folder);
    fill(&store);
    // The words of what was stored are in the index before anything is measured.
    let search = Search { text: "please".to_owned(), limit: None, next: None };
    store.blocking_write(operator(), move |cx| search.run(cx)).expect("it is found");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut rows = Vec::new();
    for (what, text, who) in searches() {
        let spans = look(&runtime, &store, text, who);
        let p95 = percentile(&spans, 95);
        rows.push(vec![
            what.to_owned(),
            ms(percentile(&spans, 50)),
            ms(p95),
            share(&format!("search, {what}, p95 in ms"), p95.as_secs_f64() * 1e3, AIM),
        ]);
    }
    print(
        "Search among 100,000 messages (aim: p95 of 2 ms)",
        &["what", "p50", "p95", "of the aim"],
        &rows,
    );
}
