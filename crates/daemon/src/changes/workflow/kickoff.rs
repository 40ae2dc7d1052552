//! Sends the first message of a workflow.

use std::{collections::BTreeSet, ops::Range};

use agent_worker_protocol::{Intent, Name, ResourceId, ResourceType, WorkflowState, mention::DATA};
use agent_worker_workflow_file::template::Rendered;

use crate::{
    changes::{
        message::{self, post},
        workflow::state,
    },
    context::Cx,
    error::{OpError, Result},
    rows::{AgentRow, ConversationRow, WorkflowRow, resource, schedule},
    rules::{draft::Draft, recipients, start::Kickoff},
};

/// Sends the kickoff and has the scope run.
pub fn kick_off(cx: &mut Cx<'_>, id: i64, kickoff: Option<&Kickoff>) -> Result<()> {
    WorkflowRow::note_kickoff(cx.db, id)?;
    schedule::restart_of_scope(cx.db, id, cx.now)?;
    state::enter(cx, id, WorkflowState::Running, None)?;
    cx.judge(id);
    let Some(kickoff) = kickoff else { return Ok(()) };
    let scope = WorkflowRow::by_id(cx.db, id)?;
    let group = ConversationRow::channel(cx.db, &scope)?;
    let person = AgentRow::by_name(cx.db, &scope, &Name::person())?;
    let rendered = render(cx, &scope, kickoff)?;
    let members = AgentRow::of_scope(cx.db, id)?;
    // Mentions come from the template: text in a value neither mentions a member nor hides a
    // mention.
    let (mentions, recipients) = recipients::mentioned(&masked(&rendered), &members, person.id);
    recipients::check_count(cx, &recipients)?;
    let draft = Draft {
        sender: Some(&person),
        data: &rendered.data,
        intent: Intent::Request,
        mentions,
        recipients,
        ..Draft::new(&scope, &group, &rendered.text)
    };
    post::post(cx, &draft).map(drop)
}

/// Inserts the values. A long value becomes its first part and a resource with all of it.
fn render(cx: &mut Cx<'_>, scope: &WorkflowRow, kickoff: &Kickoff) -> Result<Rendered> {
    let most = cx.settings.messages.value_bytes;
    let mut values = kickoff.values.clone();
    // A value that is named twice is stored once.
    let long: BTreeSet<String> = kickoff
        .template
        .names()
        .filter(|(name, _)| values.get(*name).is_some_and(|value| value.len() > most))
        .map(|(name, _)| name.to_owned())
        .collect();
    for name in long {
        let Some(value) = values.remove(&name) else { continue };
        let id = store_value(cx, scope, &value)?;
        let head = &value[..value.floor_char_boundary(most)];
        // Not "the whole": the output of a step may have been cut before.
        let shown = format!("{head}\n[… cut here: {id} has {} bytes]", value.len());
        values.insert(name, shown);
    }
    kickoff
        .template
        .render(|name| values.get(name).cloned())
        .map_err(|unknown| OpError::invalid(unknown.to_string()))
}

fn store_value(cx: &mut Cx<'_>, scope: &WorkflowRow, value: &str) -> Result<ResourceId> {
    let is_diff = value.starts_with("diff ") || value.contains("\ndiff --git ");
    let new = resource::NewResource {
        group: None,
        content_type: if is_diff { ResourceType::Diff } else { ResourceType::Text },
        content: value,
        created_by: &Name::person(),
        run: None,
    };
    message::resource::store(cx, scope, &new).map(|made| made.id)
}

/// The text with each value as a single sign that is part of no name.
fn masked(rendered: &Rendered) -> String {
    let mut text = String::new();
    let mut done = 0;
    for Range { start, end } in rendered.data.iter().cloned() {
        text.push_str(&rendered.text[done..start]);
        text.push(DATA);
        done = end;
    }
    text.push_str(&rendered.text[done..]);
    text
}
