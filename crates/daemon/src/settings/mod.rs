//! Every number of the contract as a named setting. `config.default.toml` is the list of them,
//! the documentation, the defaults and the file that a fresh state directory gets.

mod bounds;
mod plain;
#[cfg(test)]
mod properties;

use std::{
    fs::OpenOptions,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use agent_worker_protocol::Interval;
use agent_worker_workflow_file::{
    prices::{self, PriceTable},
    providers::Providers,
};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, IgnoredAny},
};
use toml::{Table, Value};

use crate::{
    digest,
    fault::{if_there, reopening},
};

/// The text of a fresh `config.toml`: every setting with its default, commented out.
pub const DEFAULT_TEXT: &str = include_str!("config.default.toml");

/// Writes a fresh `config.toml`, for its owner alone.
pub fn write_default(path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(DEFAULT_TEXT.as_bytes())
}

/// Why a `config.toml` is not taken.
#[derive(Debug, thiserror::Error)]
pub enum BadSettings {
    /// It cannot be read.
    #[error("cannot read {path}")]
    Read { path: String, source: io::Error },
    /// It says something that is not known.
    #[error("invalid {path}: {message}")]
    Parse {
        path: String,
        /// Where and why
        message: String,
    },
}

impl BadSettings {
    /// The file at fault: that of the settings, or that of the prices beside it.
    pub fn path(&self) -> &Path {
        let (Self::Read { path, .. } | Self::Parse { path, .. }) = self;
        Path::new(path)
    }

    /// Whether the prices are at fault.
    pub fn is_of_prices(&self) -> bool {
        self.path().ends_with(prices::FILE)
    }

    /// The command that mends the file at fault.
    pub fn hint(&self) -> String {
        match self {
            Self::Read { path, source } if source.kind() == io::ErrorKind::PermissionDenied => {
                reopening(Path::new(path))
            }
            _ if self.is_of_prices() => "agent-worker providers update FILE".to_owned(),
            _ => "agent-worker config edit".to_owned(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub messages: Messages,
    /// What a run is given at once
    pub inbox: Inbox,
    /// How runs are started, watched, tried again and ended
    pub runs: Runs,
    /// How models are asked
    pub models: Models,
    #[serde(deserialize_with = "providers")]
    pub providers: Providers,
    pub guard: Guard,
    /// Questions to the person
    pub questions: Questions,
    pub setup: Setup,
    pub transcript: Transcript,
    pub feed: Feed,
    /// How long things are kept
    pub keep: Keep,
    pub proposals: Proposals,
    /// When agents run by themselves
    pub schedules: Schedules,
    pub http: Http,
    pub store: Store,
    /// The control room reads and judges these itself
    tui: IgnoredAny,
}

/// `[messages]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Messages {
    pub max_bytes: usize,
    pub long_chars: usize,
    pub shown_chars: usize,
    pub mentions: usize,
    pub value_bytes: usize,
}

/// `[inbox]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inbox {
    pub messages: u32,
    pub bytes: u32,
}

/// `[runs]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the names of the settings")]
pub struct Runs {
    pub max_runs: u32,
    pub attempts: i64,
    pub timeout_attempts: i64,
    pub retry_delay: Interval,
    pub retry_factor: u32,
    pub unavailable_delay: Interval,
    pub unavailable_max: Interval,
    pub unavailable_pause: Interval,
    pub lost_limit: i64,
    pub crash_loop_runs: i64,
    pub crash_loop_window: Interval,
    pub first_sign: Interval,
    pub idle: Interval,
    pub silent: Interval,
    pub total: Interval,
    pub heartbeat: Interval,
    pub heartbeat_lost: Interval,
    pub stop_grace: Interval,
    pub kill_grace: Interval,
    pub starts_after_restart: u32,
    pub server_start: Interval,
    pub external_idle: Interval,
    pub external_gone: Interval,
    pub sweep: Interval,
}

/// `[models]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Models {
    pub max_steps: u32,
    pub silence: Interval,
    local_silence: Interval,
    pub retry_delay: Interval,
    pub retry_for: Interval,
    pub session_bytes: usize,
}

/// `[guard]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guard {
    pub hops: u32,
    pub runs: u32,
    pub pair_wakes: i64,
    pub pair_window: Interval,
    pub repeats: i64,
}

/// `[questions]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Questions {
    pub wait: Interval,
    pub expires: Interval,
    pub shortest: Interval,
    pub longest: Interval,
    pub bytes: usize,
    pub options: usize,
    pub open: i64,
}

/// `[setup]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    pub step: Interval,
    pub output_bytes: usize,
}

/// `[transcript]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transcript {
    pub block_bytes: usize,
    pub run_bytes: usize,
    pub flush: Interval,
}

/// `[feed]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feed {
    pub heartbeat: Interval,
    pub keep: Interval,
    pub keep_events: i64,
}

/// `[keep]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keep {
    pub transcripts: Interval,
    pub idempotency: Interval,
    pub schedules: Interval,
    pub browsers: Interval,
    pub document_versions: i64,
    pub log_bytes: u64,
}

/// `[proposals]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposals {
    pub expires_in: Interval,
    pub open: usize,
}

/// `[schedules]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedules {
    pub grace: Interval,
}

