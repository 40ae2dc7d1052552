//! The model of a run, and what its rounds begin with.

use std::env;

use agent_worker_protocol::{ModelConfig, ServedModel, Wire};

use super::{failure::failure, mail::Mail, rounds::Rounds, toolbox::Toolbox};
use crate::{
    failure::Failure,
    history::{Head, Keeper, Opening, Seen, gist},
    model::{Anthropic, Dialect, OpenAi, Place, Responses, Said, Served},
    session::Session,
    web,
};

/// Has a model and its tools work until there is a final text. All that happens on the way goes to
/// the transcript.
pub async fn answer(session: &Session<'_>, config: &ModelConfig) -> Result<String, Failure> {
    let ServedModel { wire, base_url, longest, .. } = &config.served;
    let own = config.max_tokens;
    match wire {
        // The interface requires a number: the model's own, unless the agent has one.
        Wire::Anthropic => go(session, config, Anthropic::default(), own.or(*longest)).await,
        Wire::Openai => go(session, config, OpenAi::of(base_url), own).await,
        Wire::Responses => go(session, config, Responses::default(), own).await,
    }
}

fn place(config: &ModelConfig) -> Place {
    let ServedModel { base_url, key, model, .. } = &config.served;
    let key = key.as_ref().and_then(|name| env::var(name.as_str()).ok());
    let silence = config.silence.duration();
    let is_here = base_url.parse().is_ok_and(|url| web::is_here(&url));
    let local = config.local_silence.duration();
    Place {
        base_url: base_url.clone(),
        key,
        model: model.clone(),
        silence,
        // A model on this machine may read a long prompt for minutes.
        first: if is_here { silence.max(local) } else { silence },
    }
}

async fn go<D: Dialect>(
    session: &Session<'_>,
    config: &ModelConfig,
    dialect: D,
    longest: Option<u32>,
) -> Result<String, Failure> {
    let model = Served::at(place(config), dialect)
        .map_err(|error| failure(session.config, config, &error))?;
    // Only a server that requires a number tells one.
    let max_tokens = match longest {
        None => model.longest().await,
        known => known,
    };
    let name = format!("{}/{}", config.served.provider, config.served.model);
    let toolbox = Toolbox::of(session).await?;
    let rounds = Rounds {
        session,
        config,
        model,
        max_tokens,
        head: Head::of(session.prompt.system.as_deref(), toolbox.offered()),
        toolbox,
        mail: Mail::of(&session.context.inbox),
        turns: Vec::new(),
        start: 0,
        earlier: session.history.kept.clone(),
        takes_no_images: false,
        opening: opening(session),
        keeper: Keeper::new(session.reports, session.history.is_wanted, name),
    };
    rounds.go().await
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
