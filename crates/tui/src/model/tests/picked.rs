use super::*;

#[test]
fn what_is_selected_stays_so_wherever_it_goes() {
    let mut picked = Picked::default();
    picked.step(&["a", "b", "c"], 1, 9);
    assert_eq!(picked.get(&["b", "c", "a"]), Some("b"));
    assert_eq!(picked.get(&["x", "y", "b"]), Some("b"));
}

#[test]
fn what_took_the_place_of_the_selected_line_is_selected() {
    let mut picked = Picked::default();
    picked.step(&["a", "b", "c"], 1, 9);
    assert_eq!(picked.get(&["a", "c"]), Some("c"));
    assert_eq!(picked.get(&["a"]), Some("a"));
    assert_eq!(picked.get(&[]), None);
    picked.settle(&["a", "c"]);
    assert_eq!(picked.get(&["c", "a"]), Some("c"));
}

#[test]
fn the_newest_line_is_followed_only_without_focus_and_until_one_is_selected() {
    let mut picked = Picked::default();
    picked.settle_or_follow(&[2, 1], false);
    picked.settle_or_follow(&[3, 2, 1], false);
    assert_eq!(picked.get(&[3, 2, 1]), Some(3));
    picked.settle_or_follow(&[4, 3, 2, 1], true);
    assert_eq!(picked.get(&[4, 3, 2, 1]), Some(3));
    picked.settle_or_follow(&[4, 3, 2, 1], false);
    assert_eq!(picked.get(&[4, 3, 2, 1]), Some(4));
    picked.step(&[4, 3, 2, 1], 1, 9);
    picked.settle_or_follow(&[5, 4, 3, 2, 1], false);
    assert_eq!(picked.get(&[5, 4, 3, 2, 1]), Some(3));
}

#[test]
fn the_selected_line_is_on_the_screen_and_the_others_stay_where_they_are() {
    let keys: Vec<_> = (0..20).collect();
    let mut picked = Picked::default();
    let mut tops = Vec::new();
    for by in [3, 1, 1, -1, -3, isize::MAX / 2, isize::MIN / 2] {
        picked.step(&keys, by, 5);
        tops.push((picked.at(&keys).unwrap(), picked.top(&keys, 5)));
    }
    assert_eq!(tops, [(3, 0), (4, 0), (5, 1), (4, 1), (1, 1), (19, 15), (0, 0)]);
}
