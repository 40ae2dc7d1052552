//! What an agent does with its own home. The files that are its user's are not written.

use agent_worker_home::{Home, HomeFile, note};
use agent_worker_protocol::{
    BootstrapDone, HomePart, HomeRead, HomeWrite, HomeWritten, MemoryAdd, MemoryFound, MemoryHit,
    MemoryRead, MemorySearch, Op,
};
use jiff::{Zoned, tz::TimeZone};

use crate::{
    context::{Credential, Cx, limit},
    engine::{
        app::App,
        home::{
            at::HomeAt,
            files::{self, check_length, known},
            once::{self, Kept},
            refusal::other_files,
        },
    },
    error::OpError,
    rules::offer::has_no_home,
};

/// How much of a file is answered, in characters.
const MOST_READ: u32 = 40_000;

/// How many entries are found, and at the most.
const HITS: u32 = 10;
const MOST_HITS: u32 = 50;

/// The files that an agent writes itself, as a refusal names them.
const OF_AGENT: &str = "IDENTITY.md, USER.md and memory/long-term.md";

/// The longest note, in bytes.
const MOST_NOTED: usize = 16 << 10;

/// The home of the caller.
async fn own(app: &App, caller: Credential) -> Result<HomeAt, OpError> {
    let of = app.clone();
    let look = move |cx: &mut Cx<'_>| {
        let me = cx.member()?;
        let at = HomeAt::of(&of, cx, &me)?.ok_or_else(|| has_no_home(&me))?;
        Ok(HomeAt { by_tool: true, ..at })
    };
    app.store().read(caller, look).await
}

/// `home_read`
pub async fn read(app: &App, caller: Credential, read: HomeRead) -> Result<HomePart, OpError> {
    let at = own(app, caller).await?;
    let others = |error: OpError| error.hint(other_files(&read.file));
    let file = known(&read.file, &at.target).map_err(others)?;
    part(app, at, file, read.offset, read.limit).await
}

/// `memory_read`
pub async fn recall(app: &App, caller: Credential, read: MemoryRead) -> Result<HomePart, OpError> {
    let at = own(app, caller).await?;
    let today = || now(app).date();
    let file = match read.day.as_deref() {
        None => HomeFile::LongTerm,
        Some("today") => HomeFile::Day(today()),
        Some("yesterday") => HomeFile::Day(today().yesterday().unwrap_or_else(|_| today())),
        Some(day) => HomeFile::day(&format!("{day}.md")).ok_or_else(|| {
            OpError::invalid(format!("invalid day `{day}`"))
                .hint("`today`, `yesterday`, or a date such as 2026-11-25")
        })?,
    };
    part(app, at, file, read.offset, read.limit).await
}

async fn part(
    app: &App,
    at: HomeAt,
    file: HomeFile,
    offset: Option<u32>,
    limit: Option<u32>,
) -> Result<HomePart, OpError> {
    let offset = usize::try_from(offset.unwrap_or(0)).unwrap_or(usize::MAX);
    let limit = limit::at_most(limit, MOST_READ, MOST_READ)? as usize;
    let look = move |home: &Home| {
        let text = files::read(home, file)?.text;
        let content = text.chars().skip(offset).take(limit).collect();
        Ok(HomePart { file: file.to_string(), content, offset, chars: text.chars().count() })
    };
    at.open(app, look).await
}

/// `home_write`
pub async fn write(
    app: &App,
    caller: Credential,
    write: HomeWrite,
) -> Result<HomeWritten, OpError> {
    let at = own(app, caller).await?;
    let own_files = |error: OpError| error.hint(format!("home_write writes {OF_AGENT}"));
    let file = known(&write.file, &at.target).map_err(own_files)?;
    if !file.is_of_agent() {
        return Err(OpError::invalid(format!("you cannot write `{file}`: yours are {OF_AGENT}"))
            .hint("tell your user what to change in it"));
    }
    check_length(file, &write.content)?;
    let content = write.content;
    at.open(app, move |home| home.replace(file, content.as_bytes())).await?;
    Ok(HomeWritten { file: file.to_string() })
}

/// `bootstrap_done`
pub async fn bootstrap_done(
    app: &App,
    caller: Credential,
    _: BootstrapDone,
) -> Result<HomeWritten, OpError> {
    let at = own(app, caller).await?;
    at.open(app, |home| home.remove(HomeFile::Bootstrap)).await?;
    Ok(HomeWritten { file: HomeFile::Bootstrap.to_string() })
}

/// `memory_add`. A call that is repeated adds nothing, unless the daemon was killed between the note
/// and the answer.
pub async fn add(
    app: &App,
    caller: Credential,
    key: Option<String>,
    add: MemoryAdd,
) -> Result<HomeWritten, OpError> {
    let at = own(app, caller.clone()).await?;
    let (file, entry) = entry(app, &add)?;
    let kept = Kept::of(app, &caller, key, (MemoryAdd::NAME, &add))?;
    let append = move |home: &Home| {
        home.append(file, &entry)?;
        Ok(Ok(HomeWritten { file: file.to_string() }))
    };
    once::change(app, at, kept, append).await
}

/// The file of a note, and the note as it stands there.
fn entry(app: &App, add: &MemoryAdd) -> Result<(HomeFile, String), OpError> {
    let text = add.text.trim();
    if text.is_empty() {
        return Err(OpError::invalid("the note is empty"));
    }
    if text.len() > MOST_NOTED {
        return Err(OpError::too_large(format!(
            "the note has {} bytes, and a note has at most {MOST_NOTED}",
            text.len()
        )));
    }
    let now = now(app);
    let file = match add.long_term {
        Some(true) => HomeFile::LongTerm,
        _ => HomeFile::Day(now.date()),
    };
    let heading = match file {
        HomeFile::LongTerm => now.strftime("%Y-%m-%d %H:%M").to_string(),
        _ => now.strftime("%H:%M").to_string(),
    };
    Ok((file, note(&heading, text)))
}

/// `memory_search`
pub async fn search(
    app: &App,
    caller: Credential,
    search: MemorySearch,
) -> Result<MemoryFound, OpError> {
    let at = own(app, caller).await?;
    if search.query.trim().is_empty() {
        return Err(OpError::invalid("the query is empty"));
    }
    let limit = limit::at_most(search.limit, HITS, MOST_HITS)? as usize;
    let (of, path) = (app.clone(), at.path.clone());
    let look = move |home: &Home| {
        let mut memory = of.memories().take(&path);
        memory.refresh(home)?;
        let found = memory.search(&search.query, limit);
        of.memories().keep(path, memory);
        Ok(found)
    };
    let found = at.open(app, look).await?;
    let hits = found.hits.into_iter().map(|hit| MemoryHit {
        file: hit.file.to_string(),
        offset: hit.offset,
        text: hit.text,
    });
    Ok(MemoryFound { hits: hits.collect(), more: found.more, left_out: found.left_out })
}

fn now(app: &App) -> Zoned {
    let now = jiff::Timestamp::from_millisecond(app.store().clock().now().0);
    now.unwrap_or_default().to_zoned(TimeZone::system())
}
