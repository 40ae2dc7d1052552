use super::*;

#[test]
fn a_model_that_is_away_is_told_with_when_it_is_asked_again() {
    let mut away = ModelAway {
        since: Timestamp(10_000),
        attempt: 3,
        of: Some(6),
        next_at: Timestamp(62_000),
        error: None,
    };
    let told = away.told(Timestamp(50_000));
    assert_eq!(told, "model unavailable for 40s, try 3 of 6 in 12s");
    away.of = None;
    let soon = away.told(Timestamp(61_999));
    assert_eq!(soon, "unavailable for 51s, try 3 in 1s");
    away.error = Some("too many open files".to_owned());
    let late = away.explained(Timestamp(130_000));
    assert_eq!(late, "unavailable for 2m, try 3 now (too many open files)");
}
