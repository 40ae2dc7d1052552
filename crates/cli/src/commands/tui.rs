//! `tui`: the control room.

use std::{
    fs::{File, OpenOptions},
    io::ErrorKind,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use agent_worker_client::{Host, remote::ssh_line};
use agent_worker_protocol::{Source, Tag, Target};

use crate::{
    exit::{Exit, Refusal},
    output::{Closed, Output},
    session::Session,
    source::GivenFile,
};

/// How the control room is opened.
#[derive(Debug, Clone, clap::Args)]
pub struct Tui {
    /// Agent or workflow to show first
    pub target: Option<Target>,
    /// Read-only mode
    #[arg(long)]
    pub read_only: bool,
    /// Print one screen of this size as text and exit
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub dump: Option<(u16, u16)>,
    /// Print what happens as lines and read commands as words
    #[arg(long, conflicts_with_all = ["dump", "check_config", "record"])]
    pub linear: bool,
    /// Record the screen in a new file, for `asciinema play`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dump", "check_config"])]
    pub record: Option<PathBuf>,
    /// Check `[tui]` in config.toml and exit
    #[arg(long)]
    pub check_config: bool,
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let parts = text.split_once('x');
    let sizes = parts.and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    sizes
        .filter(|(width, height)| (1..=1000).contains(width) && (1..=1000).contains(height))
        .ok_or_else(|| format!("invalid size `{text}`: write columns and rows, such as `120x40`"))
}

/// Reaches other machines before the screen is taken, while ssh may ask for a password. If one of
/// several cannot be reached, the others are shown all the same.
pub fn connect(sessions: &[Session]) -> anyhow::Result<()> {
    if let [only] = sessions {
        return only.connect();
    }
    for session in sessions {
        if let Some(host) = session.host() {
            session.output.note(&format!("connecting to {}", host.destination()));
        }
        if let Err(error) = session.connect() {
            session.output.note(&format!("{error:#}"));
        }
    }
    Ok(())
}

/// Reads a workflow file with everything beside it.
type Collect = Arc<dyn Fn(&Path, Option<Tag>) -> Result<Source, String> + Send + Sync>;

/// What reads a workflow file for the control room.
pub fn collector(host: Option<&Host>) -> Collect {
    if let Some(host) = host {
        let line = ssh_line(host.destination().as_str(), "agent-worker start FILE -d");
        return Arc::new(move |path, _| {
            Err(format!(
                "cannot start `{}`: its folder is on this machine; in a shell: {line}",
                path.display()
            ))
        });
    }
    Arc::new(|path, tag| {
        let given = GivenFile { file: path.to_owned(), ..GivenFile::default() };
        given.collect(tag).map_err(|error| format!("{error:#}"))
    })
}

/// Prints errors in the settings of the control room.
pub fn checked<P: ToString>(output: Output, problems: &[P]) -> anyhow::Result<Exit> {
    if output.json {
        let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
        output.print(&serde_json::json!({ "problems": problems }).to_string())?;
    } else if problems.is_empty() {
        output.print("[tui] in config.toml is valid")?;
    } else {
        for problem in problems {
            output.print(&problem.to_string())?;
        }
    }
    Ok(if problems.is_empty() { Exit::Done } else { Exit::Failed })
}

/// Error: lines cannot be printed. A reader that has gone has read what it wanted.
pub fn not_printed(error: std::io::Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::BrokenPipe => Closed.into(),
        _ => error.into(),
    }
}

/// Creates the file of a recording. Only its owner can read it, as messages are in it.
pub fn recording(path: &Path) -> anyhow::Result<Arc<File>> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    file.map(Arc::new).map_err(|error| {
        let path = path.display();
        let problem = match error.kind() {
            ErrorKind::AlreadyExists => {
                format!("cannot record to `{path}`: it exists already; name a new file")
            }
            _ => format!("cannot record to `{path}`: {error}"),
        };
        Refusal::usage(problem).into()
    })
}

/// Line that is printed after a recording.
pub fn recorded(path: &Path) -> String {
    format!("recorded; to watch it: asciinema play {}", path.display())
}

/// Prints the drafts that are not on disk, whole: they are kept nowhere else.
pub fn unsaved(output: Output, texts: &[String]) {
    for text in texts {
        output.note_whole(&format!("{text}\n\n"));
    }
}

/// Line that is printed after the user has left.
pub fn farewell(drafts: usize, unsaved: usize, running: usize) -> String {
    let s = |count: usize| if count == 1 { "" } else { "s" };
    let kept = format!("{drafts} draft{} kept", s(drafts));
    let unsaved = match unsaved {
        0 => String::new(),
        _ => format!(", {unsaved} NOT saved (printed above)"),
    };
    format!("{kept}{unsaved}, {running} agent{} still running", s(running))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drafts_that_are_not_on_disk_are_counted_apart() {
        assert_eq!(farewell(1, 0, 0), "1 draft kept, 0 agents still running");
        let told = "0 drafts kept, 1 NOT saved (printed above), 1 agent still running";
        assert_eq!(farewell(0, 1, 1), told);
    }
}
