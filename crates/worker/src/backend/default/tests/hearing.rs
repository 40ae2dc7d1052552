use super::*;
use crate::reports::tests::Kept;

/// Which blocks of two whole calls are cut, by number, in an answer that ends like this.
fn cut(stop: Option<Stop>, is_whole: bool) -> Vec<(i64, bool)> {
    let kept = Kept::default();
    let reports = Reports::to(kept.clone());
    let transcript = Transcript::new(reports.clone());
    let mut hearing = Hearing::new(&transcript, &reports);
    for n in 0..2 {
        let part = Part::calling(n.to_string(), "channel_send".to_owned());
        hearing.hear(Event::Begin { n, part });
        hearing.hear(Event::Grow { n, text: "{}".to_owned() });
        hearing.hear(Event::End { n });
    }
    if let Some(stop) = stop {
        hearing.hear(Event::Stop(stop));
    }
    assert_eq!(hearing.end(is_whole).parts.len(), 2);
    let ends = kept.reports().into_iter().filter_map(|report| match report {
        WorkerReport::BlockEnd { n, cut } => Some((n, cut)),
        _ => None,
    });
    ends.collect()
}

#[test]
fn only_calls_that_are_made_are_whole_in_the_transcript() {
    assert_eq!(cut(Some(Stop::Done), true), [(0, false), (1, false)]);
    assert_eq!(cut(None, false), [(0, true), (1, true)], "the answer broke off");
    assert_eq!(cut(Some(Stop::Done), false), [(0, true), (1, true)], "an error came last");
    assert_eq!(cut(Some(Stop::Length), true), [(0, false), (1, true)], "the last was cut off");
}
