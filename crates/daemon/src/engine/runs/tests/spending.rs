use super::*;

fn usage(input: i64, output: i64) -> Usage {
    Usage { input: Some(input), output: Some(output), ..Usage::default() }
}

fn dear() -> Spending {
    let (cache_read, cache_write, over) = (None, None, None);
    Spending::at(Some(Price { input: 1.0, output: 10.0, cache_read, cache_write, over }))
}

#[test]
fn an_answer_is_noted_while_it_grows_and_counts_once() {
    let mut spending = dear();
    let mut told = |is_whole: bool, usage| {
        let mut progress = Progress::default();
        if is_whole {
            spending.used(usage, None, &mut progress).unwrap();
        } else {
            spending.using(usage, None);
            spending.note(&mut progress);
        }
        assert!(!spending.is_ahead());
        (progress.usage, progress.cost)
    };
    for _ in 0..2 {
        assert_eq!(told(false, usage(3_000_000, 0)), (usage(3_000_000, 0), Some(3.0)));
        assert_eq!(told(false, usage(3_000_000, 0)), (Usage::default(), None));
        assert_eq!(told(false, usage(3_000_000, 50_000)), (usage(0, 50_000), Some(0.5)));
        assert_eq!(told(true, usage(3_000_000, 200_000)), (usage(0, 150_000), Some(1.5)));
    }
}

#[test]
fn an_answer_is_noted_first_at_once_and_then_every_few_seconds() {
    let (mut spending, begun) = (dear(), Instant::now());
    for _ in 0..2 {
        spending.using(usage(100, 1), None);
        assert!(spending.is_due(begun));
        spending.note(&mut Progress::default());
        assert!(!spending.is_due(Instant::now() + EVERY), "nothing is new");
        spending.using(usage(100, 2), None);
        assert!(!spending.is_due(begun + EVERY / 2));
        assert!(spending.is_due(Instant::now() + EVERY));
        spending.used(usage(100, 3), None, &mut Progress::default()).unwrap();
    }
}

#[test]
fn what_is_impossible_is_left_out_while_an_answer_grows_and_refused_at_its_end() {
    let (mut spending, mut progress) = (dear(), Progress::default());
    spending.using(usage(1_000_000, 0), None);
    spending.using(usage(-1, 0), None);
    spending.using(usage(1, 1), Some(f64::NAN));
    assert!(spending.used(usage(1, -1), None, &mut progress).is_err());
    spending.note(&mut progress);
    assert_eq!((progress.usage, progress.cost), (usage(1_000_000, 0), Some(1.0)));
}
