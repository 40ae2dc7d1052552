//! The channel, documents and stored texts as MCP resources, for clients that prefer to read. A URI
//! is read by the operation of a tool, with the rights and the limits of that tool.

use agent_worker_protocol::{
    ChannelRead, DocRead, Document, ErrorCode, Resource, ResourceId, ResourceList, ResourceRead,
    ResourceType,
};
use rmcp::{
    ErrorData,
    model::{
        JsonObject, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult,
        Resource as Listed, ResourceContents, ResourceTemplate,
    },
};
use serde_json::Value;

use crate::{
    context::{Credential, Cx, Run as _, run::told},
    engine::app::App,
    error::{OpError, Result},
    ops::document,
    surfaces::mcp::{call, tools},
};

/// URI of the channel of the caller's scope.
const CHANNEL: &str = "channel://main";

/// Most documents on a page of the list.
const DOCUMENTS: u32 = 100;

/// Lists what the caller may read: the channel and the documents of its scope, then the stored
/// texts, the newest first. The cursor of a page is the URI at which the page before ended.
pub fn list(cx: &mut Cx<'_>, cursor: Option<&str>) -> Result<ListResourcesResult> {
    let invalid =
        || OpError::invalid("invalid `cursor`").hint("take `nextCursor` of the page before");
    let (mut listed, mut after, mut before) = (Vec::new(), None, None);
    match cursor.map(|cursor| cursor.split_once("://").ok_or_else(invalid)).transpose()? {
        None => {
            let channel = Listed::new(CHANNEL, "channel").with_mime_type("application/json");
            listed.push(channel.with_description("Newest messages of your team"));
        }
        Some(("doc", file)) => after = Some(decoded(file)),
        Some(("resource", id)) => before = Some(id.parse::<ResourceId>().map_err(|_| invalid())?),
        Some(_) => return Err(invalid()),
    }
    let mut more = false;
    if before.is_none() {
        let (documents, rest) = document::read::page(cx, after.as_deref(), DOCUMENTS)?;
        listed.extend(documents.iter().map(document));
        more = rest;
    }
    if !more {
        let page = ResourceList { before, ..ResourceList::default() }.run(cx)?;
        listed.extend(page.resources.iter().map(stored));
        more = page.more;
    }
    let next = listed.last().filter(|_| more).map(|last| last.uri.clone());
    let mut list = ListResourcesResult::with_all_items(listed);
    list.next_cursor = next;
    Ok(list)
}

fn document(document: &Document) -> Listed {
    Listed::new(format!("doc://{}", encoded(&document.file)), &document.file)
        .with_description(format!("Team document, version {}", document.version))
        .with_mime_type(kind_of(&document.file))
        .with_size(u64::try_from(document.bytes).unwrap_or_default())
}

fn stored(resource: &Resource) -> Listed {
    Listed::new(format!("resource://{}", resource.id), resource.id.to_string())
        .with_description(format!("Long text of {}", resource.created_by))
        .with_mime_type(kind(resource.content_type))
        .with_size(u64::try_from(resource.bytes).unwrap_or_default())
}

/// The forms of the URIs, with the arguments that may follow.
pub fn templates() -> ListResourceTemplatesResult {
    let template = |uri: &str, name: &str, about: &str| {
        ResourceTemplate::new(uri, name).with_description(about)
    };
    ListResourceTemplatesResult::with_all_items(vec![
        template("channel://main{?after,limit,group}", "channel", "Messages of your team, as JSON"),
        template("doc://{+file}{?version,offset,limit}", "document", "Team document"),
        template("resource://{id}{?offset,limit}", "resource", "Long text that a message links to"),
    ])
}

