//! What both ends say: a line each at the beginning, and one at the head of each stream.

use std::{io, path::PathBuf, time::Duration};

use agent_worker_protocol::{DaemonFile, daemon::API_VERSION};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

/// The protocol of this page.
pub(crate) const PROTOCOL: u32 = 1;

/// What the hello begins with: shells may print text of their own before it.
pub(crate) const MARK: &str = "agent-worker remote-end ";

/// The longest line, in bytes.
const LINE: u64 = 16 * 1024;

/// How often this end says that it is there.
pub(crate) const BEAT: Duration = Duration::from_secs(5);

/// Silence after which the near end gives up the far one.
pub(crate) const SILENCE: Duration = Duration::from_secs(15);

/// The same, by the far one: it ends with everything that it carries.
pub(crate) const FAR_SILENCE: Duration = Duration::from_mins(1);

/// First line of the far end, behind the mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hello {
    pub version: String,
    /// Version of the HTTP interface
    pub api: String,
    pub protocols: Protocols,
}

/// Protocols that a program speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Protocols {
    pub min: u32,
    pub max: u32,
}

/// First line of the near end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Greeting {
    pub protocol: u32,
    pub version: String,
    /// State directory there; `None` for the usual one
    pub state_dir: Option<PathBuf>,
}

/// What a stream is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Purpose {
    /// Where the daemon is; the answer is a line with a [`Found`].
    Find { start: bool },
    /// A connection to the daemon
    Connect,
    /// Bytes that come back, as a sign of life
    Beat,
}

/// Answer to [`Purpose::Find`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Found {
    Daemon(DaemonFile),
    None,
    Error { message: String, hint: Option<String> },
}

impl Hello {
    pub fn own() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            api: API_VERSION.to_owned(),
            protocols: Protocols { min: PROTOCOL, max: PROTOCOL },
        }
    }

    /// Whether this program can speak with the program that said it.
    pub fn is_understood(&self) -> bool {
        let major = |version: &str| version.split('.').next().map(ToOwned::to_owned);
        let Protocols { min, max } = self.protocols;
        (min..=max).contains(&PROTOCOL) && major(&self.api) == major(API_VERSION)
    }
}

/// A value as a line.
pub(crate) fn line<T: Serialize>(value: &T) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Reads a line; `None` at the end.
pub(crate) async fn text(from: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    from.take(LINE).read_until(b'\n', &mut line).await?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') && line.len() as u64 == LINE {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a line is too long"));
    }
    Ok(Some(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned()))
}

/// Reads a value from a line.
pub(crate) async fn value<T: DeserializeOwned>(
    from: &mut (impl AsyncBufRead + Unpin),
) -> io::Result<T> {
    let line = text(from).await?.ok_or(io::ErrorKind::UnexpectedEof)?;
    serde_json::from_str(&line).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hello_of_another_interface_or_protocol_is_not_understood() {
        let own = Hello::own();
        assert!(own.is_understood());
        let of = |min, max| Hello { protocols: Protocols { min, max }, ..own.clone() };
        assert!(of(0, 3).is_understood());
        assert!(!of(2, 3).is_understood() && !of(0, 0).is_understood());
        assert!(Hello { api: "1.9".to_owned(), ..own.clone() }.is_understood());
        assert!(!Hello { api: "2.0".to_owned(), ..own.clone() }.is_understood());
    }

    #[tokio::test]
    async fn lines_are_bounded() {
        let mut text_of = tokio::io::BufReader::new(&b"one\r\ntwo"[..]);
        assert_eq!(text(&mut text_of).await.unwrap().as_deref(), Some("one"));
        assert_eq!(text(&mut text_of).await.unwrap().as_deref(), Some("two"));
        assert_eq!(text(&mut text_of).await.unwrap(), None);
        let long = vec![b'x'; 20_000];
        assert!(text(&mut tokio::io::BufReader::new(&long[..])).await.is_err());
    }
}
