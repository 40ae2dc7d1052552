//! Resources: the list.

use agent_worker_protocol::resource::Resources;

use crate::text::{List, View};

/// A page of resources.
pub fn list(view: &View, page: &Resources) -> String {
    let header = ["RESOURCE", "WORKFLOW", "TYPE", "BYTES", "BY", "MADE"];
    let rows = page.resources.iter().map(|resource| {
        vec![
            resource.id.to_string(),
            resource.scope.to_string(),
            resource.content_type.as_str().to_owned(),
            resource.bytes.to_string(),
            resource.created_by.to_string(),
            view.clock.short(resource.created_at),
        ]
    });
    List::new(&header, rows).empty("no resources").more(page.more).text(view)
}
