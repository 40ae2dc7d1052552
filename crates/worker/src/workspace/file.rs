//! Files as the tools open them: only what has a length and an end.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    os::fd::{AsFd, BorrowedFd},
};

use agent_worker_protocol::nearest::nearest;
use rustix::{
    fs::{FileType, Mode, OFlags, Stat, fstat, openat},
    io::Errno,
};

use super::{
    Refusal,
    root::{Place, file_type, list},
};

/// How many names of a folder are looked at for a similar one.
const NEIGHBOURS: usize = 2000;

/// How much of a file's beginning tells whether it is text, in bytes.
const SAMPLE: usize = 8 << 10;

/// A file that is open for reading.
#[derive(Debug)]
pub struct Opened {
    pub file: File,
    /// What the system says of it
    pub stat: Stat,
}

/// Opens a file to read it. Anything else is refused before it is opened. Opening a pipe waits for
/// a writer, and opening a device may have an effect.
pub fn open(place: &Place) -> Result<Opened, Refusal> {
    const FLAGS: OFlags = OFlags::RDONLY
        .union(OFlags::NOFOLLOW)
        .union(OFlags::NONBLOCK)
        .union(OFlags::NOCTTY)
        .union(OFlags::CLOEXEC);
    let refused = |error| match error {
        Errno::NOENT => not_there(place),
        error => Refusal::system(&place.told(), error),
    };
    regular(place, &place.stat().map_err(refused)?)?;
    let file = openat(&place.folder, &place.name, FLAGS, Mode::empty()).map_err(refused)?;
    let stat = fstat(&file).map_err(refused)?;
    // Something else may stand there since.
    regular(place, &stat)?;
    Ok(Opened { file: file.into(), stat })
}

/// Refuses everything but files.
pub fn regular(place: &Place, stat: &Stat) -> Result<(), Refusal> {
    let path = place.told();
    let what = match file_type(stat) {
        FileType::RegularFile => return Ok(()),
        FileType::Directory => {
            return Err(Refusal::new(format!("`{path}` is a folder"))
                .hint(format!("`glob` with the pattern `{path}/*` tells what is in it")));
        }
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Unknown => "no file",
    };
    Err(Refusal::new(format!("`{path}` is {what}, and only files are read and written")))
}

/// How long a file is, in bytes.
pub fn length(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or_default()
}

/// Reads a file whole. It is refused if it is longer than `most` bytes, even if it has grown
/// since it was opened.
pub fn whole(place: &Place, opened: Opened, most: usize) -> Result<Vec<u8>, Refusal> {
    let too_long = |length: u64| {
        let path = place.told();
        Refusal::new(format!(
            "`{path}` has {length} bytes, and no file of more than {most} is changed"
        ))
        .hint("change it by a command, if you have `shell`")
    };
    let length = length(&opened.stat);
    if length > most as u64 {
        return Err(too_long(length));
    }
    let mut content = Vec::new();
    let read = opened.file.take(most as u64 + 1).read_to_end(&mut content);
    read.map_err(|error| Refusal::new(format!("`{}` cannot be read: {error}", place.told())))?;
    if content.len() > most {
        return Err(too_long(content.len() as u64));
    }
    Ok(content)
}

/// The first bytes of a file, which is then read from its beginning.
pub fn sample(place: &Place, opened: &mut Opened) -> Result<Vec<u8>, Refusal> {
    let mut sample = Vec::new();
    let read = (&mut opened.file).take(SAMPLE as u64).read_to_end(&mut sample);
    let read = read.and_then(|_| opened.file.seek(SeekFrom::Start(0)));
    read.map_err(|error| Refusal::new(format!("`{}` cannot be read: {error}", place.told())))?;
    Ok(sample)
}

/// Whether these first bytes are those of no text.
pub fn is_binary(content: &[u8]) -> bool {
    content[..content.len().min(SAMPLE)].contains(&0)
}

/// What kind of picture these first bytes begin, as a media type.
pub fn picture(content: &[u8]) -> Option<&'static str> {
    let begins = |magic: &[u8]| content.starts_with(magic);
    match () {
        () if begins(b"\x89PNG\r\n\x1a\n") => Some("image/png"),
        () if begins(b"\xff\xd8\xff") => Some("image/jpeg"),
        () if begins(b"GIF8") => Some("image/gif"),
        () if begins(b"RIFF") && content.get(8..12) == Some(b"WEBP") => Some("image/webp"),
        () => None,
    }
}

fn not_there(place: &Place) -> Refusal {
    let path = place.told();
    let refusal = Refusal::new(format!("there is no `{path}`"));
    let wanted = place.name.to_string_lossy();
    let names = names(place.folder.as_fd()).unwrap_or_default();
    match nearest(&wanted, names.iter().map(String::as_str)) {
        Some(near) => {
            let near = place.path.with_file_name(near);
            refusal.hint(format!("did you mean `{}`?", near.display()))
        }
        None => refusal.hint("`glob` finds files by their names"),
    }
}

fn names(folder: BorrowedFd<'_>) -> Result<Vec<String>, Errno> {
    let mut names = Vec::new();
    for entry in list(folder)?.take(NEIGHBOURS) {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}