/// `[http]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Http {
    pub port: u16,
    pub body_bytes: usize,
    pub header_timeout: Interval,
    pub body_timeout: Interval,
    pub connections: usize,
    pub streams: usize,
}

/// `[store]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Store {
    pub group: usize,
    pub readers: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self::with("").expect("the defaults are whole: a test reads them")
    }
}

impl Settings {
    /// Reads `config.toml`; a missing file changes nothing.
    pub fn load(path: &Path) -> Result<Self, BadSettings> {
        let shown = path.display().to_string();
        let text = read(path)?.unwrap_or_default();
        let told = |error: toml::de::Error| plain::message(&error.to_string());
        let mut settings = Self::with(&text)
            .map_err(|error| BadSettings::Parse { path: shown, message: told(error) })?;
        if let Some(table) = prices(&path.with_file_name(prices::FILE))? {
            settings.providers.renew(table);
        }
        Ok(settings)
    }

    /// The defaults with the settings of `text` in their place.
    pub fn with(text: &str) -> Result<Self, toml::de::Error> {
        // Read alone first: its errors name the user's own lines.
        let own = for_daemon(text)?;
        let mut all: Table = toml::from_str(&all_settings())?;
        for (section, values) in own {
            match (all.get_mut(&section), values) {
                (Some(Value::Table(known)), Value::Table(values)) => known.extend(values),
                (_, values) => drop(all.insert(section, values)),
            }
        }
        let settings = Value::Table(all.clone()).try_into()?;
        bounds::beyond(&all).map_or(Ok(settings), |below| Err(toml::de::Error::custom(below)))
    }

    /// The longest that mail waits before it is tried again.
    pub fn longest_retry(&self) -> Duration {
        let runs = &self.runs;
        let attempts = i32::try_from(runs.attempts.max(runs.timeout_attempts)).unwrap_or(20);
        let factor = f64::from(runs.retry_factor).powi(attempts.clamp(1, 20));
        let longest = runs.retry_delay.duration().as_secs_f64() * factor * 1.2;
        Duration::from_secs_f64(longest.min(1e9))
    }

    /// The longest that an agent waits for its model: as the daemon waits, or a service that told
    /// for how long.
    pub fn longest_backoff(&self) -> Duration {
        self.runs.unavailable_pause.duration().max(self.runs.unavailable_max.duration())
    }

    /// The longest body of a request that carries a text: JSON writes a byte of it in six at most.
    pub fn text_body_bytes(&self) -> usize {
        self.http.body_bytes.saturating_add(self.messages.max_bytes.saturating_mul(5))
    }

    /// Longest wait for the first byte of a local server. It ends before `runs.idle` ends the run,
    /// so that the worker can ask again.
    pub fn local_silence(&self) -> Interval {
        self.models.local_silence.min(Interval::from(self.runs.idle.duration() * 9 / 10))
    }

    /// How many runs may be live at once.
    pub fn max_runs(&self) -> i64 {
        if self.runs.max_runs > 0 {
            return i64::from(self.runs.max_runs);
        }
        bounds::runs_of_machine()
    }
}

fn providers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Providers, D::Error> {
    let settings = Deserialize::deserialize(deserializer)?;
    Providers::with(&settings).map_err(D::Error::custom)
}

/// The prices that were put into the state directory; none if there are none.
fn prices(path: &Path) -> Result<Option<PriceTable>, BadSettings> {
    let table = read(path)?.map(|text| PriceTable::read(&text)).transpose();
    table.map_err(|message| BadSettings::Parse { path: path.display().to_string(), message })
}

/// What is in a file, if there is such a file.
fn read(path: &Path) -> Result<Option<String>, BadSettings> {
    if_there(std::fs::read_to_string(path))
        .map_err(|source| BadSettings::Read { path: path.display().to_string(), source })
}

/// The settings of a file that are not those of the control room.
fn for_daemon(text: &str) -> Result<Table, toml::de::Error> {
    let mut own: Table = toml::from_str(text)?;
    own.remove("tui");
    Ok(own)
}

/// A digest of what a file sets for the daemon: comments, empty sections and the control room's
/// settings do not count. A file that is missing sets nothing.
pub fn digest(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mut own = for_daemon(&text).unwrap_or_default();
    own.retain(|_, values| values.as_table().is_none_or(|values| !values.is_empty()));
    digest::of_text(&format!("{own:?}"))
}

/// The digest of this file of settings, if it is taken; if not, which file is at fault, where and
/// why, and what mends it.
pub fn check_settings(path: &Path) -> Result<String, (PathBuf, String, String)> {
    let Err(bad) = Settings::load(path) else { return Ok(digest(path)) };
    let why = match &bad {
        BadSettings::Parse { message, .. } => plain::message(message),
        BadSettings::Read { source, .. } => source.to_string(),
    };
    Err((bad.path().to_owned(), why, bad.hint()))
}

/// Every setting with its default, as TOML: the default file with its settings no longer commented
/// out. Examples are indented there.
pub fn all_settings() -> String {
    let setting = |line: &str| match line.strip_prefix("# ") {
        Some(rest) if !rest.starts_with(' ') && rest.contains(" = ") => rest.to_owned(),
        _ => line.to_owned(),
    };
    DEFAULT_TEXT.lines().map(setting).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
