//! Text in the user's editor.

use std::{
    env, fs,
    io::{self, IsTerminal as _, Write as _},
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::Path,
    process::{Command, ExitStatus},
};

use agent_worker_client::Sanitized;
use anyhow::Context as _;
use tempfile::{Builder, TempDir};
use tokio::signal::unix::{SignalKind, signal};

use crate::{
    exit::{Exit, Refusal},
    output::Output,
};

/// Private file with a text that is being edited. Dropping it removes the file, unless it is kept.
pub struct Draft {
    folder: TempDir,
    name: String,
    before: String,
}

impl Draft {
    /// A draft of a text. Its file has the document's name, so that the editor knows its language.
    pub fn new(document: &str, text: &str) -> anyhow::Result<Self> {
        let name = document.rsplit('/').next().unwrap_or(document);
        let folder = Builder::new()
            .prefix("agent-worker-")
            .permissions(fs::Permissions::from_mode(0o700))
            .tempdir()
            .map_err(|error| {
                Refusal::new(format!("cannot create a temporary file: {error}"))
                    .hint("set TMPDIR to a directory where you may write")
            })?;
        let draft = Self { folder, name: name.to_owned(), before: text.to_owned() };
        let mut options = fs::OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(draft.path());
        let mut file = file.context("cannot create a temporary file")?;
        file.write_all(text.as_bytes()).context("cannot write a temporary file")?;
        Ok(draft)
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join(&self.name)
    }

    /// Opens the editor and returns the edited text. `None` if it is the same, which is then told.
    /// `instead` is what to do without an editor.
    pub async fn edit(&mut self, output: Output, instead: &str) -> anyhow::Result<Option<String>> {
        let Some(editor) = editor() else {
            let message = "cannot start vi without a terminal; VISUAL and EDITOR are not set";
            return Err(Refusal::new(message).hint(instead).into());
        };
        let (folder, path) = (self.folder.path().to_owned(), self.path());
        let (command, before) = (shell(&editor, &path), self.before.clone());
        let result = ended(command, move || leave(&folder, &path, &before)).await;
        let status = result.with_context(|| format!("cannot start the editor `{editor}`"))?;
        if !status.success() {
            return Err(self.unsaved(&format!("editor `{editor}` failed with {status}")));
        }
        let bytes = fs::read(self.path()).context("cannot read the edited text")?;
        let text = String::from_utf8(bytes);
        let text = text.map_err(|_| self.unsaved("the edited text is not UTF-8"))?;
        if text == self.before {
            output.note("no changes");
            return Ok(None);
        }
        Ok(Some(text))
    }

    /// Says why the text was not saved, and keeps it if it was changed.
    fn unsaved(&mut self, why: &str) -> anyhow::Error {
        let mut message = format!("{why}: nothing was saved");
        if is_changed(&self.path(), &self.before) {
            self.folder.disable_cleanup(true);
            let path = self.path().display().to_string();
            message.extend(["; your text is kept in ", &path]);
        }
        Refusal::new(message).into()
    }

    /// The answer to the request that saves the text. If that was refused, the file is kept, and it
    /// is told where.
    pub fn unless_refused<T, E>(self, output: Output, done: Result<T, E>) -> Result<T, E> {
        if done.is_err() {
            let path = self.path().display().to_string();
            drop(self.folder.keep());
            output.note(&format!("your text is kept in {}", Sanitized::line(&path)));
        }
        done
    }
}

fn is_changed(path: &Path, before: &str) -> bool {
    fs::read(path).is_ok_and(|bytes| bytes != before.as_bytes())
}

/// Says where a changed text is, which may not be saved; removes what was not changed.
fn leave(folder: &Path, path: &Path, before: &str) {
    if is_changed(path, before) {
        let path = path.display().to_string();
        // The terminal may be gone.
        let _ = writeln!(io::stderr(), "your text is kept in {}", Sanitized::line(&path));
    } else {
        // It may be removed already.
        let _ = fs::remove_dir_all(folder);
    }
}

/// The editor that the user has named, or else vi. Without a terminal vi would wait for ever.
fn editor() -> Option<String> {
    let named = |name| env::var(name).ok().filter(|value: &String| !value.trim().is_empty());
    let usual = || io::stdin().is_terminal().then(|| "vi".to_owned());
    named("VISUAL").or_else(|| named("EDITOR")).or_else(usual)
}

/// The variable may hold options too, as all programs that use it allow.
fn shell(editor: &str, file: &Path) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(file);
    command
}

/// Waits for the end of the editor. Until then Ctrl-C and Ctrl-\ are for the editor alone; then
/// they end this program, after `leave`.
async fn ended(command: Command, leave: impl FnOnce() + Send + 'static) -> io::Result<ExitStatus> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut quit = signal(SignalKind::quit())?;
    let mut editor = tokio::process::Command::from(command).spawn()?;
    let status = loop {
        tokio::select! {
            biased;
            _ = interrupt.recv() => {}
            _ = quit.recv() => {}
            status = editor.wait() => break status?,
        }
    };
    // What follows may wait for the daemon.
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = quit.recv() => {}
        }
        leave();
        std::process::exit(Exit::Interrupted as i32);
    });
    Ok(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_can_be_read_by_its_user_alone() {
        let draft = Draft::new("docs/notes.md", "secret").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(draft.folder.path()), mode(&draft.path())), (0o700, 0o600));
        assert_eq!(fs::read_to_string(draft.path()).unwrap(), "secret");
    }
}
