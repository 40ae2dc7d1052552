//! A long text that streams into the control room: what its last pieces cost of what its first do.

use std::time::{Duration, Instant};

use agent_worker_tui::figures;

use super::{
    limit::share,
    table::{median, print},
};

const BYTES: usize = 200_000;
const PIECE: usize = 12;

const PARAGRAPH: &str =
    "Some **words** of a paragraph that has `code` and [links](https://x.test).\n\n";
const LINE: &str = "A line of a block that does not end, with **words** and `code` in it.\n";
const WORD: &str = "nospaces";

fn costs(text: &str) -> Vec<Duration> {
    let mut costs = Vec::new();
    figures::stream(text, PIECE, |work| {
        let begun = Instant::now();
        work();
        costs.push(begun.elapsed());
    });
    costs
}

fn median_us(costs: &[Duration]) -> f64 {
    median(costs.iter().map(|cost| cost.as_secs_f64() * 1e6).collect())
}

pub fn run() {
    let rows: Vec<_> = [("paragraphs", PARAGRAPH), ("one block", LINE), ("one line", WORD)]
        .into_iter()
        .map(|(name, part)| {
            let costs = costs(&part.repeat(BYTES / part.len()));
            let tenth = costs.len() / 10;
            let first = median_us(&costs[..tenth]);
            let last = median_us(&costs[costs.len() - tenth..]);
            let share = share(&format!("G-12 {name}"), last / first, 1.5);
            vec![name.to_owned(), format!("{first:.1} µs"), format!("{last:.1} µs"), share]
        })
        .collect();
    print(
        "G-12 A text of 200 kB that streams, for each 12 characters",
        &["text", "first tenth", "last tenth", "last / first, of 1.5"],
        &rows,
    );
}
