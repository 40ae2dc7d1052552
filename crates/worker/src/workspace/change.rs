//! What all changes of files have in common.

use rustix::{fs::FileType, fs::Stat, io::Errno};

use super::{
    Job, Outcome, Refusal, Seen, diff, file,
    replace::replace,
    root::{End, Missing, Place, file_type},
    seen::Stamp,
};

/// A file as it is before a change.
#[derive(Debug)]
pub struct Old {
    /// All that is in it
    pub content: Vec<u8>,
    /// What the system says of it
    pub stat: Stat,
}

impl Old {
    /// What is there, if anything is. Only a file may be.
    pub fn of(job: &Job, place: &Place) -> Result<Option<Self>, Refusal> {
        if let Err(Errno::NOENT) = place.stat() {
            return Ok(None);
        }
        let opened = file::open(place)?;
        let stat = opened.stat;
        let content = file::whole(place, opened, job.desk.limits.file_bytes)?;
        Ok(Some(Self { content, stat }))
    }
}

/// Where a file is that is to be changed. Missing folders are created. A link is refused: what
/// it names has a name of its own, and by this one it would be replaced.
pub fn place(job: &Job, path: &str, missing: Missing) -> Result<Place, Refusal> {
    let place = job.desk.root.find(path, End::Keep, missing)?;
    if !place.stat().is_ok_and(|stat| file_type(&stat) == FileType::Symlink) {
        return Ok(place);
    }
    let path = place.told();
    let refusal = Refusal::new(format!("`{path}` is a symbolic link, which is not changed"));
    match job.find(&path) {
        Ok(target) => Err(refusal.hint(format!("it stands for `{}`", target.told()))),
        Err(_) => Err(refusal),
    }
}

/// Puts the new content in its place, if nothing has come between.
pub fn put(
    job: &Job,
    seen: &mut Seen,
    place: &Place,
    old: Option<&Old>,
    new: &[u8],
    told: String,
) -> Result<Outcome, Refusal> {
    let before = old.map(|old| old.content.as_slice());
    let diff = diff::unified(&place.told(), before, new, job.desk.limits.diff_bytes);
    job.goes_on()?;
    if !is_same(place, old.map(|old| &old.stat)) {
        let path = place.told();
        return Err(Refusal::new(format!("`{path}` was changed by another process"))
            .hint("`read` it again, then make the change"));
    }
    replace(place, new, old.map(|old| &old.stat))?;
    seen.note(place, Stamp::of(new));
    Ok(Outcome { text: told, diff, ..Outcome::default() })
}

/// Whether the same file is still there, as it was.
fn is_same(place: &Place, old: Option<&Stat>) -> bool {
    let key =
        |stat: &Stat| (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime, stat.st_mtime_nsec);
    match (place.stat(), old) {
        (Ok(now), Some(old)) => key(&now) == key(old),
        (Err(Errno::NOENT), None) => true,
        _ => false,
    }
}
