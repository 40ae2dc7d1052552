//! `read`: lines of a file.

mod page;

use std::io::{BufRead, BufReader};

use schemars::JsonSchema;
use serde::Deserialize;

use self::page::Page;
use super::{
    Job, Opened, Outcome, Picture, Refusal,
    file::{self, is_binary, picture},
    root::Place,
    seen::Stamping,
};

/// How much is read at once, in bytes.
const PIECE: usize = 64 << 10;

/// Reads a text file, or shows a picture (PNG, JPEG, GIF or WEBP). Each text line begins with its
/// number and a tab, which are not in the file. Of a long file you get a part; its end says how to
/// read on.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// The file, from the folder you work in
    path: String,
    /// The first line to give, counted from 1
    #[schemars(range(min = 1))]
    offset: Option<u64>,
    /// How many lines to give
    #[schemars(range(min = 1))]
    limit: Option<u64>,
}

pub fn read(job: &Job, asked: &Read) -> Result<Outcome, Refusal> {
    if asked.offset == Some(0) || asked.limit == Some(0) {
        return Err(Refusal::new("`offset` and `limit` begin at 1"));
    }
    let place = job.find(&asked.path)?;
    let mut opened = file::open(&place)?;
    if let Some(kind) = kind(&place, &mut opened)? {
        return show(job, &place, opened, kind);
    }
    let page = Page::new(&job.desk.limits, asked.offset, asked.limit);
    let page = fill(job, &place, opened, page)?;
    page.told().map(Outcome::done).map_err(|lines| {
        let path = place.told();
        Refusal::new(format!("`{path}` has {lines} lines, so none begins there"))
    })
}

/// Reads as much as the page takes. A file that may be changed later is read to its end, so that
/// it is known again.
fn fill(job: &Job, place: &Place, opened: Opened, mut page: Page) -> Result<Page, Refusal> {
    let length = file::length(&opened.stat);
    let limits = &job.desk.limits;
    let is_kept = length <= limits.file_bytes as u64;
    let mut reader = BufReader::with_capacity(PIECE, opened.file);
    let mut stamping = Stamping::default();
    let mut read: u64 = 0;
    loop {
        job.goes_on()?;
        let piece = (reader.fill_buf())
            .map_err(|error| Refusal::new(format!("`{}` cannot be read: {error}", place.told())))?;
        if piece.is_empty() {
            page.end();
            if is_kept {
                job.seen().note(place, stamping.end());
            }
            return Ok(page);
        }
        page.push(piece);
        stamping.push(piece);
        let taken = piece.len();
        reader.consume(taken);
        read += taken as u64;
        if page.is_full() && !is_kept || read >= limits.scanned {
            page.stop(length, read);
            return Ok(page);
        }
    }
}

/// What kind of picture a file is; none if it is text. Anything else is refused.
fn kind(place: &Place, opened: &mut Opened) -> Result<Option<&'static str>, Refusal> {
    let sample = file::sample(place, opened)?;
    let kind = picture(&sample);
    if kind.is_none() && is_binary(&sample) {
        let (path, length) = (place.told(), file::length(&opened.stat));
        let what = format!("`{path}` is a binary file of {length} bytes");
        return Err(Refusal::new(format!("{what}, and only text and pictures are shown")));
    }
    Ok(kind)
}

fn show(
    job: &Job,
    place: &Place,
    opened: Opened,
    media_type: &'static str,
) -> Result<Outcome, Refusal> {
    let most = job.desk.limits.picture_bytes;
    let (path, length) = (place.told(), file::length(&opened.stat));
    if length > most as u64 {
        let what = format!("`{path}` is a picture ({media_type}) of {length} bytes");
        return Err(Refusal::new(format!("{what}, and none of more than {most} is shown")));
    }
    let content = file::whole(place, opened, most)?;
    let text = format!("`{path}`: {media_type}, {length} bytes");
    let picture = Some(Picture { media_type, content });
    Ok(Outcome { text, picture, ..Outcome::default() })
}
