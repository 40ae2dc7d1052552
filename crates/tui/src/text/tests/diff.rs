use proptest::prelude::*;

use super::*;
use crate::{cases::cases, symbols::Set};

fn sheet(width: usize) -> Sheet {
    Sheet { symbols: Symbols::of(Set::Unicode), width, is_beside: false, bounds: BOUNDS }
}

fn texts(diff: &Diff) -> String {
    diff.rows.iter().map(|row| row.text() + "\n").collect()
}

fn counted(from: usize, to: usize) -> String {
    (from..=to).map(|line| format!("{line}\n")).collect()
}

#[test]
fn what_differs_stands_among_the_lines_around_it() {
    let old = counted(1, 20);
    let new = old.replace("\n5\n", "\nfive\n").replace("\n18\n", "\n18\neighteen and a half\n");
    let symbols = Symbols::of(Set::Unicode);
    let diff = diff(&old, &new, symbols, 16);
    insta::assert_snapshot!(texts(&diff), @r"
    @@ -2,7 +2,7 @@
     2
     3
     4
    −5
    +five
     6
     7
     8
    @@ -16,5 +16,6 …
     16
     17
     18
    +eighteen and a
     half
     19
     20
    ");
    assert_eq!(diff.summary(symbols), "+2 −1");
    assert_eq!(diff.summary(Symbols::of(Set::Ascii)), "+2 -1");
}

#[test]
fn words_that_differ_stand_out_of_their_line() {
    let diff = compare("the cursor is an id\n", "the cursor is a number\n", sheet(80), 3);
    let removed = Row::of("−", Role::Removed)
        .with("the cursor is ", Role::Removed)
        .with("an", Role::Strong)
        .with(" ", Role::Removed)
        .with("id", Role::Strong);
    assert_eq!(diff.rows[1], removed);
    assert_eq!(diff.rows[2].spans[0], (Ink::from("+"), Role::Added));
}

#[test]
fn with_room_what_was_stands_beside_what_is() {
    let old = "one\nthe cursor is an id\ngone\nthree\n";
    let new = "one\nthe cursor is a number\nthree\nand four, which is longer than a side of this width has room for\n";
    let diff = compare(old, new, Sheet { is_beside: true, ..sheet(BESIDE) }, 3);
    insta::assert_snapshot!(texts(&diff), @r"
    @@ -1,4 +1,4 @@
     one                                        │  one
    −the cursor is an id                        │ +the cursor is a number
    −gone                                       │ 
     three                                      │  three
                                                │ +and four, which is longer than a side of
                                                │  this width has room for
    ");
    for row in &diff.rows {
        assert!(row.width() <= BESIDE, "{row:?}");
    }
    let changed = &diff.rows[2].spans;
    assert!(changed.contains(&(Ink::from("id"), Role::Strong)), "{changed:?}");
    assert!(changed.contains(&(Ink::from("number"), Role::Strong)), "{changed:?}");
}

#[test]
fn texts_that_are_the_same_have_no_part() {
    assert_eq!(compare("a\nb\n", "a\nb\n", sheet(80), 3), Diff::default());
    assert_eq!(compare("", "", sheet(80), 3), Diff::default());
}

#[test]
fn a_missing_line_break_at_the_end_is_told() {
    assert_eq!(
        texts(&compare("a\n", "a", sheet(80), 3)),
        "@@ -1,1 +1,1 @@\n−a\n+a\n\\ no line break at the end\n"
    );
    assert_eq!(texts(&compare("", "a\n", sheet(80), 3)), "@@ -0,0 +1,1 @@\n+a\n");
}

#[test]
fn lines_that_differ_in_what_is_not_shown_are_told() {
    let note = format!("\\ {LOOK_ALIKE}\n");
    for (old, new, told) in [
        ("a\r\nb\r\n", "a\nb\n", format!("@@ -1,2 +1,2 @@\n−a\n−b\n+a\n+b\n{note}")),
        ("a\rb\n", "a\nb\n", format!("@@ -1,2 +1,2 @@\n−a\n+a\n{note} b\n")),
        ("\ta\n", "    a\n", format!("@@ -1,1 +1,1 @@\n−    a\n+    a\n{note}")),
        ("a\n", "\u{202e}a\u{200b}\n", format!("@@ -1,1 +1,1 @@\n−a\n+a\n{note}")),
        ("a\n", "a\nb\u{200b}\n", "@@ -1,1 +1,2 @@\n a\n+b\n".to_owned()),
    ] {
        assert_eq!(texts(&compare(old, new, sheet(80), 3)), told);
    }
}

#[test]
fn no_control_string_takes_the_lines_behind_it_out_of_a_difference() {
    let diff = compare("", "a\u{1b}]0;\nb\n\u{7}c\n", sheet(80), 3);
    assert_eq!(texts(&diff), "@@ -0,0 +1,3 @@\n+a⟦esc⟧\n+b\n+^Gc\n");
}

#[test]
fn what_is_too_long_to_compare_is_one_change() {
    let (old, new) = (counted(1, 9), counted(1, 9).replace("4\n", "x\n").replace("6\n", "y\n"));
    let bounds = Bounds { compared: 5, words: 0, ..BOUNDS };
    assert_eq!(
        texts(&compare(&old, &new, Sheet { bounds, ..sheet(80) }, 1)),
        "@@ -3,5 +3,5 @@\n 3\n−4\n−5\n−6\n+x\n+5\n+y\n 7\n"
    );
    let bounds = Bounds { compared: 6, ..BOUNDS };
    assert_eq!(compare(&old, &new, Sheet { bounds, ..sheet(80) }, 1).added, 2);
}

#[test]
fn what_is_too_long_to_show_says_so() {
    let bounds = Bounds { shown: 2, cells: 4, ..BOUNDS };
    let diff = compare("", "one two\nb\nc\n", Sheet { bounds, ..sheet(80) }, 1);
    assert_eq!(texts(&diff), "@@ -0,0 +1,3 @@\n+one …\n+b\n… not all is shown\n");
    assert_eq!(diff.added, 3);
}

/// A text, and one made of it by changing some lines.
fn pairs() -> impl Strategy<Value = (String, String)> {
    let lines = prop::collection::vec(("[ab中]{0,3}( [xy]{1,12}){0,4}", 0..8u8), 0..30);
    let pair = lines.prop_map(|lines| {
        let (mut old, mut new) = (String::new(), String::new());
        for (line, change) in lines {
            if change != 1 {
                old += &format!("{line}\n");
            }
            match change {
                0 => {}
                2 => new += &format!("{line} z\n"),
                _ => new += &format!("{line}\n"),
            }
        }
        (old, new)
    });
    (pair, any::<bool>()).prop_map(|((old, mut new), ends)| {
        if !ends {
            new.pop();
        }
        (old, new)
    })
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn each_text_is_what_the_other_and_the_difference_say((old, new) in pairs(), words: bool) {
        let bounds = Bounds { words: if words { BOUNDS.words } else { 0 }, ..BOUNDS };
        let sheet = Sheet { bounds, ..sheet(1000) };
        let diff = compare(&old, &new, sheet, usize::MAX / 4);
        let side = |signs: [char; 2]| -> String {
            let rows = diff.rows.iter().map(Row::text).filter(|row| row.starts_with(signs));
            rows.map(|row| row.chars().skip(1).collect::<String>() + "\n").collect()
        };
        if old != new {
            let ended = |text: &str| lines(text).join("").trim_end_matches('\n').to_owned();
            prop_assert_eq!(ended(&side([' ', '−'])), ended(&old));
            prop_assert_eq!(ended(&side([' ', '+'])), ended(&new));
        }
        let rows = |sign: char| diff.rows.iter().filter(|row| row.text().starts_with(sign)).count();
        prop_assert_eq!((rows('+'), rows('−')), (diff.added, diff.removed));
    }

    #[test]
    fn rows_fit_and_parts_begin_where_they_are_said_to((old, new) in pairs(), width in 0..60usize) {
        let diff = compare(&old, &new, sheet(width), 3);
        for row in &diff.rows {
            prop_assert!(row.width() <= width, "{row:?}");
        }
        if width > 20 {
            for part in &diff.parts {
                prop_assert!(diff.rows[*part].text().starts_with("@@"));
            }
        }
    }
}
