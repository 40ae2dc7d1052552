//! Lines of workers that do what they should, and of others.

use agent_worker_protocol::{BlockKind, Interval, Usage, WorkerReport, report::LONGEST_LINE};
use proptest::prelude::*;
use tokio::io::BufReader;

use crate::{
    cases::cases,
    engine::process::reports::{Line, Lines},
};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,20}", "[\0-\u{1f}\"\\\\{}\u{2028}é日👩]{0,20}"]
}

fn report() -> impl Strategy<Value = WorkerReport> {
    use agent_worker_protocol::run::FailureClass::Overflow;
    use agent_worker_protocol::run::FailureClass::Permanent;
    use agent_worker_protocol::run::FailureClass::TimedOut;
    use agent_worker_protocol::run::FailureClass::Transient;
    use agent_worker_protocol::run::FailureClass::Unavailable;
    let class = prop::sample::select(vec![Overflow, Permanent, TimedOut, Transient, Unavailable]);
    let kind = prop::sample::select(vec![BlockKind::Text, BlockKind::ToolCall, BlockKind::Error]);
    let (number, some) = (any::<i64>(), || prop::option::of(any::<i64>()));
    let usage = (some(), some(), some(), some(), some()).prop_map(
        |(input, output, cache_read, cache_write, reasoning)| Usage {
            input,
            output,
            cache_read,
            cache_write,
            reasoning,
        },
    );
    // A sum that every reader of decimal numbers reads alike.
    let cost = prop::option::of((0..1_000_000_u32).prop_map(|cents| f64::from(cents) / 4.0));
    let span = prop::option::of((0..1_000_000_u64).prop_map(Interval::seconds));
    prop_oneof![
        Just(WorkerReport::Started),
        Just(WorkerReport::Heartbeat),
        any::<u32>().prop_map(|turn| WorkerReport::Chose { turn }),
        (number, kind, prop::option::of(text())).prop_map(|(n, kind, name)| WorkerReport::Block {
            n,
            kind,
            name
        }),
        (number, text()).prop_map(|(n, text)| WorkerReport::Delta { n, text }),
        (number, any::<bool>()).prop_map(|(n, cut)| WorkerReport::BlockEnd { n, cut }),
        (usage.clone(), cost.clone()).prop_map(|(usage, cost)| WorkerReport::Using { usage, cost }),
        (usage, cost).prop_map(|(usage, cost)| WorkerReport::Used { usage, cost }),
        text().prop_map(|text| WorkerReport::Piece { text }),
        (text(), text(), prop::option::of(any::<i32>()))
            .prop_map(|(output, stderr, exit)| WorkerReport::StepDone { output, stderr, exit }),
        text().prop_map(|text| WorkerReport::Finished { text, acted: true }),
        (class, text(), span).prop_map(|(class, error, retry_after)| WorkerReport::Failed {
            class,
            error,
            retry_after
        }),
    ]
}

/// An invalid report line, without its end.
fn garbage() -> impl Strategy<Value = Vec<u8>> {
    let broken = (report(), any::<prop::sample::Index>()).prop_map(|(report, at)| {
        let mut line = serde_json::to_vec(&report).unwrap();
        line.truncate(at.index(line.len()));
        line
    });
    let bytes = prop::collection::vec(any::<u8>(), 0..40);
    let json = prop::sample::select(vec!["", "{}", "null", "[]", "{\"report\":\"gossip\"}", "\r"]);
    prop_oneof![broken, bytes, json.prop_map(|text| text.as_bytes().to_vec())]
        .prop_map(|line| line.into_iter().filter(|byte| *byte != b'\n').collect())
}

/// Lines to the end, read through a buffer of this many bytes.
fn read(bytes: &[u8], capacity: usize) -> Vec<Line> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let mut reader = BufReader::with_capacity(capacity, bytes);
        let (mut lines, mut found) = (Lines::default(), Vec::new());
        loop {
            match lines.next(&mut reader).await {
                Line::End => return found,
                line => found.push(line),
            }
        }
    })
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn a_report_is_read_as_it_was_written_whatever_stands_between_and_however_it_comes(
        lines in prop::collection::vec(prop_oneof![
            3 => report().prop_map(Ok),
            1 => garbage().prop_map(Err),
        ], 0..12),
        ends_in_a_break in any::<bool>(),
        capacity in 1..200_usize,
    ) {
        let line = |line: &Result<WorkerReport, Vec<u8>>| match line {
            Ok(report) => serde_json::to_vec(report).unwrap(),
            Err(garbage) => garbage.clone(),
        };
        let mut bytes: Vec<u8> = lines.iter().flat_map(|one| [line(one), vec![b'\n']].concat()).collect();
        let is_whole = lines.last().is_some_and(|last| !line(last).is_empty());
        if is_whole && !ends_in_a_break {
            bytes.pop();
        }
        let found = read(&bytes, capacity);
        prop_assert_eq!(found.len(), lines.len());
        for (found, line) in found.iter().zip(&lines) {
            match (found, line) {
                (Line::Report(found), Ok(report)) => prop_assert_eq!(found, report),
                (Line::Bad(why), Err(_)) => prop_assert!(why.chars().count() < 200, "{}", why),
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }

    #[test]
    fn a_line_too_long_is_told_once_it_is(text in "[a-zé]{1,4}", more in 1..70_000_usize, capacity in 1..70_000_usize) {
        let long = text.repeat((LONGEST_LINE + more) / text.len() + 1);
        let mut reader = BufReader::with_capacity(capacity, long.as_bytes());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut lines = Lines::default();
        let told = runtime.block_on(lines.next(&mut reader));
        prop_assert!(matches!(&told, Line::Bad(why) if why.contains("more than")), "{:?}", told);
        prop_assert!(lines.partial.len() <= LONGEST_LINE + capacity, "{}", lines.partial.len());
    }
}
