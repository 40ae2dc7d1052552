use super::*;
use crate::tests::message;

/// Finds a time among messages with these numbers, each said in the second of its number; gives
/// the number that was found, and after how many looks.
fn found(numbers: &[i64], at: i64) -> (Option<i64>, usize) {
    let said = |seq: &i64| Message {
        created_at: Timestamp(seq * 1_000),
        ..message(*seq, "coder", "hello")
    };
    let mut looks = 0;
    let Some(mut search) = Since::new(numbers.last().map(said), Timestamp(at)) else {
        return (None, looks);
    };
    while let Some(above) = search.next() {
        looks += 1;
        let first = numbers.partition_point(|number| *number <= above);
        search.take(above, numbers.get(first).map(said));
    }
    (Some(search.found().seq), looks)
}

#[test]
fn a_time_is_found_wherever_it_is_among_messages_of_other_conversations() {
    let numbers = [3, 4, 9, 10, 11, 40, 41, 400];
    for at in 0..=401_000 {
        if at % 500 == 0 {
            let wanted = numbers.iter().copied().find(|number| number * 1_000 >= at);
            assert_eq!(found(&numbers, at).0, wanted, "{at}");
        }
    }
    assert_eq!(found(&[], 0), (None, 0));
}

#[test]
fn a_million_messages_take_twenty_looks() {
    let numbers: Vec<i64> = (1..=1_000_000).collect();
    for at in [1, 777_777_500, 999_999_001] {
        let (found, looks) = found(&numbers, at);
        assert_eq!(found, Some(at / 1_000 + 1));
        assert!(looks <= 20, "{looks}");
    }
}
