//! Resources: the list.

use agent_worker_protocol::resource::{ResourceType, Resources};

use crate::text::{List, View};

/// A page of resources.
pub fn list(view: &View, page: &Resources) -> String {
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
    List::new(&header, rows).empty("no resources").more(page.more).text(view)
}

fn kind(content_type: ResourceType) -> &'static str {
    match content_type {
        ResourceType::Text => "text",
        ResourceType::Markdown => "markdown",
        ResourceType::Json => "json",
        ResourceType::Diff => "diff",
    }
}
