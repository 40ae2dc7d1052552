//! Heartbeats that are due: whether there is anything to check, each agent's HEARTBEAT.md says.

use std::time::Duration;

use agent_worker_home::{Home, HomeError, HomeFile};

use crate::{
    changes::schedule::fire,
    context::{Credential, Cx},
    engine::{
        app::App,
        home::{at::HomeAt, files::MOST_SHOWN},
    },
    error::OpError,
    fail_points::hang,
    rows::{AgentRow, ScheduleRow},
};

/// How long a home may take to be read: other heartbeats wait meanwhile.
const PATIENCE: Duration = Duration::from_secs(5);

/// Judges heartbeats that are due.
pub async fn judge(app: &App, due: Vec<ScheduleRow>) -> Result<(), OpError> {
    for row in due {
        let read = tokio::time::timeout(PATIENCE, why_not(app, &row)).await;
        let why_not = match read {
            Ok(Ok(why_not)) => why_not,
            Ok(Err(error)) => Some(format!("its home: {error}")),
            Err(_) => Some(format!("its home could not be read in {} s", PATIENCE.as_secs())),
        };
        let id = row.id;
        let beat = move |cx: &mut Cx<'_>| fire::beat(cx, id, why_not.as_deref());
        app.store().write(Credential::Daemon, beat).await?;
    }
    Ok(())
}

/// What speaks against a heartbeat in its agent's home.
async fn why_not(app: &App, row: &ScheduleRow) -> Result<Option<String>, OpError> {
    let (of, agent) = (app.clone(), row.agent);
    let look = move |cx: &mut Cx<'_>| HomeAt::of(&of, cx, &AgentRow::by_id(cx.db, agent)?);
    let Some(at) = app.store().read(Credential::Daemon, look).await? else {
        return Ok(Some("no home".to_owned()));
    };
    let text = at.open(app, read).await?;
    let has_any = text.is_some_and(|text| has_tasks(&text));
    Ok((!has_any).then(|| format!("nothing to check: {} has no task", HomeFile::Heartbeat)))
}

fn read(home: &Home) -> Result<Option<String>, HomeError> {
    hang("home.read");
    Ok(home.read(HomeFile::Heartbeat, MOST_SHOWN)?.map(|file| file.text))
}

/// Whether a file has anything but headings, comments and points without a text.
fn has_tasks(text: &str) -> bool {
    let is_said = |line: &str| {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || "-*+[]".contains(c));
        !line.is_empty() && !line.starts_with('#')
    };
    without_comments(text).lines().any(is_said)
}

/// Returns a text without its comments. One without an end goes to the end of the text, as in
/// Markdown.
fn without_comments(text: &str) -> String {
    let mut left = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("<!--") {
        left.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    left + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_over_several_lines_is_nothing_to_check() {
        for nothing in [
            "# A\n<!--\nlook at the mail\n-->\n",
            "- <!-- the mail\nthe disk --> <!-- later -->\n",
            "# A\n<!-- it has no end\nthe mail\n",
        ] {
            assert!(!has_tasks(nothing), "{nothing:?}");
        }
        for task in ["<!-- daily\n--> the mail", "<!-- a --> the mail <!-- b -->", "1 <!-- a"] {
            assert!(has_tasks(task), "{task:?}");
        }
    }

    #[test]
    fn headings_and_empty_points_are_nothing_to_check() {
        for nothing in ["", "# What to check\n\n## By day\n", "# A\n- \n- [ ]\n<!-- later -->\n"] {
            assert!(!has_tasks(nothing), "{nothing:?}");
        }
        for task in ["look at the mail", "# What\n- [ ] the mail\n", "# A\n  * the mail"] {
            assert!(has_tasks(task), "{task:?}");
        }
    }
}
