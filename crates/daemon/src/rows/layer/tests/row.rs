use super::table;
use crate::rows::{Db, layer::row::New, row, sql, table};

row! {
    /// A vote.
    #[derive(Debug, PartialEq)]
    struct VoteRow from "votes AS v" {
        id: i64 = "v.id",
        choice: String,
        /// None if the voter gave none.
        reason: Option<String>,
        letters: i64 = "length(v.choice)",
    }
}

table! {
    /// A vote that is cast.
    struct NewVote<'a> into Votes {
        choice: &'a str,
        why: Option<&'a str> = "reason",
    }
}

#[test]
fn a_row_has_its_columns_in_their_order() {
    assert_eq!(VoteRow::SELECT, "SELECT v.id, choice, reason, length(v.choice) FROM votes AS v");
}

#[test]
fn a_new_row_names_its_columns() {
    assert_eq!(NewVote::INSERT, "INSERT INTO votes (choice, reason) VALUES (?, ?)");
}

#[test]
fn what_is_put_in_is_read_again() {
    const BY_ID: &str = sql!(VoteRow::SELECT, " WHERE v.id = ?1");
    let conn = table();
    let db = Db::new(&conn);
    let id = db.insert(&NewVote { choice: "yes", why: None }).unwrap();
    let row = VoteRow { id, choice: "yes".to_owned(), reason: None, letters: 3 };
    assert_eq!(db.one::<VoteRow>(BY_ID, (id,)).unwrap(), row);
}
