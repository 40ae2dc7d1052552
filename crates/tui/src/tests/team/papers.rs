//! Documents with their versions.

use agent_worker_protocol::{Document, DocumentText, DocumentVersion, DocumentVersions, RunId};

use super::{at, pr};

/// The documents there are.
pub fn documents() -> Vec<Document> {
    let document = |file: &str, version, author: &str, clock: &str, bytes| Document {
        scope: pr(),
        file: file.to_owned(),
        version,
        owner: (file == "notes.md").then(|| "reviewer".parse().unwrap()),
        author: author.parse().unwrap(),
        bytes,
        updated_at: at(clock),
    };
    vec![
        document("api/events.md", 22, "editor", "13:40:00", 18_400),
        document("findings/cursor.md", 3, "scout", "14:01:18", 900),
        document("notes.md", 14, "coder", "14:04:01", 3_100),
        document("plan.md", 7, "reviewer", "13:59:00", 1_200),
        document("用户指南.md", 1, "editor", "13:58:30", 600),
    ]
}

/// A text in one of its versions.
pub fn text(file: &str, version: i64) -> DocumentText {
    let content = match (file, version) {
        ("notes.md", 14..) => NOTES.to_owned(),
        ("notes.md", _) => BEFORE.to_owned(),
        (file, version) => format!("# {file}\n\nRevision {version}.\n"),
    };
    let owner = (file == "notes.md").then(|| "reviewer".parse().unwrap());
    let chars = i64::try_from(content.chars().count()).unwrap();
    DocumentText { file: file.to_owned(), content, version, owner, chars, more: false }
}

/// The versions of a document that are kept.
pub fn versions(file: &str) -> DocumentVersions {
    let version = |version, author: &str, clock: &str, bytes| DocumentVersion {
        version,
        author: author.parse().unwrap(),
        run: (version > 11).then(|| RunId::new(820 + version)),
        bytes,
        created_at: at(clock),
    };
    let versions = match file {
        "notes.md" => vec![
            version(14, "coder", "14:04:01", 3_100),
            version(13, "editor", "14:02:12", 2_700),
            version(12, "reviewer", "13:59:02", 2_650),
            version(11, "user", "13:58:00", 400),
        ],
        _ => Vec::new(),
    };
    DocumentVersions { file: file.to_owned(), versions }
}

const NOTES: &str = "\
# Notes

## 3 Cursor semantics

The inbox cursor is a **sequence number**. Ids are opaque and must never be compared.

| case   | before      | after        |
|--------|-------------|--------------|
| ack    | by id       | by seq       |
| unread | id > cursor | seq > cursor |
| 已读   | 字符串比较  | 序号比较     |

```sql
SELECT * FROM messages WHERE seq > :cursor
```

- [x] migrate old cursors
- [ ] drop `inbox_ack.cursor`

> Inclusive or exclusive? Waiting for @user.

See [the finding](findings/cursor.md).
";

const BEFORE: &str = "\
# Notes

## 3 Cursor semantics

The inbox cursor is a message id. Ids sort by time.

| case   | before      | after        |
|--------|-------------|--------------|
| ack    | by id       | by seq       |

```sql
SELECT * FROM messages WHERE id > :cursor
```

- [ ] migrate old cursors
- [ ] drop `inbox_ack.cursor`
";
