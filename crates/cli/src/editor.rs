//! Text in the user's editor.

use std::{env, fs, io::Write as _, path::Path, process::Command};

use anyhow::Context as _;
use tempfile::{Builder, TempDir};

use crate::exit::Refusal;

/// Private file with a text that is being edited. Dropping it removes the file, unless it is kept.
pub struct Draft {
    folder: TempDir,
    name: String,
}

impl Draft {
    /// A draft of a text. Its file has the document's name, so that the editor knows its language.
    pub fn new(document: &str, text: &str) -> anyhow::Result<Self> {
        let name = document.rsplit('/').next().unwrap_or(document);
        let folder = Builder::new()
            .prefix("agent-worker-")
            .tempdir()
            .context("cannot create a temporary file")?;
        let draft = Self { folder, name: name.to_owned() };
        let mut file = fs::File::create(draft.path()).context("cannot create a temporary file")?;
        file.write_all(text.as_bytes()).context("cannot write a temporary file")?;
        Ok(draft)
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join(&self.name)
    }

    /// Opens the editor and returns the edited text.
    pub fn edit(&mut self) -> anyhow::Result<String> {
        let editor = editor();
        let result = shell(&editor, &self.path()).status();
        let status = result.with_context(|| format!("cannot start the editor `{editor}`"))?;
        if !status.success() {
            let message = format!("editor `{editor}` failed with {status}: nothing was saved");
            return Err(Refusal::new(message).into());
        }
        let bytes = fs::read(self.path()).context("cannot read the edited text")?;
        String::from_utf8(bytes)
            .map_err(|_| Refusal::new("the edited text is not UTF-8: nothing was saved").into())
    }

    /// Keeps the file, and says where it is.
    pub fn keep(self) -> String {
        let path = self.path();
        drop(self.folder.keep());
        path.display().to_string()
    }
}

fn editor() -> String {
    let named = |name| env::var(name).ok().filter(|value: &String| !value.trim().is_empty());
    named("VISUAL").or_else(|| named("EDITOR")).unwrap_or_else(|| "vi".to_owned())
}

/// The variable may hold options too, as all programs that use it allow.
fn shell(editor: &str, file: &Path) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(file);
    command
}
