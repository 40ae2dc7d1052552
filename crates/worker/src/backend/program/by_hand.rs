//! How a person goes on with a program's session.

use std::path::Path;

use agent_worker_protocol::{Backend, ByHand, ProgramConfig, Variable};

use super::{
    codex::{model_key, model_options},
    run_program::PRINT,
};

/// Returns the command with which a person goes on with a program's session, on the model and the
/// server of its runs; `None` if it is not known, or if no such command exists.
pub fn by_hand(config: &ProgramConfig, session: &str) -> Option<ByHand> {
    let command = config.command.as_ref();
    let is_print = command.and_then(|command| command.mode.as_deref()) == Some(PRINT);
    let (flag, home) = match config.backend {
        Backend::Claude => ("--resume", None),
        Backend::Codex => ("resume", Some(("CODEX_HOME", "codex"))),
        // Another server is in a configuration that only its runs have.
        Backend::Opencode if config.base_url.is_none() => ("-s", None),
        Backend::Gemini => ("-r", None),
        Backend::Cursor if is_print => ("--resume", Some(("HOME", "cursor"))),
        _ => return None,
    };
    let usual = config.backend.program().map(|program| program.names[0]);
    let program = command.map_or(usual, |command| Some(command.program.as_str()))?;
    let own = command.map(|command| command.args.clone()).unwrap_or_default();
    let Served { options, address, blank, key } = served(config);
    let env = command.into_iter().flat_map(|command| command.env.iter());
    let declared = env.map(|(name, value)| (name.to_string(), value.clone()));
    let blank = blank.iter().filter(|_| config.base_url.is_some());
    let blank = blank.map(|name| ((*name).to_owned(), String::new()));
    let key = key.map(|(name, variable)| (name.to_owned(), format!("${variable}")));
    let home = home.map(|(variable, folder)| {
        (variable.to_owned(), Path::new(&config.keep).join(folder).display().to_string())
    });
    let address = address.map(str::to_owned).zip(config.base_url.clone());
    let last = [flag, session].map(str::to_owned);
    Some(ByHand {
        program: program.to_owned(),
        args: own.into_iter().chain(options).chain(last).collect(),
        env: home.into_iter().chain(address).collect(),
        declared: blank.chain(declared).chain(key).collect(),
    })
}

/// How a program is told where its model is.
struct Served<'c> {
    /// Arguments before the session, with the model if the agent has one
    options: Vec<String>,
    /// Variable for the address of another server; `None` if the arguments have it
    address: Option<&'static str>,
    /// Variables with keys of the maker's server, which another server must not get
    blank: &'static [&'static str],
    /// Variable for the key, and the variable that holds it
    key: Option<(&'c str, &'c Variable)>,
}

/// Returns what the program of a run is given to reach its model.
fn served(config: &ProgramConfig) -> Served<'_> {
    let option = |name: &str| -> Vec<String> {
        let model = config.model.iter();
        model.flat_map(|model| [name.to_owned(), model.clone()]).collect()
    };
    let (options, address, blank, name): (_, _, &'static [_], _) = match config.backend {
        Backend::Codex => {
            // Codex takes the key of its maker's server from the environment in runs alone.
            let key = model_key(config).filter(|_| config.base_url.is_some());
            return Served { options: model_options(config), address: None, blank: &[], key };
        }
        Backend::Claude => (
            option("--model"),
            Some("ANTHROPIC_BASE_URL"),
            &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
            Some("ANTHROPIC_API_KEY"),
        ),
        Backend::Gemini => (
            option("-m"),
            Some("GOOGLE_GEMINI_BASE_URL"),
            &["GEMINI_API_KEY"],
            Some("GEMINI_API_KEY"),
        ),
        Backend::Cursor => (option("--model"), None, &[], Some("CURSOR_API_KEY")),
        // It is given the key under the name that the key has.
        _ => (option("-m"), None, &[], None),
    };
    let key = config.key.as_ref().map(|key| (name.unwrap_or(key.as_str()), key));
    Served { options, address, blank, key }
}
