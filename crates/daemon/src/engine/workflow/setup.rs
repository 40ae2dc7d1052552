//! The setup of a workflow: its steps in order, each under guard, then the kickoff.

use std::collections::BTreeMap;

use agent_worker_protocol::{
    EventBody, Interval, Started, StepConfig, WorkerConfig, WorkerReport, WorkflowState,
};
use agent_worker_workflow_file::{SetupStep, shell};

use crate::{
    changes::workflow::setup::{self, SetupEnd},
    context::{Credential, Cx, store::heard},
    engine::{
        app::App,
        process::{
            reports::{Line, Lines},
            spawner::{Launchpad, Reports},
        },
        retry::{self, insist},
        workflow::prepare::{self, SetupPlan},
    },
    fail_points::reach,
    rows::WorkflowRow,
    rules::outcome::{STEP, STEP_FAILED},
};

/// Runs the setup of a scope that was just started, if it has one to run.
pub fn begin(app: &App, scope: i64, started: &Started, plan: SetupPlan) {
    if started.continued || started.workflow.state != WorkflowState::SettingUp {
        return;
    }
    let setup = Setup {
        app: app.clone(),
        scope,
        generation: started.workflow.generation,
        name: started.workflow.scope.clone(),
    };
    app.tasks().spawn(setup.run(plan));
}

pub struct Setup {
    app: App,
    scope: i64,
    generation: i64,
    name: agent_worker_protocol::Scope,
}

/// What a step that ended left.
pub struct StepDone {
    /// What it wrote to standard output
    pub output: String,
    /// The last that it wrote to standard error
    stderr: String,
    /// Its exit code; none if a signal ended it
    exit: Option<i32>,
}

impl Setup {
    async fn run(self, plan: SetupPlan) {
        // A step of the setup before, which was stopped, may still be ending in the same folder.
        let lock = self.app.setup_lock(&self.name);
        let _alone = lock.lock().await;
        let end = self.steps(&plan).await;
        self.app.spawner().end_leftovers().await;
        reach("setup.done");
        let Some(end) = end else { return };
        let (scope, generation) = (self.scope, self.generation);
        let finish = |end| move |cx: &mut Cx<'_>| setup::end_setup(cx, scope, generation, &end);
        let stored = insist(&self.app, finish(end)).await;
        reach("setup.committed");
        let Err(error) = stored else { return };
        // A kickoff that is refused (an empty one, say) must not leave the setup open.
        let end = SetupEnd::Failed { reason: format!("the kickoff: {error}") };
        if let Err(error) = insist(&self.app, finish(end)).await {
            tracing::error!(scope = %self.name, %error, "a setup could not be ended");
        }
    }

    /// Resolves when the setup is no longer wanted.
    async fn stopped(&self) {
        let mut news = self.app.store().subscribe();
        while self.is_wanted().await {
            if !heard(&mut news, |body| self.concerns(body)).await {
                return;
            }
        }
    }

    fn concerns(&self, body: &EventBody) -> bool {
        matches!(body, EventBody::WorkflowChanged(workflow) if workflow.scope == self.name)
            || matches!(body, EventBody::WorkflowRemoved { .. })
    }

    async fn is_wanted(&self) -> bool {
        let (scope, generation) = (self.scope, self.generation);
        let look = move |cx: &mut Cx<'_>| WorkflowRow::is_setting_up(cx.db, scope, generation);
        retry::read(self.app.store(), look).await
    }

    /// Runs the steps. None if the setup is no longer wanted.
    async fn steps(&self, plan: &SetupPlan) -> Option<SetupEnd> {
        let mut values = plan.values.clone();
        for step in &plan.steps {
            let output = match self.step(plan, step, &values).await {
                Ok(output) => output?,
                Err(reason) => return Some(SetupEnd::Failed { reason }),
            };
            let name = step.output.as_ref().map(ToString::to_string);
            if output.is_empty() && step.required {
                let output = name.unwrap_or_else(|| step.shell.clone());
                return Some(SetupEnd::NothingToDo { output });
            }
            values.extend(name.map(|name| (name, output)));
        }
        Some(match prepare::kickoff(plan.kickoff.as_deref(), values) {
            Ok(kickoff) => SetupEnd::Done(kickoff),
            Err(error) => SetupEnd::Failed { reason: error.to_string() },
        })
    }

