//! One thing that a scripted run does.

use agent_worker_protocol::{Interval, Usage, Word};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{script::failure::Failure, yaml::quoted};

/// One thing that a scripted run does. Its texts may hold `${{ name }}`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "StepForm")]
pub enum Step {
    /// Thinks this.
    Think(String),
    /// Uses a tool.
    Call {
        /// Which tool.
        tool: String,
        /// Its arguments.
        with: Map<String, Value>,
        /// What its answer is called in later steps.
        output: Option<Word>,
    },
    /// Asks the person whether it may use a tool, and waits for the decision.
    Ask {
        /// Which tool.
        tool: String,
        /// What it would use it with.
        with: Map<String, Value>,
        /// What the decision is called in later steps.
        output: Option<Word>,
    },
    /// Waits.
    Sleep(Interval),
    /// Says this; it is the run's final text.
    Say(String),
    /// Reports what a model would have used up.
    Usage(ScriptUsage),
    /// Fails.
    Fail(Failure),
    /// Runs a command, and does not wait for what it leaves behind.
    Shell(String),
}

/// What a model would have used up.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptUsage {
    /// Tokens read
    pub input: Option<u32>,
    /// Tokens written
    pub output: Option<u32>,
    /// Tokens read from the provider's cache
    pub cache_read: Option<u32>,
    /// Tokens written to the provider's cache
    pub cache_write: Option<u32>,
    /// Tokens of thinking
    pub reasoning: Option<u32>,
    /// Dollars
    pub cost: Option<f64>,
}

impl ScriptUsage {
    /// The tokens, as a run reports them.
    pub fn tokens(&self) -> Usage {
        Usage {
            input: self.input.map(i64::from),
            output: self.output.map(i64::from),
            cache_read: self.cache_read.map(i64::from),
            cache_write: self.cache_write.map(i64::from),
            reasoning: self.reasoning.map(i64::from),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct StepForm {
    /// Thinks this
    think: Option<String>,
    /// Uses this tool
    call: Option<String>,
    /// Asks the person whether it may use this tool, and waits for the decision
    ask: Option<String>,
    /// The tool's arguments
    with: Option<Map<String, Value>>,
    /// What the tool's answer is called in later steps, as `${{ name.field }}`; a decision has
    /// `allowed` and `because`
    #[serde(rename = "as")]
    output: Option<Word>,
    /// Waits so long
    sleep: Option<Interval>,
    /// Says this; it is the run's final text
    say: Option<String>,
    /// Reports what a model would have used up
    usage: Option<ScriptUsage>,
    /// Fails: `rate_limited 5s`, `transient`, `permanent`, `overflow`, `unavailable`, `exit 3`,
    /// `hang`, `crash`, `silent`, `flood 10MiB` or `garbage`
    fail: Option<Failure>,
    /// Runs this command, and does not wait for what it leaves behind
    shell: Option<String>,
}

/// The keys of a step that say what it does.
pub(super) const VERBS: [&str; 8] =
    ["think", "call", "ask", "sleep", "say", "usage", "fail", "shell"];

impl StepForm {
    /// What the step would do, each with the key that says so.
    fn verbs(self) -> Vec<(&'static str, Step)> {
        let Self { think, call, ask, with, output, sleep, say, usage, fail, shell } = self;
        let with = with.unwrap_or_default();
        let call = call.map(|tool| {
            let (with, output) = (with.clone(), output.clone());
            Step::Call { tool, with, output }
        });
        let ask = ask.map(|tool| Step::Ask { tool, with, output });
        let steps = [
            think.map(Step::Think),
            call,
            ask,
            sleep.map(Step::Sleep),
            say.map(Step::Say),
            usage.map(Step::Usage),
            fail.map(Step::Fail),
            shell.map(Step::Shell),
        ];
        VERBS.into_iter().zip(steps).filter_map(|(verb, step)| Some((verb, step?))).collect()
    }
}

impl TryFrom<StepForm> for Step {
    type Error = String;

    fn try_from(form: StepForm) -> Result<Self, String> {
        let extra = [("with", form.with.is_some()), ("as", form.output.is_some())];
        let has_call = form.call.is_some() || form.ask.is_some();
        let mut steps = form.verbs();
        if let (Some((key, _)), false) = (extra.into_iter().find(|(_, is)| *is), has_call) {
            return Err(format!("`{key}` belongs to a `call` or an `ask`"));
        }
        match (steps.pop(), steps.last()) {
            (Some((_, step)), None) => Ok(step),
            (None, _) => Err(format!("a step does one of: {}", quoted(&VERBS))),
            (Some((last, _)), Some(_)) => {
                let verbs: Vec<_> = steps.iter().map(|(verb, _)| *verb).chain([last]).collect();
                Err(format!("a step does one thing, this one has {}", quoted(&verbs)))
            }
        }
    }
}
