use agent_worker_protocol::{Name, RunKind, Scope};
use futures::FutureExt as _;

use super::*;
use crate::{
    changes::daemon::recover,
    clock::Clock,
    context::surroundings::Surroundings,
    rows::{
        agent::AgentRow,
        conversation::ConversationRow,
        run::{EndCause, NewRun},
        workflow::WorkflowRow,
    },
    settings::Settings,
};

/// The first run, which is to end now. Nothing is told of it.
fn make_run_that_ends(cx: &mut Cx<'_>) -> Result<(), OpError> {
    recover::begin(cx, "epoch")?;
    let scope = WorkflowRow::by_name(cx.db, &Scope::global())?;
    let id = cx.db.insert(&NewRun {
        scope: scope.id,
        agent: AgentRow::by_name(cx.db, &scope, &Name::person())?.id,
        generation: 0,
        kind: RunKind::Wake,
        group_id: ConversationRow::channel(cx.db, &scope)?.id,
        cause: None,
        attempt: 1,
        retry_of: None,
        solo: false,
        state: RunState::Running,
        token_hash: Some(&[1; 32]),
        model: None,
        backend: None,
        started_at: cx.now,
        session: None,
        was_full: false,
        lease_seq: 0,
        hop: 0,
        root: None,
    })?;
    let (id, now) = (RunId::new(id), cx.now);
    RunRow::schedule_end(cx.db, id, now, EndCause::Cancelled, "cancelled").map(drop)
}

#[tokio::test(start_paused = true)]
async fn an_order_is_found_after_a_look_that_failed() {
    let settings = Arc::new(Settings::default());
    let (store, _) = Store::memory(Surroundings::new(Clock::System, settings)).unwrap();
    let mut orders = Orders::new(&store, RunId::new(1));
    {
        let mut next = pin!(orders.next());
        assert!(next.as_mut().now_or_never().is_none());
        // The look is before this in the queue, and finds no run.
        store.write(Credential::Daemon, |_: &mut Cx<'_>| Ok(())).await.unwrap();
        assert!(next.as_mut().now_or_never().is_none());
    }
    let is_later = orders.look_at.is_some_and(|at| at > Instant::now());
    assert!(is_later, "it looks again later");
    store.write(Credential::Daemon, make_run_that_ends).await.unwrap();
    let order = orders.next().await;
    assert!(matches!(order, Order::End(failure) if failure.class == EndCause::Cancelled));
}
