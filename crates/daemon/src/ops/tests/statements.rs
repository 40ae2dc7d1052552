//! How many statements the writer runs: each one costs the thread that every caller waits for.

use super::*;
use crate::rows::statements;

/// The number of statements that this runs once what is kept has been read.
fn counted<T>(
    world: &World,
    mut work: impl FnMut(&mut Cx<'_>) -> Result<T, OpError> + Send + 'static,
) -> u64 {
    world.daemon(move |cx| {
        work(cx)?;
        let before = statements();
        work(cx)?;
        Ok(statements() - before)
    })
}

#[test]
fn a_member_is_read_with_one_statement_whatever_it_does() {
    let world = World::new();
    world.start(&["alice"], "@alice begin");
    let entity = |row: AgentRow| counted(&world, move |cx| row.entity(cx.db));
    assert_eq!(entity(world.agent("alice")), 1, "with mail");
    let run = world.claim();
    assert_eq!(entity(world.agent("alice")), 1, "in a run");
    world.succeed(&run, "done");
    assert_eq!(entity(world.agent("alice")), 1, "idle");
}
