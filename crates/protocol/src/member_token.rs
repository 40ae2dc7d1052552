//! Tokens of members that work outside: what their clients show, with a run's rights and no more.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{op::op, terms::Target};

/// Make a token for an external member; an earlier one of it is valid no longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemberTokenCreate {
    /// The member
    pub target: Target,
}

/// Revoke the token of an external member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemberTokenRevoke {
    /// The member
    pub target: Target,
}

/// A token. It is shown once: the daemon keeps a hash of it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemberToken {
    /// The member, with its workflow
    pub agent: Target,
    /// For the header `Authorization: Bearer …`
    pub token: String,
}

/// That a token was revoked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenRevoked {
    /// The member, with its workflow
    pub agent: Target,
}

impl std::fmt::Debug for MemberToken {
    /// Leaves out the token.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemberToken").field("agent", &self.agent).finish_non_exhaustive()
    }
}

op!(MemberTokenCreate "member_token_create": post "/agents/{target}/token", write => MemberToken);
op!(MemberTokenRevoke "member_token_revoke": delete "/agents/{target}/token", write
    => TokenRevoked);