/// Reads what a URI names. A document that is read is noted as read, as by its tool: otherwise the
/// reader could not write it.
pub async fn read(app: &App, caller: Credential, uri: &str) -> Result<ReadResourceResult> {
    let (place, query) = uri.split_once('?').unwrap_or((uri, ""));
    let (scheme, name) = place.split_once("://").unwrap_or_default();
    let contents = match scheme {
        "channel" if place == CHANNEL => {
            let look = tools::arguments_of::<ChannelRead>(arguments(query, None)?)?;
            let page = told(&tools::read_channel(app, caller, look).await?)?;
            texts(uri, "application/json", page.get(), None)
        }
        "doc" => {
            let named = ("file", decoded(name));
            let look = tools::arguments_of::<DocRead>(arguments(query, Some(named))?)?;
            let (from, limit) = (look.offset.unwrap_or(0) as usize, limit_of(query));
            let read = app.call(caller, None, look).await?;
            let next = from + read.content.chars().count();
            let rest = format!("{place}?version={}&offset={next}{limit}", read.version);
            texts(uri, kind_of(&read.file), &read.content, read.more.then_some(rest))
        }
        "resource" => {
            let named = ("id", name.to_owned());
            let look = tools::arguments_of::<ResourceRead>(arguments(query, Some(named))?)?;
            let (from, limit) = (look.offset.unwrap_or(0) as usize, limit_of(query));
            let read = app.call(caller, None, look).await?;
            let next = from + read.content.chars().count();
            let rest = format!("{place}?offset={next}{limit}");
            texts(uri, kind(read.content_type), &read.content, read.more.then_some(rest))
        }
        _ => return Err(unknown(uri)),
    };
    Ok(ReadResourceResult::new(contents))
}

/// The limit that a query has, for the URI of the next part.
fn limit_of(query: &str) -> String {
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let limit = pairs.find(|(name, _)| name == "limit");
    limit.map(|(_, limit)| format!("&limit={limit}")).unwrap_or_default()
}

fn unknown(uri: &str) -> OpError {
    OpError::not_found(format!("unknown resource `{uri}`")).hint(format!(
        "resources/list names what you may read, such as `{CHANNEL}`, `doc://notes.md` and \
         `resource://res_7`"
    ))
}

/// Returns a text, and where the rest of it is if it was cut.
fn texts(uri: &str, kind: &str, text: &str, rest: Option<String>) -> Vec<ResourceContents> {
    let text = ResourceContents::text(text, uri).with_mime_type(kind);
    let note = rest.map(|rest| format!("This was a part of the text. Next part: {rest}"));
    std::iter::once(text).chain(note.map(|note| ResourceContents::text(note, uri))).collect()
}

/// Reads the query of a URI as arguments of a tool. `named` is the argument that its path gives.
fn arguments(query: &str, named: Option<(&str, String)>) -> Result<JsonObject> {
    let mut arguments: JsonObject =
        named.into_iter().map(|(name, text)| (name.to_owned(), Value::from(text))).collect();
    // A conversation of two is written `alice+user`.
    let query = query.replace('+', "%2B");
    for (name, text) in form_urlencoded::parse(query.as_bytes()) {
        let number = text.parse::<u64>().map(Value::from);
        let value = number.unwrap_or_else(|_| Value::from(&*text));
        if arguments.insert(name.to_string(), value).is_some() {
            return Err(OpError::invalid(format!("`{name}` is given twice")));
        }
    }
    Ok(arguments)
}

/// Returns a path as a URI has it.
pub fn encoded(path: &str) -> String {
    let part = |part: &str| {
        let bytes = form_urlencoded::byte_serialize(part.as_bytes());
        bytes.collect::<String>().replace('+', "%20")
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// Returns the path that a URI has. Characters that need no encoding there may stand as they are.
pub fn decoded(path: &str) -> String {
    // In a form these three have a meaning, and in a path none.
    let form = path.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    form_urlencoded::parse(form.as_bytes()).map(|(path, _)| path).collect()
}

/// Media type of a document, by the end of its path.
fn kind_of(file: &str) -> &'static str {
    match file.rsplit_once('.') {
        Some((_, "md")) => kind(ResourceType::Markdown),
        Some((_, "json")) => kind(ResourceType::Json),
        _ => kind(ResourceType::Text),
    }
}

/// Media type of a stored text.
fn kind(content_type: ResourceType) -> &'static str {
    match content_type {
        ResourceType::Text => "text/plain",
        ResourceType::Markdown => "text/markdown",
        ResourceType::Json => "application/json",
        ResourceType::Diff => "text/x-diff",
    }
}

/// Returns the refusal of a request for a resource, by the numbers of the protocol.
pub fn refusal(error: OpError) -> ErrorData {
    let body = error.into_body();
    let told = call::shown(&body);
    match body.code {
        ErrorCode::NotFound => ErrorData::resource_not_found(told, None),
        ErrorCode::Invalid => ErrorData::invalid_params(told, None),
        _ => ErrorData::invalid_request(told, None),
    }
}
