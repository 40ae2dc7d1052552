//! Notes signs of life of external members.

use rusqlite::params;

use crate::{context::cx::Cx, error::OpError, rows::run::RunRow};

/// Notes that a member outside is still there.
pub fn hear(cx: &Cx<'_>, run: &RunRow) -> Result<(), OpError> {
    cx.conn
        .prepare_cached("UPDATE runs SET last_heartbeat = ?2 WHERE id = ?1")?
        .execute(params![run.id.number(), cx.now.0])?;
    Ok(())
}
