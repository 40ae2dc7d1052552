//! Resources: the list.

use agent_worker_protocol::resource::{ResourceType, Resources};

use crate::text::{View, dim, layout};

/// A page of resources.
pub fn list(view: &View, page: &Resources) -> String {
    if page.resources.is_empty() {
        return "no resources".to_owned();
    }
    let header = ["RESOURCE", "WORKFLOW", "TYPE", "BYTES", "BY", "MADE"];
    let rows = page.resources.iter().map(|resource| {
        vec![
            resource.id.to_string(),
            resource.scope.to_string(),
            kind(resource.content_type).to_owned(),
            resource.bytes.to_string(),
            resource.created_by.to_string(),
            view.clock.short(resource.created_at),
        ]
    });
    let mut text = layout::table(view.width, &header, rows.collect());
    if page.more {
        text.push('\n');
        text.push_str(&dim("there are earlier ones: -n shows more"));
    }
    text
}

fn kind(content_type: ResourceType) -> &'static str {
    match content_type {
        ResourceType::Text => "text",
        ResourceType::Markdown => "markdown",
        ResourceType::Json => "json",
        ResourceType::Diff => "diff",
    }
}
