//! Whatever a worker tells comes as lines that the daemon takes, and as it was told.

use agent_worker_protocol::{BlockKind, FailureClass, report::LONGEST_LINE};
use proptest::prelude::*;

use super::{tests::Kept, *};
use crate::{cases::cases, transcript::Transcript};

/// Texts of all lengths. Of some characters JSON makes six bytes.
fn text() -> impl Strategy<Value = String> {
    let length = prop_oneof![Just(0), 0..40_usize, 0..4 * MAX_DELTA];
    ("[\0-\u{1f}\"\\\\a é日👩\u{2028}]{1,5}", length)
        .prop_map(|(piece, length)| piece.repeat(length / piece.len() + 1))
}

/// What was told, line by line as the daemon reads it.
fn heard(kept: &Kept) -> Result<Vec<WorkerReport>, TestCaseError> {
    for line in kept.text().split_inclusive('\n') {
        prop_assert!(line.len() <= LONGEST_LINE, "{} bytes", line.len());
    }
    Ok(kept.reports())
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn a_block_is_told_whole_in_lines_that_are_not_too_long(name in text(), text in text()) {
        let kept = Kept::default();
        let transcript = Transcript::new(Reports::to(kept.clone()));
        transcript.write(BlockKind::ToolResult, Some(&name), &text);
        let mut heard = heard(&kept)?;
        prop_assert_eq!(heard.pop(), Some(WorkerReport::BlockEnd { n: 0, cut: false }));
        let WorkerReport::Block { n: 0, name: Some(told), .. } = heard.remove(0) else {
            panic!("it does not begin");
        };
        prop_assert!(name.starts_with(&told) && (told == name || told.len() > 250), "{}", told);
        let deltas = heard.iter().map(|report| match report {
            WorkerReport::Delta { n: 0, text } => text.as_str(),
            other => panic!("{other:?}"),
        });
        prop_assert_eq!(deltas.collect::<String>(), text);
    }

    #[test]
    fn the_last_report_is_told_whole_in_lines_that_are_not_too_long(text in text(), tail in text()) {
        let stderr = tail[..tail.floor_char_boundary(8 << 10)].to_owned();
        let step = |output| WorkerReport::StepDone { output, stderr: stderr.clone(), exit: Some(1) };
        let run = |text| WorkerReport::Finished { text, acted: true };
        for whole in [&step as &dyn Fn(String) -> WorkerReport, &run] {
            let kept = Kept::default();
            Reports::to(kept.clone()).last(whole(text.clone()));
            let mut heard = heard(&kept)?;
            let end = heard.pop().expect("a last line");
            let pieces = heard.iter().map(|report| match report {
                WorkerReport::Piece { text } => text.as_str(),
                other => panic!("{other:?}"),
            });
            let before: String = pieces.collect();
            prop_assert!(text.starts_with(&before));
            prop_assert_eq!(end, whole(text[before.len()..].to_owned()));
        }
        let kept = Kept::default();
        let (class, retry_after) = (FailureClass::Transient, None);
        Reports::to(kept.clone()).last(WorkerReport::Failed { class, error: text.clone(), retry_after });
        match &heard(&kept)?[..] {
            [WorkerReport::Failed { error, .. }] => prop_assert!(text.starts_with(error)),
            other => panic!("{other:?}"),
        }
    }
}
