use proptest::prelude::*;

use super::*;
use crate::cases::cases;

fn found(query: &str, candidates: &[&str]) -> Vec<String> {
    best(query, candidates).iter().map(|found| candidates[found.index].to_owned()).collect()
}

#[test]
fn the_best_is_first_and_the_rest_is_left_out() {
    let all = ["stop agent", "start workflow", "show status", "redraw", "STOP all"];
    assert_eq!(found("stop", &all), ["stop agent", "STOP all"]);
    assert_eq!(found("sw", &all), ["start workflow", "show status"]);
    assert_eq!(found("agent st", &all), ["stop agent"]);
    assert_eq!(found("nothing like it", &all), Vec::<String>::new());
    assert_eq!(found("uber", &["über alles", "unter"]), ["über alles"]);
}

#[test]
fn signs_are_letters_like_all_others() {
    assert_eq!(found("!x", &["x", "a!x"]), ["a!x"]);
    assert_eq!(found("^x", &["x", "^x"]), ["^x"]);
}

#[test]
fn what_fits_equally_well_stays_in_order() {
    let all = ["beta run", "alpha run", "gamma run"];
    assert_eq!(found("", &all), all);
    assert_eq!(found("  ", &all), all);
    assert_eq!(found("run", &["b run", "a run", "c run"]), ["b run", "a run", "c run"]);
}

#[test]
fn what_was_looked_for_is_marked() {
    let text = Ink::from("e\u{301}中 stop");
    let at = best("中st", &[text.as_str()]).remove(0).at;
    let row = marked(&text, &at, Role::Dim);
    let expected = Row::of("e\u{301}", Role::Dim)
        .with("中", Role::Match)
        .with(" ", Role::Dim)
        .with("st", Role::Match)
        .with("op", Role::Dim);
    assert_eq!(row, expected);
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn every_mark_lies_in_its_line(query in "\\PC{0,6}", lines in prop::collection::vec("\\PC{0,20}", 0..8)) {
        for found in best(&query, &lines) {
            let clusters = lines[found.index].graphemes(true).count();
            prop_assert!(found.at.iter().all(|at| *at < clusters));
            let ink = Ink::part(&lines[found.index]);
            prop_assert_eq!(marked(&ink, &found.at, Role::Text).text(), lines[found.index].clone());
        }
    }
}
