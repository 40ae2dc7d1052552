//! Asking the person whether a tool may be used. It waits as long as the run may: meanwhile the
//! run's times stand still, and a heartbeat is all that the daemon wants of it.

use std::{error::Error, time::Duration};

use agent_worker_protocol::{ErrorAnswer, ErrorCode, Op as _, Permission, PermissionRequest};
use reqwest::{StatusCode, Url};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{
    daemon::Tools,
    no_answer::{NoAnswer, NotDone, again},
};

/// Where it is asked for.
const PATH: &str = "/permissions";

/// Under which a request is known again.
const KEY_HEADER: &str = "Idempotency-Key";

/// As good as for ever: the daemon says when it is decided.
const PATIENCE: Duration = Duration::from_hours(100 * 24);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The tool may be used, this once.
    Allowed,
    /// It may not, for this reason: someone denied it, or no one answered.
    Denied(String),
}

impl Tools {
    /// Asks whether a tool may be used with these arguments, and waits for the decision. An answer
    /// that is lost is asked for again, and the daemon knows the request by its key.
    pub async fn permission(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Decision, NotDone> {
        let request = PermissionRequest { tool: tool.to_owned(), arguments, expires_in: None };
        let key = Uuid::now_v7().to_string();
        decision(again(async || self.request(&request, &key).await).await?).await
    }

    /// The daemon's answer, when it comes.
    async fn request(
        &self,
        request: &PermissionRequest,
        key: &str,
    ) -> Result<(StatusCode, Vec<u8>), NoAnswer> {
        let url = Url::parse(&self.url).and_then(|url| url.join(PATH));
        let lost = |error: &dyn Error| NoAnswer::new(PermissionRequest::NAME, error, true);
        let answer = self
            .http
            .post(url.map_err(|error| lost(&error))?)
            .bearer_auth(&self.token)
            .header(KEY_HEADER, key)
            .timeout(PATIENCE)
            .json(request)
            .send()
            .await
            .map_err(|error| lost(&error))?;
        Ok((answer.status(), answer.bytes().await.map_err(|error| lost(&error))?.into()))
    }
}

async fn decision((status, body): (StatusCode, Vec<u8>)) -> Result<Decision, NotDone> {
    if !status.is_success() {
        let ErrorAnswer { error } = serde_json::from_slice(&body).map_err(garbled)?;
        // The run is over, or is about to be: the daemon does not wait for this.
        if matches!(error.code, ErrorCode::RunEnded | ErrorCode::ShuttingDown) {
            std::future::pending::<()>().await;
        }
        return Err(NotDone::Refused { op: PermissionRequest::NAME, text: error.message });
    }
    let Permission { allowed, because, .. } = serde_json::from_slice(&body).map_err(garbled)?;
    Ok(match allowed {
        Some(true) => Decision::Allowed,
        _ => Decision::Denied(because.unwrap_or_else(|| "no one decided".to_owned())),
    })
}

fn garbled(why: serde_json::Error) -> NotDone {
    NotDone::Garbled { op: PermissionRequest::NAME, why }
}