    /// Runs one step and gives its trimmed output. None if the setup is no longer wanted; the
    /// error says which step failed and shows what it said.
    async fn step(
        &self,
        plan: &SetupPlan,
        step: &SetupStep,
        values: &BTreeMap<String, String>,
    ) -> Result<Option<String>, String> {
        let shown = step.shell.trim().to_owned();
        let fails = |why: String| format!("{STEP}{shown}{STEP_FAILED}{why}");
        let command =
            shell::render(&step.shell, |name| values.get(name).cloned()).map_err(&fails)?;
        let (scope, generation, note) = (self.scope, self.generation, shown.clone());
        let note = move |cx: &mut Cx<'_>| setup::note_step(cx, scope, generation, &note);
        match self.app.store().write(Credential::Daemon, note).await {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) => return Err(fails(error.to_string())),
        }
        reach("setup.step-noted");
        let config = StepConfig {
            shell: command.text,
            cwd: plan.folder.clone(),
            output_bytes: self.app.store().settings().setup.output_bytes,
        };
        let mut env = command.env;
        // Commands of agent-worker in a step are for this daemon.
        env.insert("AGENT_WORKER_HOME".to_owned(), self.app.home().display().to_string());
        let pad = Launchpad { env, path_env: plan.path_env.clone(), home: plan.home.clone() };
        let limit = self.app.store().settings().setup.step;
        let done = run_command(&self.app, config, &pad, limit, self.stopped());
        let Some(done) = done.await.map_err(&fails)? else { return Ok(None) };
        match done.exit {
            Some(0) => Ok(Some(done.output.trim().to_owned())),
            exit => Err(fails(told(exit, &done.stderr))),
        }
    }
}

/// Runs a command under guard, for a limited time, and waits for the end of all that it started.
/// None if it is no longer wanted; the error says why it gave no output.
pub async fn run_command(
    app: &App,
    config: StepConfig,
    pad: &Launchpad,
    limit: Interval,
    unwanted: impl Future<Output = ()>,
) -> Result<Option<StepDone>, String> {
    let started = app.spawner().spawn(&WorkerConfig::Step(config), pad).await;
    let (mut worker, mut reports) = started.map_err(|error| error.to_string())?;
    reach("setup.step-started");
    let settings = app.store().settings();
    let grace = settings.runs.kill_grace.duration();
    let heard = tokio::select! {
        heard = hear(&mut reports, settings.setup.output_bytes + NOTES) => heard.map(Some),
        () = unwanted => Ok(None),
        () = app.stopping().cancelled() => Ok(None),
        () = tokio::time::sleep(limit.duration()) => Err(format!("not done within {limit}")),
    };
    match heard {
        Ok(Some(done)) => {
            if tokio::time::timeout(grace, worker.wait()).await.is_err() {
                drop(worker.put_down(&mut reports, grace).await);
            }
            Ok(Some(done))
        }
        other => {
            drop(worker.put_down(&mut reports, grace).await);
            other
        }
    }
}

/// What a guard may add to the output of its step, in bytes.
const NOTES: usize = 1024;

/// Reads a guard's reports until its step has ended, and keeps at most `most` bytes of output.
async fn hear(reports: &mut Reports, most: usize) -> Result<StepDone, String> {
    let mut lines = Lines::default();
    let mut gathered = String::new();
    let mut gather = |text: &str| {
        let room = most.saturating_sub(gathered.len());
        gathered.push_str(&text[..text.floor_char_boundary(room)]);
    };
    loop {
        match lines.next(reports).await {
            Line::Report(WorkerReport::Piece { text }) => gather(&text),
            Line::Report(WorkerReport::StepDone { output, stderr, exit }) => {
                gather(&output);
                return Ok(StepDone { output: gathered, stderr, exit });
            }
            Line::Report(WorkerReport::Failed { error, .. }) | Line::Bad(error) => {
                return Err(error);
            }
            Line::Report(_) => {}
            Line::End => return Err("its guard ended without a report".to_owned()),
        }
    }
}

/// What a failed step says for itself.
pub fn told(exit: Option<i32>, stderr: &str) -> String {
    let how = exit.map_or("ended by a signal".to_owned(), |code| format!("exit code {code}"));
    match stderr.trim() {
        "" => how,
        words => format!("{how}\n{words}"),
    }
}
