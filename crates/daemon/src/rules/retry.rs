//! When a failed delivery is tried again.

use std::time::Duration;

use agent_worker_protocol::{DeliveryState, RunId, RunKind, Timestamp};

use crate::{
    context::Cx,
    error::Result,
    rows::{DeliveryRow, EndCause, RunRow, WorkflowRow},
    rules::{budget, ending::Failure},
};

/// A context that is too long is tried once more; when that too is too long, nothing helps.
pub fn after_overflow(cx: &Cx<'_>, row: &RunRow, class: EndCause) -> Result<EndCause> {
    let earlier = match (class, row.retry_of) {
        (EndCause::Overflow, Some(earlier)) => RunRow::find(cx.db, RunId::new(earlier))?,
        _ => None,
    };
    let again = earlier.is_some_and(|run| run.class == Some(EndCause::Overflow.class()));
    Ok(if again { EndCause::Permanent } else { class })
}

/// Sends one delivery of a failed run on its way.
pub fn send_on(
    cx: &Cx<'_>,
    row: &RunRow,
    delivery: &mut DeliveryRow,
    class: EndCause,
    failure: &Failure,
    jitter: f64,
) -> Result<()> {
    let runs = &cx.settings.runs;
    let uses_attempt = matches!(class, EndCause::Transient | EndCause::TimedOut);
    if !uses_attempt {
        delivery.attempts = (delivery.attempts - 1).max(0);
    }
    // A member outside that went away has nothing to do with the daemon's death.
    let is_outside = row.kind == RunKind::External;
    delivery.lost_count = match class {
        EndCause::Lost if is_outside => delivery.lost_count,
        EndCause::Lost => delivery.lost_count + 1,
        _ => 0,
    };
    delivery.last_error = Some(failure.error.clone());
    let most = if class == EndCause::TimedOut { runs.timeout_attempts } else { runs.attempts };
    match class {
        EndCause::Transient | EndCause::TimedOut if delivery.attempts >= most => {
            delivery.go(DeliveryState::Dead)
        }
        // A delivery that does not wake its agent waits for the agent's next run.
        EndCause::Transient | EndCause::TimedOut if !delivery.wakes => {
            delivery.go(DeliveryState::Pending)
        }
        EndCause::Transient | EndCause::TimedOut => {
            delivery.go(DeliveryState::Waiting)?;
            delivery.not_before = Some(retry_time(cx, delivery.attempts, jitter));
            Ok(())
        }
        EndCause::Unavailable | EndCause::Overflow | EndCause::Permanent | EndCause::Stopped => {
            delivery.go(DeliveryState::Pending)
        }
        EndCause::Lost if delivery.lost_count >= runs.lost_limit => {
            delivery.hold(&format!("lost: the daemon died in {} runs of it", delivery.lost_count))
        }
        EndCause::Lost => delivery.go(DeliveryState::Pending),
        // A limit that was raised meanwhile holds nothing.
        EndCause::OverBudget => {
            match budget::exhausted(cx, &WorkflowRow::by_id(cx.db, row.scope_id)?) {
                Some(reason) => delivery.refuse(&reason),
                None => delivery.go(DeliveryState::Pending),
            }
        }
        EndCause::Cancelled if row.kind == RunKind::Ask => delivery.go(DeliveryState::Dropped),
        EndCause::Cancelled => delivery.hold("cancelled"),
    }
}

/// When the next attempt is due: the delay grows by its factor, and is spread by a fifth. What lies
/// farther ahead than the longest would be taken for a time of another clock.
fn retry_time(cx: &Cx<'_>, attempts: i64, jitter: f64) -> Timestamp {
    let runs = &cx.settings.runs;
    let exponent = i32::try_from(attempts.clamp(1, 20) - 1).unwrap_or(0);
    let factor = f64::from(runs.retry_factor).powi(exponent) * (0.8 + 0.4 * jitter);
    let seconds = runs.retry_delay.duration().as_secs_f64() * factor;
    let longest = cx.settings.longest_retry().as_secs_f64();
    cx.now.after(Duration::from_secs_f64(seconds.min(longest)))
}
