//! The loop of model and tools that is the worker's own.

mod compact;
mod hearing;
mod mail;
mod patience;
mod rounds;
mod toolbox;

#[cfg(test)]
mod tests;

use std::env;

use agent_worker_protocol::{
    provider::{ServedModel, Wire},
    report::{ModelConfig, RunConfig},
    run::FailureClass,
    target::Target,
};

use self::{mail::Mail, rounds::Rounds, toolbox::Toolbox};
use super::{Backend, Failure, Session};
use crate::{
    history::{Head, Keeper, Opening, Seen, gist},
    model::{Anthropic, Kind, Model, ModelError, OpenAi, Place, Responses, Said, Served},
    web,
};

/// A model and its tools.
pub struct OwnLoop<'a> {
    config: &'a ModelConfig,
}

impl<'a> OwnLoop<'a> {
    /// What the daemon has found out of the agent's model.
    pub fn new(config: &'a ModelConfig) -> Self {
        Self { config }
    }

    fn place(&self) -> Place {
        let ServedModel { base_url, key, model, .. } = &self.config.served;
        let key = key.as_ref().and_then(|name| env::var(name.as_str()).ok());
        let silence = self.config.silence.duration();
        let is_here = base_url.parse().is_ok_and(|url| web::is_here(&url));
        let local = self.config.local_silence.duration();
        Place {
            base_url: base_url.clone(),
            key,
            model: model.clone(),
            silence,
            // A model on this machine may read a long prompt for minutes.
            first: if is_here { silence.max(local) } else { silence },
        }
    }

    async fn go(
        &self,
        session: &Session<'_>,
        model: impl Model,
        max_tokens: Option<u32>,
    ) -> Result<String, Failure> {
        let served = &self.config.served;
        let name = format!("{}/{}", served.provider, served.model);
        let toolbox = Toolbox::of(session).await?;
        let rounds = Rounds {
            session,
            config: self.config,
            model,
            max_tokens,
            head: Head::of(session.prompt.system.as_deref(), toolbox.offered()),
            toolbox,
            mail: Mail::of(&session.context.inbox),
            turns: Vec::new(),
            start: 0,
            earlier: session.history.kept().to_vec(),
            has_dropped: false,
            takes_no_images: false,
            opening: opening(session),
            keeper: Keeper::new(session.reports, session.history.is_wanted(), name),
        };
        rounds.go().await
    }
}

/// What the run begins with.
fn opening(session: &Session<'_>) -> Opening {
    Opening {
        said: vec![Said::Text(session.prompt.text.clone())],
        seen: Seen::of(&session.context),
        is_whole: session.prompt.whole.is_none(),
        gist: gist(&session.context.inbox.messages),
    }
}

impl Backend for OwnLoop<'_> {
    async fn answer(self, session: &Session<'_>) -> Result<String, Failure> {
        let place = self.place();
        let cannot = |error: ModelError| failure(session.config, self.config, &error);
        match self.config.served.wire {
            Wire::Anthropic => {
                let model = Served::at(place, Anthropic::default()).map_err(cannot)?;
                // The interface requires a number: the model's own, unless the agent has one.
                let longest = match self.config.max_tokens.or(self.config.served.longest) {
                    None => model.longest().await,
                    known => known,
                };
                self.go(session, model, longest).await
            }
            Wire::Openai => {
                let dialect = OpenAi::of(&place.base_url);
                let model = Served::at(place, dialect).map_err(cannot)?;
                self.go(session, model, self.config.max_tokens).await
            }
            Wire::Responses => {
                let model = Served::at(place, Responses::default()).map_err(cannot)?;
                self.go(session, model, self.config.max_tokens).await
            }
        }
    }
}

/// Whether a server wants to be asked through its Responses interface.
fn is_of_other_wire(error: &ModelError) -> bool {
    error.message.contains("/v1/responses")
}

/// What an error of the model makes of the run, with what mends it where asking again does not.
fn failure(run: &RunConfig, config: &ModelConfig, error: &ModelError) -> Failure {
    let ServedModel { provider, base_url, key, model, .. } = &config.served;
    let agent = Target::member(run.agent.clone(), run.scope.clone());
    let again = format!("agent-worker resume {agent}");
    let permanent = |text: String| Failure::new(FailureClass::Permanent, text);
    match (error.kind, key) {
        (Kind::RateLimited | Kind::Unavailable, _) => Failure {
            retry_after: error.retry_after.map(Into::into),
            ..Failure::new(FailureClass::Unavailable, format!("{provider}: {error}"))
        },
        (Kind::Garbled, _) => Failure::new(FailureClass::Transient, format!("{provider}: {error}")),
        (Kind::Overflow, _) => permanent(format!(
            "its prompt is too long for `{model}`, and nothing is left that could be left out \
             ({provider}: {error}): give it less, or a model with a longer context, then {again}"
        )),
        (Kind::Key, Some(key)) => permanent(format!(
            "{provider} does not take the key in {key} ({error}): \
             agent-worker keys set {key}, then {again}"
        )),
        (Kind::Key, None) => permanent(format!(
            "{provider} wants a key ({error}): name its variable as `api_key: $NAME` under the \
             agent's `provider:`, then {again}"
        )),
        (Kind::NotFound, _) => permanent(format!(
            "{provider} has no model `{model}`, or {base_url} is not its address ({error}): \
             change the agent's `model:` or `provider:`, then {again}"
        )),
        (Kind::Spent, _) => permanent(format!(
            "{provider} answers nothing more until its account has credit or a higher spend limit \
             ({error}): raise it there, then {again}"
        )),
        (Kind::Refused, _) if is_of_other_wire(error) => permanent(format!(
            "{provider} serves `{model}` through another interface ({error}): set \
             `wire = \"responses\"` under `[providers.{provider}]` of config.toml, then \
             agent-worker daemon restart and {again}"
        )),
        (Kind::Refused | Kind::Unbound, _) => permanent(format!(
            "{provider} does not do what it is asked ({error}); {again} tries again, \
             {again} --new-session keeps only a summary of what it did, and \
             agent-worker drop MESSAGE --hide takes a message out of its prompts"
        )),
    }
}
