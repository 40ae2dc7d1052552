//! Resources: the list.

use agent_worker_protocol::{Resource, Resources};

use crate::text::{Column, List, View};

/// A page of resources.
pub fn list(view: &View, page: &Resources) -> String {
    let columns: &[Column<'_, Resource>] = &[
        ("RESOURCE", &|resource| resource.id.to_string()),
        ("WORKFLOW", &|resource| resource.scope.to_string()),
        ("TYPE", &|resource| resource.content_type.as_str().to_owned()),
        ("BYTES", &|resource| resource.bytes.to_string()),
        ("BY", &|resource| resource.created_by.to_string()),
        ("CREATED", &|resource| view.clock.short(resource.created_at)),
    ];
    List::of(columns, &page.resources).empty("no resources").more(page.more).text(view)
}
