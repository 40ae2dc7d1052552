use super::*;
use crate::text::plain;

fn cells(row: &[&str]) -> Vec<String> {
    row.iter().map(|&cell| cell.to_owned()).collect()
}

#[test]
fn a_table_has_no_borders_and_no_space_at_its_end() {
    let rows = vec![cells(&["alice", "idle", "-"]), cells(&["bob@review", "running", "3"])];
    insta::assert_snapshot!(plain(&table(None, &["AGENT", "STATE", "UNREAD"], rows)), @r"
    AGENT       STATE    UNREAD
    alice       idle     -
    bob@review  running  3
    ");
}

#[test]
fn a_table_fits_the_terminal() {
    let rows = vec![cells(&["alice", &"word ".repeat(20)])];
    let text = plain(&table(Some(40), &["AGENT", "DOING"], rows));
    assert!(text.lines().all(|line| line.width() <= 40), "{text}");
}

#[test]
fn a_narrow_terminal_breaks_no_number_and_no_identifier() {
    let rows = vec![
        cells(&["run_199", "alice@review", "succeeded", "18.2k/2.1k", "$0.0226"]),
        cells(&["run_200", "bob@review", "running", "-", "-"]),
    ];
    let header = ["RUN", "AGENT", "STATE", "TOKENS", "COST"];
    let text = plain(&table(Some(40), &header, rows.clone()));
    insta::assert_snapshot!(text, @r"
    RUN     run_199
    AGENT   alice@review
    STATE   succeeded
    TOKENS  18.2k/2.1k
    COST    $0.0226

    RUN     run_200
    AGENT   bob@review
    STATE   running
    TOKENS  -
    COST    -
    ");
    assert_eq!(plain(&table(Some(59), &header, rows)).lines().count(), 3, "there is room");
}

#[test]
fn further_lines_hang_under_the_first() {
    insta::assert_snapshot!(hanging("10:12 alice  ", 13, "one\n  two\n\nthree", None), @r"
    10:12 alice  one
                   two

                 three
    ");
    insta::assert_snapshot!(hanging("alice  ", 7, "the quick brown fox jumps over it", Some(30)), @r"
    alice  the quick brown fox
           jumps over it
    ");
}

#[test]
fn a_word_that_is_too_long_is_broken_and_nothing_is_lost() {
    let long = "日本語".repeat(10);
    let lines = wrapped(&long, 20);
    assert!(lines.iter().all(|line| line.width() <= 20), "{lines:?}");
    assert_eq!(lines.concat(), long);
    assert_eq!(wrapped("日本", 1), ["日", "本"]);
    assert_eq!(wrapped(&format!("    {}", "x".repeat(30)), 20).concat().trim(), "x".repeat(30));
}
