//! What people do with the files of a home.

use agent_worker_home::{Home, HomeError, HomeFile, Listed, Text, UnknownFile};
use agent_worker_protocol::{
    HomeChanged, HomeEdit, HomeHistory, HomeReset, HomeRestore, HomeShow, HomeShown, HomeText,
    HomeVersion, HomeVersions, Op, Target, Timestamp,
    home::{self},
};

use crate::{
    context::Credential,
    digest,
    engine::{
        app::App,
        home::{
            at,
            once::{self, Kept},
            paths,
        },
    },
    error::OpError,
};

/// How much of a file is shown, in bytes.
pub const MOST_SHOWN: u64 = 16 << 20;

/// The longest text that is written, in bytes.
const MOST_WRITTEN: usize = 1 << 20;

/// Shows a home.
pub async fn show(app: &App, caller: Credential, show: HomeShow) -> Result<HomeShown, OpError> {
    let at = at::find(app, caller, &show.target).await?;
    let file = show.file.as_deref().map(|file| known(file, &at.target)).transpose()?;
    let (target, path) = (at.target.clone(), at.path.display().to_string());
    let mut in_use = at::in_use(app).await?;
    in_use.retain(|other| other.owner != at.target);
    let written = at.path.clone();
    let look = move |home: &Home| {
        let here = paths::resolved(&written);
        in_use.retain(|other| other.path == here);
        Ok((home.list()?, file.map(|file| text(home, file)).transpose()?, in_use))
    };
    let (listed, text, shared) = at.open(app, look).await?;
    let shared_with = shared.into_iter().map(|other| other.owner).collect();
    let files = listed.iter().map(listed_file).collect();
    Ok(HomeShown { target, path, files, shared_with, text })
}

/// Replaces a file.
pub async fn edit(
    app: &App,
    caller: Credential,
    key: Option<String>,
    edit: HomeEdit,
) -> Result<HomeChanged, OpError> {
    let kept = Kept::of(app, &caller, key, (HomeEdit::NAME, &edit))?;
    let HomeEdit { target, file, content, if_version } = edit;
    let at = at::find(app, caller, &target).await?;
    let (file, target) = (known(&file, &at.target)?, at.target.clone());
    check_length(file, &content)?;
    let write = move |home: &Home| {
        if let Some(version) = if_version
            && home
                .read(file, MOST_SHOWN)?
                .is_none_or(|text| digest::of_text(&text.text) != version)
        {
            let text = format!("`{file}` of `{target}` has changed since you read it");
            let hint = format!("agent-worker home show {target} {file}");
            return Ok(Err(OpError::stale(text).hint(hint)));
        }
        home.replace(file, content.as_bytes())?;
        Ok(Ok(HomeChanged { target, files: vec![file.to_string()] }))
    };
    once::change(app, at, kept, write).await
}

/// Puts templates back.
pub async fn reset(
    app: &App,
    caller: Credential,
    key: Option<String>,
    reset: HomeReset,
) -> Result<HomeChanged, OpError> {
    let kept = Kept::of(app, &caller, key, (HomeReset::NAME, &reset))?;
    let at = at::find(app, caller, &reset.target).await?;
    let target = at.target.clone();
    let files = match &reset.file {
        Some(file) => vec![known(file, &target)?],
        None => HomeFile::FIXED.into_iter().filter(|file| !file.is_memory()).collect(),
    };
    if let Some(day) = files.iter().find(|file| matches!(file, HomeFile::Day(_))) {
        return Err(OpError::invalid(format!("`{day}` has no template")));
    }
    let tools = at.tools.clone();
    let write = move |home: &Home| {
        for file in &files {
            home.replace(*file, file.template(&tools).unwrap_or_default().as_bytes())?;
        }
        Ok(Ok(HomeChanged { target, files: files.iter().map(ToString::to_string).collect() }))
    };
    once::change(app, at, kept, write).await
}

/// Lists earlier contents.
pub async fn history(
    app: &App,
    caller: Credential,
    history: HomeHistory,
) -> Result<HomeVersions, OpError> {
    let HomeHistory { target, file, version } = history;
    let at = at::find(app, caller, &target).await?;
    let target = at.target.clone();
    let file = file.as_deref().map(|file| known(file, &target)).transpose()?;
    if version.is_some() && file.is_none() {
        return Err(OpError::invalid("`version` needs a `file`"));
    }
    let look = move |home: &Home| {
        let files = file.map_or_else(|| HomeFile::FIXED.to_vec(), |file| vec![file]);
        let mut versions = Vec::new();
        for file in files {
            versions.extend(home.versions(file)?.into_iter().map(|kept| (file, kept)));
        }
        let content = match (file, version) {
            (Some(file), Some(version)) => Some(home.version(file, version)?),
            _ => None,
        };
        Ok((versions, content))
    };
    let (versions, content) = at.open(app, look).await?;
    let versions = versions.into_iter().map(|(file, kept)| HomeVersion {
        file: file.to_string(),
        version: kept.version,
        bytes: kept.bytes,
        written_at: Timestamp(kept.written),
    });
    let content = content.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(HomeVersions { target, versions: versions.collect(), content })
}

/// Puts an earlier version back.
pub async fn restore(
    app: &App,
    caller: Credential,
    key: Option<String>,
    restore: HomeRestore,
) -> Result<HomeChanged, OpError> {
    let kept = Kept::of(app, &caller, key, (HomeRestore::NAME, &restore))?;
    let at = at::find(app, caller, &restore.target).await?;
    let (file, target) = (known(&restore.file, &at.target)?, at.target.clone());
    let version = restore.version;
    let write = move |home: &Home| {
        home.replace(file, &home.version(file, version)?)?;
        Ok(Ok(HomeChanged { target, files: vec![file.to_string()] }))
    };
    once::change(app, at, kept, write).await
}

/// Reads the name of a file; a refusal names those that exist.
pub fn known(file: &str, target: &Target) -> Result<HomeFile, OpError> {
    file.parse().map_err(|unknown: UnknownFile| {
        OpError::not_found(format!("home of `{target}`: {unknown}"))
            .hint(format!("agent-worker home show {target}"))
    })
}

pub fn check_length(file: HomeFile, content: &str) -> Result<(), OpError> {
    if content.len() <= MOST_WRITTEN {
        return Ok(());
    }
    Err(OpError::too_large(format!("cannot write `{file}`: the text is longer than 1 MiB")))
}

/// Reads a file that must be there.
pub fn read(home: &Home, file: HomeFile) -> Result<Text, HomeError> {
    let missing = || HomeError::NoFile { file: file.to_string() };
    home.read(file, MOST_SHOWN)?.ok_or_else(missing)
}

fn text(home: &Home, file: HomeFile) -> Result<HomeText, HomeError> {
    let text = read(home, file)?;
    Ok(HomeText {
        file: file.to_string(),
        version: digest::of_text(&text.text),
        utf8: text.is_utf8,
        content: text.text,
    })
}

fn listed_file(listed: &Listed) -> home::HomeFile {
    home::HomeFile {
        file: listed.file.to_string(),
        bytes: listed.bytes,
        modified_at: Timestamp(listed.modified),
        agent_writes: listed.file.is_of_agent(),
    }
}
