//! Where the home of an agent is, and how it is opened.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use agent_worker_home::{Home, HomeError};
use agent_worker_protocol::{AgentCreate, ErrorCode, Origin, Target, WorkflowState, home};

use crate::{
    context::{Credential, Cx},
    engine::{
        app::App,
        home::{
            paths::{self, InUse},
            refusal::{self, refused, refused_to_agent},
            tools_text,
        },
    },
    error::OpError,
    fail_points::hang,
    rows::{AgentRow, WorkflowRow},
    rules::offer::{self, has_no_home},
};

/// How long a home may take to be opened or created: it may be on a disk that hangs.
const PATIENCE: Duration = Duration::from_secs(10);

/// The home of an agent, and what it takes to create it.
#[derive(Debug, Clone)]
pub struct HomeAt {
    pub target: Target,
    pub path: PathBuf,
    /// What TOOLS.md says in a new home
    pub tools: String,
    /// Whether its agent opens it, with a tool
    pub by_tool: bool,
}

impl HomeAt {
    /// Finds the home of an agent. `None` if it has none.
    pub fn of(app: &App, cx: &Cx<'_>, agent: &AgentRow) -> Result<Option<Self>, OpError> {
        let Some(path) = path(app.home(), agent) else { return Ok(None) };
        let (offered, config) = (offer::offered_to(cx, agent)?, agent.config(cx.db)?);
        let tools = tools_text::text(app.tool_list(), offered, agent, &config);
        Ok(Some(Self { target: agent.target(), path, tools, by_tool: false }))
    }

    /// Opens the home, creating it if it is missing, and does something with it.
    pub async fn open<T: Send + 'static>(
        self,
        app: &App,
        work: impl FnOnce(&Home) -> Result<T, HomeError> + Send + 'static,
    ) -> Result<T, OpError> {
        let alone = app.home_lock(&self.path).lock_owned().await;
        let at = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            // Work that hangs holds its home, also when its caller has left.
            let _alone = alone;
            hang("home.open");
            work(&Home::make(&at.path, &at.tools)?)
        });
        let done = done.await.map_err(|error| OpError::Broken(format!("a home: {error}")))?;
        let refused = if self.by_tool { refused_to_agent } else { refused };
        done.map_err(|error| refused(&error, &self.target, &self.path, app.home()))
    }

    /// Creates the home if it is missing. Refuses with `too_slow` if that takes too long.
    pub async fn create(self, app: &App) -> Result<(), OpError> {
        let (target, path) = (self.target.clone(), self.path.display().to_string());
        let created = tokio::time::timeout(PATIENCE, self.open(app, |_| Ok(()))).await;
        created.unwrap_or_else(|_| {
            let within = PATIENCE.as_secs();
            let text = format!("home of `{target}`: `{path}` could not be opened in {within} s");
            Err(OpError::refused(ErrorCode::TooSlow, text).hint("check the disk that it is on"))
        })
    }
}

/// Where the home of an agent is. `None` if it has none.
pub fn path(state: &Path, agent: &AgentRow) -> Option<PathBuf> {
    match agent.home.as_ref()? {
        home::Home::No => None,
        home::Home::At(path) => Some(PathBuf::from(path)),
        home::Home::Own => Some(paths::own(state, &agent.scope, &agent.name)),
    }
}

/// Returns the homes of all agents of workflows that go on, or may be resumed.
pub async fn in_use(app: &App) -> Result<Vec<InUse>, OpError> {
    let of = app.clone();
    let look = move |cx: &mut Cx<'_>| {
        let mut found = Vec::new();
        for agent in AgentRow::all(cx.db)? {
            let Some(path) = path(of.home(), &agent) else { continue };
            let workflow = WorkflowRow::by_id(cx.db, agent.scope_id)?;
            let may_go_on = !workflow.state.has_ended() || workflow.state == WorkflowState::Stopped;
            if !workflow.is_archived && may_go_on {
                let is_of_file = agent.origin == Origin::File;
                found.push(InUse { path, owner: agent.target(), is_of_file });
            }
        }
        Ok(found)
    };
    let found = app.store().read(Credential::Daemon, look).await?;
    let written = found.clone();
    let resolve = tokio::task::spawn_blocking(move || {
        let past_links = |home: InUse| InUse { path: paths::resolved(&home.path), ..home };
        found.into_iter().map(past_links).collect::<Vec<_>>()
    });
    match tokio::time::timeout(PATIENCE, resolve).await {
        Ok(Ok(resolved)) => Ok(resolved),
        // A disk hangs: the paths are compared as they are written.
        Ok(Err(_)) | Err(_) => Ok(written),
    }
}

/// Finds the home of the agent that a target names, for the user; refuses an agent that has none.
pub async fn find(app: &App, credential: Credential, target: &Target) -> Result<HomeAt, OpError> {
    let (of, target) = (app.clone(), target.clone());
    let look = move |cx: &mut Cx<'_>| {
        cx.operator_only("the home of an agent")?;
        let agent = cx.locate_member(&target)?.expect_agent()?;
        HomeAt::of(&of, cx, &agent)?.ok_or_else(|| has_no_home(&agent))
    };
    app.store().read(credential, look).await
}

/// Refuses an agent whose home is at a path that cannot become a home. Only the user has a path
/// looked at: others would learn what is there.
pub async fn check(app: &App, credential: Credential, create: &AgentCreate) -> Result<(), OpError> {
    let Some(home::Home::At(path)) = &create.home else { return Ok(()) };
    let (name, path) = (create.name.to_string(), PathBuf::from(path));
    if !path.is_absolute() {
        return Ok(()); // The operation refuses it.
    }
    app.store().read(credential, |cx: &mut Cx<'_>| cx.operator_only("creating an agent")).await?;
    let state = app.home().to_owned();
    let look = tokio::task::spawn_blocking(move || refusal::check(&name, &path, &state));
    match tokio::time::timeout(PATIENCE, look).await {
        Ok(Ok(checked)) => checked,
        // A disk that hangs is told where the home is created.
        Ok(Err(_)) | Err(_) => Ok(()),
    }
}

/// Creates the home of an agent that was just created, if it is to have one.
pub async fn make(app: &App, target: &Target) -> Result<(), OpError> {
    let (of, name) = (app.clone(), target.clone());
    let look = move |cx: &mut Cx<'_>| HomeAt::of(&of, cx, &cx.locate_member(&name)?);
    let Some(at) = app.store().read(Credential::Daemon, look).await? else { return Ok(()) };
    at.create(app).await.map_err(|error| not_made(target, error))
}

/// Says of a home that finds no space what is left to do: its agent exists all the same.
fn not_made(agent: &Target, error: OpError) -> OpError {
    match error {
        OpError::Refused(body) if body.code == ErrorCode::StorageFull => {
            let text = format!("the home of `{agent}` was not created: disk full");
            OpError::refused(body.code, text)
                .hint("free disk space; the home is created when it is next used")
        }
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_that_finds_no_space_is_created_later() {
        let told = |code: ErrorCode| {
            let refused = OpError::refused(code, "home of `bob`: cannot do it").hint("do that");
            let body = not_made(&"bob".parse().unwrap(), refused).into_body();
            assert_eq!(body.code, code);
            (body.message, body.hint.unwrap())
        };
        let (message, hint) = told(ErrorCode::StorageFull);
        assert_eq!(message, "the home of `bob` was not created: disk full");
        assert_eq!(hint, "free disk space; the home is created when it is next used");
        let (message, hint) = told(ErrorCode::Conflict);
        assert_eq!((&*message, &*hint), ("home of `bob`: cannot do it", "do that"));
    }
}
