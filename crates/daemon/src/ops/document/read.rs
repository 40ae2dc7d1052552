//! Documents: their versions, who reads them, and who may write them.

use agent_worker_protocol::{
    DocList, DocRead, DocVersions, Document, DocumentText, DocumentVersions, Documents, Target,
};

use crate::{
    changes::{self, document::Part},
    context::{Cx, Run, limit},
    entities::document::existing,
    error::{OpError, Result},
    ops::resource::part,
    rows::{self, DocPath, WorkflowRow},
};

/// The scope whose documents are read. Refuses the name of another than its members.
fn reading(cx: &Cx<'_>) -> Result<WorkflowRow> {
    let scope = Target::scope(cx.scope()?.scope);
    Ok(cx.locate(&scope)?.0)
}

impl Run for DocRead {
    fn run(&self, cx: &mut Cx<'_>) -> Result<DocumentText> {
        let (scope, path) = (reading(cx)?, DocPath::parse(self.file.as_deref())?);
        let document = existing(cx, &scope, &path)?;
        let version = self.version.unwrap_or(document.version);
        let text = rows::document::version(cx.db, scope.id, &path, version)?;
        let Some(text) = text else {
            return Err(OpError::not_found(format!(
                "version {version} of `{}` is not kept; the newest is {}",
                path.shown, document.version
            )));
        };
        let (content, more) = part(&text, self.offset, self.limit)?;
        let count = |text: &str| i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        let chars = count(&text);
        if version == document.version {
            let from = i64::from(self.offset.unwrap_or(0));
            let part = Part { version, from, until: from + count(&content), is_last: !more };
            changes::document::note_part(cx, &scope, &path, part)?;
        }
        Ok(DocumentText {
            file: document.file,
            content,
            version,
            owner: document.owner,
            chars,
            more,
        })
    }
}

impl Run for DocList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Documents> {
        let scope = reading(cx)?;
        Ok(Documents { documents: rows::document::list(cx.db, Some(scope.id))?, more: None })
    }
}

/// The documents of the caller's scope by path, after one of them, and whether there are more.
pub fn page(cx: &Cx<'_>, after: Option<&str>, limit: u32) -> Result<(Vec<Document>, bool)> {
    let after = after.map(|file| DocPath::parse(Some(file))).transpose()?;
    let key = after.map_or_else(String::new, |path| path.key);
    Ok(limit::cut(rows::document::page(cx.db, cx.scope()?.id, &key, limit + 1)?, limit))
}

impl Run for DocVersions {
    fn run(&self, cx: &mut Cx<'_>) -> Result<DocumentVersions> {
        let (scope, path) = (reading(cx)?, DocPath::parse(self.file.as_deref())?);
        let document = existing(cx, &scope, &path)?;
        let versions = rows::document::versions(cx.db, scope.id, &path)?;
        Ok(DocumentVersions { file: document.file, versions })
    }
}
