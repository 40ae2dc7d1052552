//! Parts of a call: its caller, its key, its refusal.

use agent_worker_protocol::{ErrorBody, Name, Scope, Target};
use axum::http::request::Parts;
use rmcp::{
    RoleServer,
    model::{CallToolResult, ContentBlock, JsonObject, MetaObject},
    service::RequestContext,
};
use serde_json::{Value, json, value::RawValue};

use crate::{
    context::Credential,
    error::{OpError, Result},
    surfaces::{gate::Identity, http::request::LONGEST_KEY},
};

/// An answer, as text and as data.
pub fn done(answer: &RawValue) -> Result<CallToolResult> {
    let data = serde_json::from_str(answer.get())
        .map_err(|error| OpError::Broken(format!("an answer: {error}")))?;
    let mut done = CallToolResult::success(vec![ContentBlock::text(answer.get())]);
    done.structured_content = Some(data);
    Ok(done)
}

/// A refusal is an answer, so that a model can act on it.
pub fn refusal(body: &ErrorBody) -> CallToolResult {
    let mut refused = CallToolResult::error(vec![ContentBlock::text(shown(body))]);
    // For programs, such as a client that asks the next daemon when this one stops.
    let code = JsonObject::from_iter([("code".to_owned(), json!(body.code))]);
    refused.meta = Some(MetaObject(code));
    refused
}

pub fn shown(body: &ErrorBody) -> String {
    match &body.hint {
        Some(hint) => format!("{}\nhint: {hint}", body.message),
        None => body.message.clone(),
    }
}

/// Whether a client asks for every tool (`?tools=all`), such as a client that shows its model only
/// the tools that it searches for.
pub fn wants_all(context: &RequestContext<RoleServer>) -> bool {
    let query = context.extensions.get::<Parts>().and_then(|parts| parts.uri.query());
    let mut pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    pairs.any(|(name, value)| name == "tools" && value == "all")
}

/// Who calls: the token's holder, or with the operator's token the member that `?agent=` names.
pub fn credential(context: &RequestContext<RoleServer>) -> Result<Credential> {
    let missing = || OpError::Broken("a request came past the gate".to_owned());
    let parts = context.extensions.get::<Parts>().ok_or_else(missing)?;
    let identity = parts.extensions.get::<Identity>().copied().ok_or_else(missing)?;
    let agent = agent(parts)?;
    let caller = match identity {
        Identity::Run(token_hash) => Credential::Run { token_hash, target: None, agent },
        Identity::Operator => {
            let (member, scope) = match agent {
                Some(Target { name, scope }) => (name, scope),
                None => (None, None),
            };
            // An agent is of one scope, also where that is not named; the person is of all.
            let is_agent = member.as_ref().is_some_and(|name| name.as_str() != Name::PERSON);
            let scope = scope.or_else(|| is_agent.then(Scope::global));
            Credential::Operator { target: scope.map(Target::scope), member }
        }
    };
    Ok(Credential::Tool(Box::new(caller)))
}

/// The key under which a call that is repeated is known again.
pub fn key(context: &RequestContext<RoleServer>) -> Result<Option<String>> {
    key_of(context.meta.get("idempotencyKey"))
}

/// Reads a key. A null is a key that is left out.
pub fn key_of(field: Option<&Value>) -> Result<Option<String>> {
    match field {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(key)) if (1..=LONGEST_KEY).contains(&key.chars().count()) => {
            Ok(Some(key.clone()))
        }
        Some(_) => Err(OpError::invalid(format!(
            "invalid `_meta.idempotencyKey`: must be a text of 1 to {LONGEST_KEY} characters"
        ))),
    }
}

pub fn agent(parts: &Parts) -> Result<Option<Target>> {
    let query = parts.uri.query().unwrap_or_default();
    let pairs = || form_urlencoded::parse(query.as_bytes());
    if let Some((name, _)) = pairs().find(|(name, _)| !["agent", "tools"].contains(&&**name)) {
        let error = OpError::invalid(format!("unknown query parameter `{name}`"));
        return Err(error.hint("`/mcp` takes `?agent=` and `?tools=all`"));
    }
    let mut named = pairs().filter(|(name, _)| name == "agent");
    match (named.next(), named.next()) {
        (None, _) => Ok(None),
        (Some((_, text)), None) => {
            text.parse().map(Some).map_err(|bad| OpError::invalid(format!("?agent=: {bad}")))
        }
        (Some(_), Some(_)) => Err(OpError::invalid("?agent= is given twice")),
    }
}
