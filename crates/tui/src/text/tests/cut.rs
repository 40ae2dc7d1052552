use proptest::prelude::*;

use super::*;
use crate::cases::cases;

#[test]
fn of_a_megabyte_a_part_is_looked_at_and_no_sign_is_cut() {
    let text = format!("ab{}", "中".repeat(MOST));
    assert_eq!(part(&text).len(), MOST - 2);
    assert_eq!(part("中文"), "中文");
}

#[test]
fn a_name_loses_its_end() {
    for (text, cells, cut) in [
        ("review:pr-123", 13, "review:pr-123"),
        ("review:pr-123", 12, "review:pr-1…"),
        ("中文字", 5, "中文…"),
        ("中文字", 4, "中…"),
        ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ("ab", 1, "…"),
        ("ab", 0, ""),
    ] {
        assert_eq!(end(text, cells, "…").as_str(), cut);
    }
    assert_eq!(end("abcdef", 4, "..").as_str(), "ab..");
    assert_eq!(end("abcdef", 1, "..").as_str(), "");
}

#[test]
fn a_path_keeps_its_first_and_its_last_part() {
    for (cells, cut) in [
        (33, "crates/daemon/src/inbox/ledger.rs"),
        (32, "crates/…/src/inbox/ledger.rs"),
        (27, "crates/…/inbox/ledger.rs"),
        (18, "crates/…/ledger.rs"),
        (16, "crate…/ledger.rs"),
        (11, "…/ledger.rs"),
        (10, "crate…r.rs"),
        (1, "…"),
        (0, ""),
    ] {
        assert_eq!(middle("crates/daemon/src/inbox/ledger.rs", cells, "…").as_str(), cut);
    }
    assert_eq!(middle("/var/lib/agent/home.db", 16, "…").as_str(), "/var/…/home.db");
}

#[test]
fn what_is_no_path_keeps_both_ends() {
    for (text, cells, cut) in [
        ("0123456789", 10, "0123456789"),
        ("0123456789", 6, "012…89"),
        ("0123456789", 2, "0…"),
        ("中文中文中", 6, "中…中"),
    ] {
        assert_eq!(middle(text, cells, "…").as_str(), cut);
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn what_is_cut_fits_and_what_fits_is_not_cut(text in "\\PC{0,40}", cells in 0..50usize) {
        let ink = Ink::from(text);
        for cut in [end(ink.clone(), cells, "…"), middle(ink.clone(), cells, "…")] {
            prop_assert!(width(cut.as_str()) <= cells, "{:?}", cut);
            if width(ink.as_str()) <= cells {
                prop_assert_eq!(&cut, &ink);
            }
        }
    }
}
