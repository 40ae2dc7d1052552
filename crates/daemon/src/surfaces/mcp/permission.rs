//! The tool that Claude Code calls when it needs a permission. Its model does not see it, and it is
//! offered only to runs that may have to ask.

use std::{borrow::Cow, sync::Arc};

use agent_worker_protocol::{
    Permission, PermissionPrompt, PermissionRequest, backend::CLAUDE_TOOLS,
};
use rmcp::{
    RoleServer,
    model::{CallToolRequestParams, CallToolResult, ContentBlock, Tool},
    service::RequestContext,
};
use serde_json::{Value, json};

use crate::{
    context::Credential,
    engine::{app::App, asking},
    error::OpError,
    surfaces::mcp::{
        call::{key, shown},
        schema,
    },
};

pub fn describe() -> Tool {
    let schema = schemars::schema_for!(PermissionPrompt).to_value();
    let about = "Ask the user for a permission.";
    let name = Cow::Borrowed(PermissionPrompt::TOOL);
    Tool::new(name, about, Arc::new(schema::plain(&schema)))
}

/// Asks the user, and answers when the request is decided. What cannot be asked is denied.
pub async fn ask(
    app: &App,
    caller: Credential,
    context: &RequestContext<RoleServer>,
    request: CallToolRequestParams,
) -> CallToolResult {
    let arguments = Value::Object(request.arguments.unwrap_or_default());
    let prompt: PermissionPrompt = match serde_json::from_value(arguments) {
        Ok(prompt) => prompt,
        Err(error) => {
            return denied(OpError::invalid(format!("{}: {error}", PermissionPrompt::TOOL)));
        }
    };
    let key = match key(context) {
        Ok(key) => key,
        Err(error) => return denied(error),
    };
    let request = PermissionRequest {
        tool: own_name(&prompt.tool_name).to_owned(),
        arguments: prompt.input.clone(),
        expires_in: None,
    };
    match asking::request(app, caller, key, request).await {
        Ok(Permission { allowed: Some(true), .. }) => {
            answer(&json!({ "behavior": "allow", "updatedInput": prompt.input }))
        }
        Ok(Permission { because, .. }) => {
            deny(because.as_deref().unwrap_or("no decision was made"))
        }
        Err(error) => denied(error),
    }
}

/// Denies what could not be asked.
pub fn denied(error: OpError) -> CallToolResult {
    deny(&format!("the user could not be asked ({})", shown(&error.into_body())))
}

fn deny(because: &str) -> CallToolResult {
    let told = format!(
        "denied: {because}, and nothing was done. Work without it, or say in your answer what \
         should be done with it"
    );
    answer(&json!({ "behavior": "deny", "message": told }))
}

/// The program reads one block of text, and refuses an answer with structured content.
pub fn answer(decision: &Value) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(decision.to_string())])
}

/// The name that a tool of the workspace has for every backend.
fn own_name(tool: &str) -> &str {
    let found = CLAUDE_TOOLS.iter().find(|(_, name)| *name == tool);
    found.map_or(tool, |(own, _)| own.as_str())
}
