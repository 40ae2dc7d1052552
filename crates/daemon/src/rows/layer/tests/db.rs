use std::ops::ControlFlow;

use rusqlite::Connection;

use super::table;
use crate::rows::{Db, Table};

const ALL: &str = "SELECT id, choice FROM votes ORDER BY id";

fn with_votes() -> Connection {
    let conn = table();
    let sql = "INSERT INTO votes (choice) VALUES (?1), (?2), (?3)";
    assert_eq!(Db::new(&conn).change(Table::Votes, sql, ("a", "b", "c")).unwrap(), 3);
    conn
}

#[test]
fn an_answer_is_read_whole_or_as_far_as_it_is_wanted() {
    let conn = with_votes();
    let db = Db::new(&conn);
    let all = db.all::<(i64, String)>(ALL, ()).unwrap();
    assert_eq!(all, [(1, "a".to_owned()), (2, "b".to_owned()), (3, "c".to_owned())]);
    let mut seen = Vec::new();
    db.each(ALL, (), |id: i64| {
        seen.push(id);
        if id == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .unwrap();
    assert_eq!(seen, [1, 2]);
}

#[test]
fn a_row_is_there_or_not() {
    let conn = with_votes();
    let db = Db::new(&conn);
    let sql = "SELECT id FROM votes WHERE choice = ?1";
    assert_eq!(db.maybe::<i64>(sql, ("b",)).unwrap(), Some(2));
    assert_eq!(db.maybe::<i64>(sql, ("z",)).unwrap(), None);
    assert!(db.exists(sql, ("b",)).unwrap() && !db.exists(sql, ("z",)).unwrap());
    assert!(db.one::<i64>(sql, ("z",)).is_err());
}

#[test]
fn a_statement_is_given_exactly_what_it_needs() {
    let conn = with_votes();
    let sql = "SELECT id FROM votes WHERE choice = ?1 OR reason = ?2";
    let db = Db::new(&conn);
    assert!(db.maybe::<i64>(sql, ("b",)).is_err());
    assert!(db.maybe::<i64>(sql, ("b", "c", "d")).is_err());
    assert!(db.maybe::<i64>(sql, ("b", None::<String>)).is_ok());
}

#[test]
fn every_table_of_the_schema_is_named_once() {
    let conn = crate::store::file::blank(i64::MAX).unwrap();
    let sql = "SELECT name FROM pragma_table_list
               WHERE schema = 'main' AND type IN ('table', 'virtual')
                   AND name NOT LIKE 'sqlite%' ORDER BY name";
    let found: Vec<String> = Db::new(&conn).all(sql, ()).unwrap();
    let known: Vec<_> = Table::ALL.iter().map(|table| table.name()).collect();
    assert_eq!(found, known);
}
