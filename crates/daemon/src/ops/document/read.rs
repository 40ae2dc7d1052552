//! Documents: their versions, who reads them, and who may write them.

use agent_worker_protocol::{
    document::{
        DocList, DocRead, DocVersions, DocumentText, DocumentVersion, DocumentVersions, Documents,
    },
    id::RunId,
    name::Name,
    time::Timestamp,
};
use rusqlite::{OptionalExtension, params};

use crate::{
    changes,
    context::{cx::Cx, run::Run},
    entities::document::existing,
    error::OpError,
    ops::resource::part,
    rows::{self, document_path::DocPath, word::Word},
};

impl Run for DocRead {
    fn run(&self, cx: &mut Cx<'_>) -> Result<DocumentText, OpError> {
        let (scope, path) = (cx.scope()?, DocPath::parse(self.file.as_deref())?);
        let document = existing(cx, &scope, &path)?;
        let version = self.version.unwrap_or(document.version);
        let sql = "SELECT content FROM document_versions
                   WHERE scope = ?1 AND path_key = ?2 AND version = ?3";
        let text: Option<String> = cx
            .conn
            .prepare_cached(sql)?
            .query_row(params![scope.id, path.key, version], |found| found.get(0))
            .optional()?;
        let Some(text) = text else {
            return Err(OpError::not_found(format!(
                "version {version} of `{}` is not kept; the newest is {}",
                path.shown, document.version
            )));
        };
        if version == document.version {
            changes::document::note_read(cx, &scope, &path, version)?;
        }
        let (content, more) = part(&text, self.offset, self.limit)?;
        let chars = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
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
    fn run(&self, cx: &mut Cx<'_>) -> Result<Documents, OpError> {
        let scope = cx.scope()?;
        Ok(Documents { documents: rows::document::list(cx.db, Some(scope.id))? })
    }
}

impl Run for DocVersions {
    fn run(&self, cx: &mut Cx<'_>) -> Result<DocumentVersions, OpError> {
        let (scope, path) = (cx.scope()?, DocPath::parse(self.file.as_deref())?);
        let document = existing(cx, &scope, &path)?;
        let sql = "SELECT version, author, run, length(CAST(content AS BLOB)), created_at
                   FROM document_versions WHERE scope = ?1 AND path_key = ?2 ORDER BY version DESC";
        let mut statement = cx.conn.prepare_cached(sql)?;
        let versions = statement
            .query_map(params![scope.id, path.key], |row| {
                Ok(DocumentVersion {
                    version: row.get(0)?,
                    author: row.get::<_, Word<Name>>(1)?.0,
                    run: row.get::<_, Option<i64>>(2)?.map(RunId::new),
                    bytes: row.get(3)?,
                    created_at: Timestamp(row.get(4)?),
                })
            })?
            .collect::<Result<_, _>>()?;
        Ok(DocumentVersions { file: document.file, versions })
    }
}
