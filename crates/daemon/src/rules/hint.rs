//! What helps: the command for each thing that keeps work from going on. Hints come from here, so
//! that none names what would be refused, or would change nothing.

use agent_worker_protocol::{Mode, Origin, Tag, Wanted, WorkflowState, shell::quoted};
use agent_worker_workflow_file::script;

use crate::{
    error::Result,
    rows::{AgentRow, Db, DeliveryRow, ProposalRow, QuestionRow, WorkflowRow, candidate, delivery},
    rules::{budget, loop_guard},
};

/// How the remedy begins for an agent of a file whose home cannot become a folder.
const OTHER_PATH: &str = "choose another path for `home:` in its file, then ";

/// How the same remedy ends for an agent that was made with `new`.
const OTHER_HOME: &str = "create it again with another `--home` after agent-worker rm ";

/// What helps a scope that takes no work.
pub fn of_state(scope: &WorkflowRow) -> String {
    match scope.state {
        WorkflowState::Created | WorkflowState::SettingUp => {
            format!("agent-worker peek {} --follow", scope.scope)
        }
        WorkflowState::Failed | WorkflowState::Completed => of_file(scope),
        WorkflowState::Stopped | WorkflowState::Stalled | WorkflowState::Running => {
            format!("agent-worker resume {}", scope.scope)
        }
    }
}

/// The command that starts a scope with its file. Of that only the folder is stored: the command
/// line finds the file there that has the workflow.
fn of_file(scope: &WorkflowRow) -> String {
    let command = match scope.mode {
        Mode::Run => "run",
        Mode::Start => "start",
    };
    let in_folder = |folder: &String| quoted(&format!("{folder}/@{}", scope.scope.workflow));
    let file = scope.folder.as_ref().map_or_else(|| "FILE".to_owned(), in_folder);
    let tag = Some(&scope.scope.tag).filter(|tag| **tag != Tag::main());
    let tag = tag.map(|tag| format!(" --tag {tag}")).unwrap_or_default();
    format!("agent-worker {command} {file}{tag}")
}

/// What helps mail that is held or dead; the subject is the message, or the agent that has it.
pub fn of_kept(scope: &WorkflowRow, subject: &impl std::fmt::Display, row: &DeliveryRow) -> String {
    match &row.held_reason {
        Some(reason) if budget::has_held(reason) => budget::remedy(scope, reason),
        Some(reason) => loop_guard::remedy(scope, reason)
            .unwrap_or_else(|| format!("agent-worker release {subject}")),
        None => format!("agent-worker retry {subject}"),
    }
}

/// What helps an agent that is paused or stopped.
pub fn of_rest(scope: &WorkflowRow, agent: &AgentRow) -> String {
    of_pause(scope, agent).unwrap_or_else(|| format!("agent-worker resume {}", agent.target()))
}

/// What helps an agent that is paused for its script or for its home: both stay as they are when it
/// is resumed. `None` if a resume alone helps, or if the agent is not paused.
fn of_pause(scope: &WorkflowRow, agent: &AgentRow) -> Option<String> {
    let reason = agent.paused_reason.as_ref().filter(|_| agent.wanted == Wanted::Paused)?;
    if reason.starts_with(script::MISTAKE) {
        return Some(of_script(scope, agent));
    }
    if !reason.starts_with("home of `") {
        return None;
    }
    if [OTHER_PATH, OTHER_HOME].into_iter().any(|part| reason.contains(part)) {
        return Some(of_home(scope, agent));
    }
    of_usable_home(reason, agent)
}

/// The command in a reason that makes a home usable, and the resume after it: the end of a long
/// reason is cut in lists.
fn of_usable_home(reason: &str, agent: &AgentRow) -> Option<String> {
    let resume = format!("agent-worker resume {}", agent.target());
    let told = reason.strip_suffix(resume.as_str())?.strip_suffix("; then ")?;
    ["mv ", "sudo chown "].into_iter().find_map(|command| {
        let (_, rest) = told.split_once(&format!(": {command}"))?;
        Some(format!("{command}{rest} && {resume}"))
    })
}

/// What helps an agent with a mistake in its script. A workflow that is live is not started.
fn of_script(scope: &WorkflowRow, agent: &AgentRow) -> String {
    match agent.origin {
        Origin::File if scope.state.is_live() => format!(
            "change the script, then agent-worker stop {}, and start it with --fresh",
            scope.scope
        ),
        Origin::File => "change the script, then start the workflow with --fresh".to_owned(),
        _ => "change the script, then remove the agent and create it again".to_owned(),
    }
}

/// What helps an agent with a file in place of its home: its old path becomes free, or it gets
/// another. A workflow that is live is not started.
pub fn of_home(scope: &WorkflowRow, agent: &AgentRow) -> String {
    if agent.origin != Origin::File {
        return format!("{OTHER_HOME}{}", agent.target());
    }
    let is_live = scope.state.is_live();
    let stop = is_live.then(|| format!("agent-worker stop {} && ", scope.scope));
    format!(
        "move the file away, then agent-worker resume {}; or {OTHER_PATH}{}{}",
        agent.target(),
        stop.unwrap_or_default(),
        of_file(scope)
    )
}

/// Whether an option is a plain word in a shell.
fn is_plain(option: &str) -> bool {
    let mut chars = option.chars();
    chars.next().is_some_and(|first| first.is_ascii_alphanumeric())
        && chars.all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
}

/// What helps a question: its answer. Without a plain word the command asks for one.
pub fn of_question(question: &QuestionRow) -> String {
    let id = question.id;
    match question.options.first().filter(|option| is_plain(option)) {
        Some(option) => format!("agent-worker answer {id} {option}"),
        None => format!("agent-worker answer {id}"),
    }
}

/// What helps a proposal on which the user may vote: a vote, or a look where no option is plain.
pub fn of_vote(proposal: &ProposalRow) -> String {
    let id = proposal.public_id();
    match proposal.options.first().filter(|option| is_plain(option)) {
        Some(option) => format!("agent-worker proposal vote {id} {option}"),
        None => format!("agent-worker proposal show {id}"),
    }
}

/// What helps a scope as a whole: the first thing that keeps it. None if nothing does.
pub fn of_scope(db: Db<'_>, scope: &WorkflowRow) -> Result<Option<String>> {
    let is_over = scope.state == WorkflowState::Completed;
    if !scope.takes_work() {
        return Ok((!is_over).then(|| of_state(scope)));
    }
    if let Some(question) = QuestionRow::open_of_scope(db, scope.id)?.first() {
        return Ok(Some(of_question(question)));
    }
    let mut members = AgentRow::of_scope(db, scope.id)?;
    members.retain(AgentRow::works);
    // An attention item names each paused agent too, but no stopped one.
    for wanted in [Wanted::Stopped, Wanted::Paused] {
        for member in members.iter().filter(|member| member.wanted == wanted) {
            if candidate::has_waking(db, member.id)? {
                return Ok(Some(match wanted {
                    Wanted::Paused => of_pause(scope, member)
                        .unwrap_or_else(|| format!("agent-worker resume {}", scope.scope)),
                    _ => format!("agent-worker resume {}", member.target()),
                }));
            }
        }
    }
    let mut has_dead = false;
    let all_kept = delivery::first_kept_of_scope(db, scope.id)?;
    for member in &members {
        let Some(kept) = all_kept.get(&member.id) else { continue };
        if let Some(row) = &kept.held {
            return Ok(Some(of_kept(scope, &member.target(), row)));
        }
        has_dead = true;
    }
    Ok(has_dead.then(|| format!("agent-worker retry {}", scope.scope)))
}
