//! Starts workflows from their files.

use agent_worker_protocol::{Check, Checked, Limits, Problem, Started, Target, WorkflowStart};
use agent_worker_workflow_file::WorkflowFile;
use futures::future::join_all;

use crate::{
    changes::workflow::start,
    context::{Credential, Cx, repeat},
    engine::{
        app::App,
        home,
        workflow::{
            check_groups, check_homes,
            prepare::{self, Prepared},
            setup,
        },
    },
    error::OpError,
    fail_points::reach,
    rules::start::Launch,
};

impl App {
    /// Starts a workflow. The start goes on when its caller leaves.
    pub async fn start_workflow(
        &self,
        credential: Credential,
        key: Option<String>,
        start: WorkflowStart,
    ) -> Result<Started, OpError> {
        if self.stopping().is_cancelled() {
            return Err(OpError::shutting_down());
        }
        let app = self.clone();
        let started = tokio::spawn(async move { app.do_start(credential, key, start).await });
        started.await.map_err(|error| OpError::Broken(format!("starting: {error}")))?
    }

    async fn do_start(
        &self,
        credential: Credential,
        key: Option<String>,
        start: WorkflowStart,
    ) -> Result<Started, OpError> {
        let request = repeat::request_hash("workflow_start", &start)?;
        let (keys, settings) = (self.keys().clone(), self.store().settings().clone());
        let now = self.store().clock().now();
        let in_use = home::at::in_use(self).await?;
        let state = self.home().to_owned();
        let work = move || -> Result<Prepared, OpError> {
            let mut prepared = prepare::prepare(&start, &keys, &settings, now)?;
            let scope = &prepared.launch.scope;
            let (name, warnings) = (Some(&scope.workflow), &mut prepared.warnings);
            check_homes::add(&start.source, name, &state, &in_use, warnings);
            Ok(prepared)
        };
        let Prepared { mut launch, setup, warnings } = apart(work).await??;
        launch.last_limits = self.last_limits(&launch).await?;
        let with_home = launch.agents.iter().filter(|agent| agent.home.is_some());
        let homes: Vec<_> = with_home
            .map(|agent| Target::member(agent.name.clone(), launch.scope.clone()))
            .collect();
        let work = move |cx: &mut Cx<'_>| {
            let mut scope = None;
            let started = repeat::once(cx, key.as_deref(), &request, |cx| {
                let started = start::launch(cx, &launch)?;
                scope = Some(cx.scope_id(&started.workflow.scope)?);
                Ok(started)
            })?;
            Ok((started, scope))
        };
        let (mut started, scope) = self.store().write(credential, work).await?;
        reach("launch.committed");
        started.warnings.extend(warnings);
        let homes = homes.iter().map(|target| home::at::make(self, target));
        for made in join_all(homes).await {
            if let Err(OpError::Refused(body)) = made {
                let warning = Problem::warning(body.message);
                started.warnings.push(warning.hint(body.hint.unwrap_or_default()));
            }
        }
        if let Some(scope) = scope {
            setup::begin(self, scope, &started, setup);
        }
        Ok(started)
    }

    /// The limits of the file from which a workflow was last started, if a start replaces them.
    /// `None` also if it cannot be read any more.
    async fn last_limits(&self, launch: &Launch) -> Result<Option<Limits>, OpError> {
        if launch.fresh {
            return Ok(None);
        }
        let (scope, limits) = (launch.scope.clone(), launch.limits);
        let look = move |cx: &mut Cx<'_>| start::replaced_file(cx, &scope, &limits);
        let yaml = self.store().read(Credential::Daemon, look).await?;
        apart(move || Some(WorkflowFile::parse(&yaml?).value?.limits)).await
    }

    /// Checks a workflow file.
    pub async fn check(&self, check: Check) -> Result<Checked, OpError> {
        let (keys, settings) = (self.keys().clone(), self.store().settings().clone());
        let now = self.store().clock().now();
        let in_use = home::at::in_use(self).await?;
        let groups = check_groups::known(self).await?;
        let state = self.home().to_owned();
        let work = move || -> Result<Checked, OpError> {
            let mut checked = prepare::checked(&check.source, &keys, &settings, now)?;
            let (name, problems) = (checked.name.as_ref(), &mut checked.problems);
            check_homes::add(&check.source, name, &state, &in_use, problems);
            check_groups::add(&check.source, name, &groups, problems);
            Ok(checked)
        };
        apart(work).await?
    }
}

/// Runs blocking work away from the async threads: a long file takes seconds to read.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, OpError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| OpError::Broken(format!("work apart: {error}")))
}
