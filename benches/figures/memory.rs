//! Search in the memory of an agent: 10,000 notes in the files of a year, and 5 MB that last.

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use agent_worker_home::{Home, HomeFile, Memory, note};

use super::{
    limit::share,
    table::{ms, percentile, print},
};

/// How many notes are searched.
const NOTES: usize = 10_000;
/// How many days they are from.
const DAYS: usize = 365;
/// How long the long-term memory is, in bytes.
const LASTING: usize = 5 << 20;
/// How often each search is made.
const SEARCHES: usize = 100;
/// What a search may take: the aim, in ms.
const AIM: f64 = 5.0;

fn fill(home: &Home) {
    let first: jiff::civil::Date = "2026-01-01".parse().expect("it is a date");
    for (n, day) in first.series(jiff::Span::new().days(1)).take(DAYS).enumerate() {
        let notes = (n..NOTES).step_by(DAYS).map(|n| {
            let text = format!("the user asked for change{} in file{n}.rs\nand was glad", n % 500);
            note(&format!("09:00 direct run_{n}"), &text)
        });
        let notes = notes.collect::<Vec<_>>().concat();
        home.append(HomeFile::Day(day), &notes).expect("it is written");
    }
    let mut lasting = String::new();
    while lasting.len() < LASTING {
        let n = lasting.len();
        writeln!(lasting, "- fact{n}: the user prefers plan{} to others\n", n % 97)
            .expect("a String takes any text");
    }
    home.replace(HomeFile::LongTerm, lasting.as_bytes()).expect("it is written");
}

fn look(home: &Home, memory: &mut Memory, query: &str) -> Vec<Duration> {
    let mut spans: Vec<_> = (0..SEARCHES)
        .map(|_| {
            let begun = Instant::now();
            memory.refresh(home).expect("it is read");
            std::hint::black_box(memory.search(query, 10));
            begun.elapsed()
        })
        .collect();
    spans.sort_unstable();
    spans
}

pub fn run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let home = Home::make(folder.path(), "").expect("it is created");
    fill(&home);
    let mut memory = Memory::default();
    let begun = Instant::now();
    memory.refresh(&home).expect("it is read");
    let first = begun.elapsed();
    let mut rows =
        vec![vec!["read all of it, once".to_owned(), ms(first), ms(first), "-".to_owned()]];
    for (what, query) in [
        ("a rare word", "file77.rs"),
        ("a word of every note", "user"),
        ("three words", "user glad change77"),
        ("nothing", "absent"),
    ] {
        let spans = look(&home, &mut memory, query);
        let high = percentile(&spans, 95);
        let share = share(&format!("memory, {what}, p95 in ms"), high.as_secs_f64() * 1e3, AIM);
        rows.push(vec![what.to_owned(), ms(percentile(&spans, 50)), ms(high), share]);
    }
    print(
        "Search in a memory of 10,000 notes and 5 MB (aim: p95 of 5 ms)",
        &["what", "p50", "p95", "of the aim"],
        &rows,
    );
}
