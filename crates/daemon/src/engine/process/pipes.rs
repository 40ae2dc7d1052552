//! A worker's standard input and standard error.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{ChildStderr, ChildStdin},
    sync::oneshot,
};

use crate::fail_points::reach;

/// How much of standard error is kept.
const TAIL_BYTES: usize = 8 * 1024;

/// Reads standard error to its end and keeps the last of it.
pub async fn tail(mut stderr: ChildStderr) -> String {
    let mut kept = Vec::new();
    let mut buffer = vec![0; 8 * 1024];
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        kept.extend_from_slice(&buffer[..read]);
        if kept.len() > 2 * TAIL_BYTES {
            kept.drain(..kept.len() - TAIL_BYTES);
        }
    }
    let start = kept.len().saturating_sub(TAIL_BYTES);
    String::from_utf8_lossy(&kept[start..]).into_owned()
}

/// Writes a line to a worker's standard input, which stays open until the returned sender is
/// dropped: its end means that the daemon is gone. A worker that does not read delays nothing.
pub fn lifeline(mut stdin: ChildStdin, line: Vec<u8>) -> oneshot::Sender<()> {
    let (kept, dropped) = oneshot::channel();
    tokio::spawn(async move {
        let hold = async {
            // If the worker is gone before it has read all, its end is noticed elsewhere.
            drop(stdin.write_all(&line).await);
            reach("spawn.configured");
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = hold => {}
            _ = dropped => {}
        }
    });
    kept
}
