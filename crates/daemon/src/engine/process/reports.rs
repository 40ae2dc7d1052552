//! Report lines as they come from a worker.

use agent_worker_protocol::{WorkerReport, report::LONGEST_LINE};
use tokio::io::{AsyncBufReadExt, BufReader};

/// What comes next from a worker.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    Report(WorkerReport),
    /// Something that is none; a worker that prints such is broken.
    Bad(String),
    /// There is nothing more.
    End,
}

/// Reads lines that do not grow without bounds. Dropping [`Lines::next`] loses nothing.
#[derive(Debug, Default)]
pub struct Lines {
    pub partial: Vec<u8>,
}

impl Lines {
    pub async fn next<R: tokio::io::AsyncRead + Unpin>(
        &mut self,
        reader: &mut BufReader<R>,
    ) -> Line {
        loop {
            let buffer = match reader.fill_buf().await {
                Ok(buffer) => buffer,
                Err(error) => return Line::Bad(format!("its output cannot be read: {error}")),
            };
            if buffer.is_empty() && self.partial.is_empty() {
                return Line::End;
            }
            let newline = buffer.iter().position(|byte| *byte == b'\n');
            let is_end = buffer.is_empty();
            let taken = newline.map_or(buffer.len(), |at| at + 1);
            self.partial.extend_from_slice(&buffer[..taken]);
            reader.consume(taken);
            if self.partial.len() > LONGEST_LINE {
                return Line::Bad(format!("it printed a line of more than {LONGEST_LINE} bytes"));
            }
            if newline.is_some() || is_end {
                let line = std::mem::take(&mut self.partial);
                return parse(&line);
            }
        }
    }
}

/// Whether a whole line lies ready, so that reading on would not wait.
pub fn has_line<R: tokio::io::AsyncRead>(reader: &BufReader<R>) -> bool {
    reader.buffer().contains(&b'\n')
}

pub fn parse(line: &[u8]) -> Line {
    if let Ok(report) = serde_json::from_slice(line) {
        return Line::Report(report);
    }
    let text = String::from_utf8_lossy(line);
    let start: String = text.trim_end().chars().take(80).collect();
    Line::Bad(format!("it printed an invalid report: {start}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(bytes: &[u8]) -> Vec<Line> {
        let mut reader = BufReader::with_capacity(7, bytes);
        let mut lines = Lines::default();
        let mut found = Vec::new();
        loop {
            match lines.next(&mut reader).await {
                Line::End => return found,
                line @ Line::Bad(_) => {
                    found.push(line);
                    return found;
                }
                line @ Line::Report(_) => found.push(line),
            }
        }
    }

    #[tokio::test]
    async fn reports_come_line_by_line_however_they_are_cut() {
        let text = b"{\"report\":\"started\"}\n{\"report\":\"heartbeat\"}";
        let lines = all(text).await;
        assert_eq!(
            lines,
            [Line::Report(WorkerReport::Started), Line::Report(WorkerReport::Heartbeat)]
        );
    }

    #[tokio::test]
    async fn what_is_no_report_and_what_has_no_end_is_bad() {
        let garbage = all(b"hello\n").await;
        assert!(matches!(&garbage[..], [Line::Bad(why)] if why.contains("hello")));
        let endless = vec![b'x'; LONGEST_LINE + 10];
        let flood = all(&endless).await;
        assert!(matches!(&flood[..], [Line::Bad(why)] if why.contains("more than")));
    }
}
