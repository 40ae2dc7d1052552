//! A page costs the same however much is stored: no query of one reads a table whole, or sorts.

use super::*;
use crate::rows::{document, event, message, transcript};

/// How `SQLite` will do it, step by step.
fn plan(world: &World, sql: &str) -> Vec<String> {
    let sql = format!("EXPLAIN QUERY PLAN {sql}");
    world.daemon(move |cx| {
        let mut statement = cx.conn.prepare(&sql)?;
        let steps = statement.raw_query().mapped(|row| row.get("detail"));
        Ok(steps.collect::<Result<_, _>>()?)
    })
}

#[test]
fn the_query_of_a_page_reads_its_rows_by_an_index_and_in_their_order() {
    let world = World::new();
    let pages = [
        transcript::BLOCKS,
        transcript::NEWEST_BLOCKS,
        message::RUNS,
        delivery::OF_MESSAGE,
        document::PAGE,
    ]
    .map(ToOwned::to_owned);
    let events = [(true, true), (true, false), (false, true), (false, false)]
        .map(|(is_scoped, is_older)| event::side(is_scoped, is_older).to_owned());
    let messages = [message::OLDER, message::NEWER].map(ToOwned::to_owned);
    for sql in pages.into_iter().chain(events).chain(messages) {
        for step in plan(&world, &sql) {
            assert!(!step.starts_with("SCAN"), "{step}: {sql}");
            assert!(!step.contains("TEMP B-TREE"), "{step}: {sql}");
        }
    }
    let whole = plan(&world, "SELECT * FROM run_output WHERE kind = 'text' ORDER BY name");
    assert!(whole[0].starts_with("SCAN") && whole[1].contains("TEMP B-TREE"), "{whole:?}");
}
