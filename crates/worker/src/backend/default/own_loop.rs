//! The model of a run, and what its rounds begin with.

use std::env;

use agent_worker_protocol::{
    provider::{ServedModel, Wire},
    report::ModelConfig,
};

use super::{failure::failure, mail::Mail, rounds::Rounds, toolbox::Toolbox};
use crate::{
    failure::Failure,
    history::{Head, Keeper, Opening, Seen, gist},
    model::{Anthropic, Dialect, ModelError, OpenAi, Place, Responses, Said, Served},
    session::Session,
    web,
};

/// Has a model and its tools work until there is a final text. All that happens on the way goes to
/// the transcript.
pub async fn answer(session: &Session<'_>, config: &ModelConfig) -> Result<String, Failure> {
    let place = place(config);
    let cannot = |error: ModelError| failure(session.config, config, &error);
    match config.served.wire {
        Wire::Anthropic => {
            let model = Served::at(place, Anthropic::default()).map_err(cannot)?;
            // The interface requires a number: the model's own, unless the agent has one.
            let longest = match config.max_tokens.or(config.served.longest) {
                None => model.longest().await,
                known => known,
            };
            go(session, config, model, longest).await
        }
        Wire::Openai => {
            let dialect = OpenAi::of(&place.base_url);
            let model = Served::at(place, dialect).map_err(cannot)?;
            go(session, config, model, config.max_tokens).await
        }
        Wire::Responses => {
            let model = Served::at(place, Responses::default()).map_err(cannot)?;
            go(session, config, model, config.max_tokens).await
        }
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
    model: Served<D>,
    max_tokens: Option<u32>,
) -> Result<String, Failure> {
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
        earlier: session.history.kept().to_vec(),
        takes_no_images: false,
        opening: opening(session),
        keeper: Keeper::new(session.reports, session.history.is_wanted(), name),
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
