//! `my_inbox` and claims with a million messages against a thousand.

use std::time::Duration;

use super::{
    deep::{Deep, Shape},
    table::{ms, percentile, print},
};

const MEASURED: usize = 500;

pub fn run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [mut shallow, mut deep] = [1_000, 1_000_000].map(|messages| {
        let shape = Shape { messages, handlers: 1, leased: 200 };
        Deep::make(&folder.path().join(format!("{messages}.db")), shape)
    });
    let mut spans = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..MEASURED {
        for (index, database) in [&mut shallow, &mut deep].into_iter().enumerate() {
            let (claim, read) = database.measure();
            spans[index].push(claim);
            spans[2 + index].push(read);
        }
    }
    for list in &mut spans {
        list.sort();
    }
    let [claim, deep_claim, read, deep_read] = spans;
    let row = |name: &str, small: &[Duration], large: &[Duration]| {
        let (small, large) = (percentile(small, 50), percentile(large, 50));
        let ratio = large.as_secs_f64() / small.as_secs_f64();
        vec![name.to_owned(), ms(small), ms(large), format!("{ratio:.2} ×"), "1.5 ×".to_owned()]
    };
    let rows = [row("claim", &claim, &deep_claim), row("my_inbox", &read, &deep_read)];
    let header = ["what (p50)", "1,000 messages", "1,000,000 messages", "ratio", "aim"];
    print("Depth: the two databases in turn", &header, &rows);
}
