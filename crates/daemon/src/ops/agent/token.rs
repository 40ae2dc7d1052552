//! Tokens of members that work outside. Only their hashes are stored.

use agent_worker_protocol::{MemberKind, MemberTokenRevoke, Target, TokenRevoked};

use crate::{
    changes::run::outside,
    context::{Cx, Run},
    error::{OpError, Result},
    rows::{AgentRow, member_token},
};

/// Gives a member the token of this hash, in place of the one it had. A repeat of the request is
/// refused: the token itself is not stored, and a new one would end what was given out.
pub fn set(
    cx: &mut Cx<'_>,
    target: &Target,
    hash: &[u8; 32],
    key: Option<(&str, &[u8; 32])>,
) -> Result<Target> {
    cx.operator_only("creating a token")?;
    let member = outside(cx, target)?;
    if let Some((key, request)) = key {
        if cx.stored_answer(key, request)?.is_some() {
            return Err(OpError::conflict(format!(
                "cannot repeat a token of `{}`: it was made with the idempotency key `{key}`, and \
                 tokens are not stored",
                member.target()
            ))
            .hint(format!("agent-worker token {}", member.target())));
        }
        cx.store_answer(key, request, "null")?;
    }
    member_token::set(cx.db, member.id, hash, cx.now)?;
    Ok(member.target())
}

impl Run for MemberTokenRevoke {
    fn run(&self, cx: &mut Cx<'_>) -> Result<TokenRevoked> {
        cx.operator_only("revoking a token")?;
        let member = outside(cx, &self.target)?;
        if member_token::remove(cx.db, member.id)? == 0 {
            return Err(OpError::not_found(format!("`{}` has no token", member.target()))
                .hint(format!("agent-worker token {}", member.target())));
        }
        outside::free(cx, member.id, "its token was revoked")?;
        Ok(TokenRevoked { agent: member.target() })
    }
}

fn outside(cx: &Cx<'_>, target: &Target) -> Result<AgentRow> {
    let member = cx.locate_member(target)?;
    if member.kind == MemberKind::External {
        return Ok(member);
    }
    Err(OpError::invalid(format!("`{target}` has no token: it is not an external member"))
        .hint("agent-worker new NAME --backend external"))
}
