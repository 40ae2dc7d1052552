//! Notes signs of life of external members.

use crate::{context::cx::Cx, error::OpError, rows::run::RunRow};

/// Notes that a member outside is still there.
pub fn hear(cx: &Cx<'_>, run: &RunRow) -> Result<(), OpError> {
    run.note_heartbeat(cx.db, cx.now)
}
