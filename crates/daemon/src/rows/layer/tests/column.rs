use agent_worker_protocol::{
    Conversation, FailureClass, MessageId, Name, RunState, Scope, Timestamp,
};

use super::table;
use crate::rows::{Db, layer::column::Column};

/// What comes back of a value that SQLite was given, and its text there.
fn there_and_back<T: Column>(value: &T) -> (String, T) {
    let conn = table();
    Db::new(&conn).one("SELECT quote(?1), ?1", (value,)).unwrap()
}

#[test]
fn a_value_comes_back_as_it_was_given() {
    fn same<T: Column + PartialEq + std::fmt::Debug>(value: T, text: &str) {
        assert_eq!(there_and_back(&value), (text.to_owned(), value));
    }
    same(true, "1");
    same(-7_i64, "-7");
    same("it's".to_owned(), "'it''s'");
    same(vec![1_u8, 255], "X'01FF'");
    same(Timestamp(12), "12");
    same(MessageId::new(12), "12");
    same("alice".parse::<Name>().unwrap(), "'alice'");
    same("@review:pr-1".parse::<Scope>().unwrap(), "'@review:pr-1'");
    same("channel".parse::<Conversation>().unwrap(), "'channel'");
    same(RunState::TimedOut, "'timed_out'");
    same(vec!["a".to_owned()], "'[\"a\"]'");
    same(Some(FailureClass::Lost), "'lost'");
    same(None::<FailureClass>, "NULL");
}

#[test]
fn what_is_no_value_of_the_type_is_an_error_with_its_place() {
    let conn = table();
    let db = Db::new(&conn);
    let error = |sql| db.one::<(i64, RunState)>(sql, ()).unwrap_err().to_string();
    for (sql, said) in [
        ("SELECT 1, 'asleep'", "asleep"),
        ("SELECT 1, NULL", "Null"),
        ("SELECT 1, 2", "Integer"),
        ("SELECT 'one', 'lost'", "Text"),
    ] {
        assert!(error(sql).contains(said), "{}", error(sql));
    }
}
