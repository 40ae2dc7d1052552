//! The home of an agent whose run begins.

use agent_worker_protocol::{AgentHome, ErrorCode, RunKind, Timestamp};
use jiff::tz::TimeZone;

use crate::{
    changes::run::claim::Claimed,
    context::{Credential, Cx},
    engine::{
        app::App,
        home::{at::HomeAt, refusal::CHOOSE},
        runs::environment::permanent,
    },
    error::OpError,
    rows::EndCause,
    rules::{ending::Failure, hint},
};

/// Creates the home of a run's agent where it is missing, and says where it is. `None` if the agent
/// has none.
pub async fn ready(app: &App, claimed: &Claimed) -> Result<Option<AgentHome>, Failure> {
    if claimed.agent.home.is_none() {
        return Ok(None);
    }
    let (of, agent) = (app.clone(), claimed.agent.clone());
    let look = move |cx: &mut Cx<'_>| HomeAt::of(&of, cx, &agent);
    let ready = async {
        let Some(at) = app.store().read(Credential::Daemon, look).await? else { return Ok(None) };
        let path = at.path.display().to_string();
        at.create(app).await?;
        Ok(Some(path))
    };
    let path = ready.await.map_err(|error: OpError| unusable(error, claimed))?;
    Ok(path.map(|path| at_now(path, app.store().clock().now(), claimed.run.kind)))
}

/// A home, with the day that it is there.
fn at_now(path: String, now: Timestamp, kind: RunKind) -> AgentHome {
    let time = jiff::Timestamp::from_millisecond(now.0).unwrap_or_default();
    let utc_offset = TimeZone::system().to_offset(time).seconds();
    AgentHome { path, now, utc_offset, kind }
}

fn unusable(error: OpError, claimed: &Claimed) -> Failure {
    let body = error.into_body();
    if body.code == ErrorCode::TooSlow {
        // Its disk may come back by itself.
        return Failure::new(EndCause::Unavailable, body.message);
    }
    let target = claimed.agent.target();
    let remedy = match body.hint {
        Some(hint) if hint == CHOOSE => hint::of_home(&claimed.scope, &claimed.agent),
        Some(hint) => format!("{hint}; then agent-worker resume {target}"),
        None => format!("agent-worker resume {target}"),
    };
    permanent(format!("{}: {remedy}", body.message))
}
