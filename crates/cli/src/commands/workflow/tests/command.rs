use rustix::process::{Signal as Sent, getpid, kill_process};

use super::*;
use crate::tests::samples;

#[test]
fn the_shell_is_told_how_it_ended() {
    let following = Phase::Following(None);
    for (state, exit) in [
        (WorkflowState::Completed, Exit::Done),
        (WorkflowState::Failed, Exit::Failed),
        (WorkflowState::Stopped, Exit::Failed),
        (WorkflowState::Stalled, Exit::Stalled),
    ] {
        assert_eq!(following.exit(&samples::workflow(state)), exit);
    }
    let stopping = Phase::Stopping { exit: Exit::TimedOut, until: Instant::now() };
    assert_eq!(stopping.exit(&samples::workflow(WorkflowState::Stopped)), Exit::TimedOut);
}

#[tokio::test]
async fn ctrl_c_that_ends_the_reader_of_a_workflow_that_stays_is_an_interrupt() {
    let mut signals = Signals::listen().unwrap();
    let session = samples::session();
    let workflow = samples::workflow(WorkflowState::Running);
    kill_process(getpid(), Sent::INT).unwrap();
    assert_eq!(leave(&session, &workflow, &mut signals).await, Exit::Interrupted);
}
