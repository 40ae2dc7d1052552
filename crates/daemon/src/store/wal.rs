//! The write-ahead log as it lies on the disk, looked at before SQLite does. SQLite takes a frame
//! that it cannot read for the end of the log, and forgets everything after it: right for a write
//! that was cut off, but commits that were answered would be lost without a word if a byte of the
//! log was damaged. The formats are those of <https://sqlite.org/walformat.html>.

use std::{
    fs::File,
    io::{self, BufReader, Read},
    path::Path,
};

use crate::fault::if_there;

const HEADER: usize = 32;

const FRAME_HEADER: usize = 24;

/// Two copies of this, and more, are at the start of the index.
const INDEX_HEADER: usize = 48;

/// What is wrong with a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    Header,
    /// A frame before the last commit.
    Frame {
        /// Which, from 1
        number: u64,
    },
}

type Sum = (u32, u32);

/// SQLite's checksum, going on from an earlier one.
fn sum(mut from: Sum, bytes: &[u8], is_big: bool) -> Sum {
    for pair in bytes.chunks_exact(8) {
        let word = |at: usize| {
            let word = [pair[at], pair[at + 1], pair[at + 2], pair[at + 3]];
            if is_big { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) }
        };
        from.0 = from.0.wrapping_add(word(0)).wrapping_add(from.1);
        from.1 = from.1.wrapping_add(word(4)).wrapping_add(from.0);
    }
    from
}

fn big(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// The header of a log.
struct Header {
    page: usize,
    salts: [u8; 8],
    sum: Sum,
    is_big: bool,
}

impl Header {
    fn of(bytes: &[u8; HEADER]) -> Option<Self> {
        const MAGIC: u32 = 0x377f_0682;
        let magic = big(bytes, 0);
        let is_big = magic & 1 == 1;
        let page = usize::try_from(big(bytes, 8)).ok()?;
        let told = (big(bytes, 24), big(bytes, 28));
        let is_whole = magic & !1 == MAGIC && sum((0, 0), &bytes[..24], is_big) == told;
        let is_page = page.is_power_of_two() && (512..=65536).contains(&page);
        let salts = bytes[16..24].try_into().ok()?;
        (is_whole && is_page).then_some(Self { page, salts, sum: told, is_big })
    }
}

/// How far the commits go that were answered: the index says so, which is not of this log if its
/// salts are others. It survives the death of its process, and after a power cut it is behind.
fn answered(index: &Path, salts: [u8; 8]) -> Option<u64> {
    let mut bytes = [0; 2 * INDEX_HEADER];
    File::open(index).ok()?.read_exact(&mut bytes).ok()?;
    let (first, second) = bytes.split_at(INDEX_HEADER);
    let native =
        |at: usize| u32::from_ne_bytes([first[at], first[at + 1], first[at + 2], first[at + 3]]);
    let told = (native(40), native(44));
    let is_whole =
        first == second && sum((0, 0), &first[..40], cfg!(target_endian = "big")) == told;
    (is_whole && first[32..40] == salts).then(|| native(16).into())
}

/// Looks for commits that SQLite would not find.
pub fn damage(log: &Path, index: &Path) -> io::Result<Option<Damage>> {
    let Some(file) = if_there(File::open(log))? else { return Ok(None) };
    let length = file.metadata()?.len();
    let mut reader = BufReader::with_capacity(1 << 18, file);
    let mut bytes = [0; HEADER];
    if length <= HEADER as u64 {
        return Ok(None);
    }
    reader.read_exact(&mut bytes)?;
    let Some(header) = Header::of(&bytes) else {
        // Nothing but zeros was never written.
        return Ok((bytes != [0; HEADER]).then_some(Damage::Header));
    };
    let walk = Walk::along(&header, &mut reader)?;
    let is_lost = match answered(index, header.salts) {
        Some(answered) => answered > walk.last_commit,
        None => walk.commits_after > 1,
    };
    Ok(is_lost.then_some(Damage::Frame { number: walk.first_broken }))
}

/// What was found on the way along the frames.
#[derive(Debug, Default)]
struct Walk {
    /// The last commit that SQLite finds
    last_commit: u64,
    /// The first frame that it cannot read
    first_broken: u64,
    /// How many commits come after that one. One can be of a write that a power cut has cut off,
    /// which was not answered; a second began when the first was on the disk.
    commits_after: u64,
}

impl Walk {
    fn along(header: &Header, reader: &mut impl Read) -> io::Result<Self> {
        let mut walk = Self::default();
        let mut frame = vec![0; FRAME_HEADER + header.page];
        let (mut before, mut is_broken) = (header.sum, false);
        for number in 1.. {
            match reader.read_exact(&mut frame) {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    walk.first_broken = if is_broken { walk.first_broken } else { number };
                    break;
                }
                read => read?,
            }
            let told = (big(&frame, 16), big(&frame, 20));
            let found = sum(before, &frame[..8], header.is_big);
            let found = sum(found, &frame[FRAME_HEADER..], header.is_big);
            let is_good = frame[8..16] == header.salts && big(&frame, 0) != 0 && found == told;
            let is_commit = is_good && big(&frame, 4) != 0;
            if !is_good && !is_broken {
                (is_broken, walk.first_broken) = (true, number);
            }
            match (is_commit, is_broken) {
                (true, false) => walk.last_commit = number,
                (true, true) => walk.commits_after += 1,
                (false, _) => {}
            }
            // A frame behind a broken one is still checked against what that one says of itself.
            before = told;
        }
        Ok(walk)
    }
}
