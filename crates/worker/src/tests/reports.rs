use super::*;

/// A place that keeps what was written to it.
#[derive(Clone, Default)]
pub struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    /// All that was written.
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// The reports so far.
    pub fn reports(&self) -> Vec<WorkerReport> {
        self.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_long_delta_is_split_between_characters() {
    let kept = Kept::default();
    let text = format!("a{}", "é".repeat(MAX_DELTA));
    Reports::to(kept.clone()).delta(7, &text);
    let mut joined = String::new();
    let reports = kept.reports();
    for report in &reports {
        let WorkerReport::Delta { n: 7, text } = report else { panic!("{report:?}") };
        assert!(text.len() <= MAX_DELTA);
        joined.push_str(text);
    }
    assert_eq!((joined == text, reports.len()), (true, 3));
    Reports::to(kept.clone()).delta(7, "");
    assert_eq!(kept.reports().len(), 3);
}

#[test]
fn a_long_last_text_goes_ahead_in_pieces() {
    let kept = Kept::default();
    let text = format!("a{}", "é".repeat(MAX_DELTA));
    Reports::to(kept.clone()).last(WorkerReport::Finished { text: text.clone(), acted: true });
    let mut reports = kept.reports();
    let Some(WorkerReport::Finished { text: end, .. }) = reports.pop() else { panic!("no end") };
    let mut joined = String::new();
    for report in &reports {
        let WorkerReport::Piece { text } = report else { panic!("{report:?}") };
        assert!(text.len() <= MAX_DELTA);
        joined.push_str(text);
    }
    assert_eq!((joined + &end == text, reports.len()), (true, 2));
}

#[test]
fn an_impossible_part_of_what_a_program_has_used_is_left_out() {
    let usage = |input, output| Usage { input, output, ..Usage::default() };
    let used = |input, cost| WorkerReport::Used { usage: usage(input, Some(20)), cost };
    for (told, cost, reported, is_all) in [
        (usage(Some(100), Some(20)), Some(0.5), used(Some(100), Some(0.5)), true),
        (usage(Some(-1), Some(20)), Some(0.5), used(None, Some(0.5)), false),
        (usage(Some(i64::MAX), Some(20)), None, used(None, None), false),
        (usage(Some(100), Some(20)), Some(10_001.0), used(Some(100), None), false),
        (usage(Some(100), Some(20)), Some(-0.1), used(Some(100), None), false),
    ] {
        let kept = Kept::default();
        assert_eq!(Reports::to(kept.clone()).used_as_told(told, cost), is_all, "{told:?}");
        assert_eq!(kept.reports(), [reported]);
    }
    let kept = Kept::default();
    assert!(!Reports::to(kept.clone()).used_as_told(usage(Some(-1), None), None));
    assert!(kept.reports().is_empty());
}

#[tokio::test(start_paused = true)]
async fn signs_of_life_come_by_themselves() {
    let kept = Kept::default();
    Reports::to(kept.clone()).beat(Duration::from_secs(5));
    tokio::time::sleep(Duration::from_secs(16)).await;
    assert_eq!(kept.reports(), [const { WorkerReport::Heartbeat }; 3]);
}
