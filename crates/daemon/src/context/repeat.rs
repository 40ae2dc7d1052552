//! Answers kept for repeats of their requests.

use agent_worker_protocol::MemberKind;
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

use crate::{
    context::{Cx, Who},
    error::{OpError, Result},
    rows::{NewAnswer, idempotency},
};

impl Cx<'_> {
    /// Looks a stored answer up, by the caller and the key it sent.
    pub fn stored_answer(&self, key: &str, request: &[u8; 32]) -> Result<Option<String>> {
        match idempotency::find(self.db, &self.principal()?, key)? {
            None => Ok(None),
            Some(known) if known.request == self.addressed(request) => Ok(Some(known.answer)),
            Some(_) => Err(OpError::conflict(format!(
                "the idempotency key `{key}` was used for another request"
            ))
            .hint("use a new key for each request")),
        }
    }

    /// Keeps an answer for a repeat of its request.
    pub fn store_answer(&self, key: &str, request: &[u8; 32], answer: &str) -> Result<()> {
        let (principal, created_at) = (self.principal()?, self.now);
        let request = &self.addressed(request);
        let new = NewAnswer { principal: &principal, key, request, answer, created_at };
        self.db.insert(&new).map(drop)
    }

    /// A request's hash together with the name that it is for, which is none of its fields.
    fn addressed(&self, request: &[u8; 32]) -> [u8; 32] {
        match self.target.as_ref().and_then(|target| target.name.as_ref()) {
            Some(name) => {
                Sha256::digest([request.as_slice(), name.as_str().as_bytes()].concat()).into()
            }
            None => *request,
        }
    }

    /// Who sent a key. A member is known by its row: another that is made under its name is sent
    /// none of its answers.
    pub fn principal(&self) -> Result<String> {
        let named = || format!("{} {}", self.by.actor, self.default_scope);
        match &self.who {
            Who::Run(run) => Ok(run.id.to_string()),
            Who::Operator { member: Some(_) } => match self.member() {
                Ok(member) if member.kind != MemberKind::Person => {
                    Ok(format!("agent:{}", member.id))
                }
                Ok(_) | Err(OpError::Refused(_)) => Ok(named()),
                Err(error) => Err(error),
            },
            Who::Operator { member: None } | Who::Daemon => Ok(named()),
        }
    }
}

/// What makes two requests the same.
pub fn request_hash(name: &str, request: &impl Serialize) -> Result<[u8; 32]> {
    let text = serde_json::to_string(request)
        .map_err(|error| OpError::Broken(format!("a request: {error}")))?;
    let hash = Sha256::new().chain_update(name).chain_update(" ").chain_update(text);
    Ok(hash.finalize().into())
}

/// Does something once for each key of a caller.
pub fn once<T: Serialize + DeserializeOwned>(
    cx: &mut Cx<'_>,
    key: Option<&str>,
    request: &[u8; 32],
    work: impl FnOnce(&mut Cx<'_>) -> Result<T>,
) -> Result<T> {
    let broken = |error: serde_json::Error| OpError::Broken(format!("an answer: {error}"));
    let Some(key) = key else { return work(cx) };
    if let Some(answer) = cx.stored_answer(key, request)? {
        return serde_json::from_str(&answer).map_err(broken);
    }
    let answer = work(cx)?;
    cx.store_answer(key, request, &serde_json::to_string(&answer).map_err(broken)?)?;
    Ok(answer)
}
