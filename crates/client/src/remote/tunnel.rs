//! One link, in a thread of its own: the runtime of a caller may end at any time.

use std::{
    collections::VecDeque,
    future::poll_fn,
    task::{Context, Poll},
};

use tokio::{
    io::{
        AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Join, copy_bidirectional,
        duplex, join,
    },
    process::{ChildStdin, ChildStdout},
    runtime::Builder,
    sync::{mpsc::UnboundedReceiver, oneshot},
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_util::compat::{Compat, FuturesAsyncReadCompatExt as _, TokioAsyncReadCompatExt as _};
use yamux::{Config, Connection, Mode, Stream};

use super::{
    RemoteError,
    plan::Plan,
    ssh::Ssh,
    wire::{self, BEAT, Purpose, SILENCE},
};

/// Bytes that a stream may be ahead of its reader on this side.
const AHEAD: usize = 64 * 1024;

/// A stream that a caller waits for.
pub(super) struct Wanted {
    pub purpose: Purpose,
    pub reply: oneshot::Sender<Result<DuplexStream, RemoteError>>,
}

type Pipe = Compat<Join<BufReader<ChildStdout>, ChildStdin>>;

/// Makes a link and carries streams over it until it is cut, or until nothing can be wanted.
pub(super) fn live(
    plan: &Plan,
    mut inbox: UnboundedReceiver<Wanted>,
    failed: &dyn Fn(RemoteError),
) {
    let runtime = match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(RemoteError::no_ssh(&error)),
    };
    runtime.block_on(async {
        let mut waiting = VecDeque::new();
        let Some(connected) = connected(plan, &mut inbox, &mut waiting).await else { return };
        let (mut ssh, output, input) = match connected {
            Ok(connected) => connected,
            Err(error) => return refuse(&mut inbox, waiting, &error, failed),
        };
        let pipe: Pipe = join(output, input).compat();
        let connection = Connection::new(pipe, Config::default(), Mode::Client);
        let mut carrier = Carrier { connection, waiting, beat: None };
        let is_cut = carrier.carry(&mut inbox).await;
        let waiting = std::mem::take(&mut carrier.waiting);
        carrier.end().await;
        if is_cut {
            let error = ssh.cut(&plan.to).await;
            refuse(&mut inbox, waiting, &error, &|_| ());
        } else {
            ssh.end().await;
        }
    });
}

type Connected = (Ssh, BufReader<ChildStdout>, ChildStdin);

/// Connects; `None` if nothing can be wanted any longer.
async fn connected(
    plan: &Plan,
    inbox: &mut UnboundedReceiver<Wanted>,
    waiting: &mut VecDeque<Wanted>,
) -> Option<Result<Connected, RemoteError>> {
    let connecting = Ssh::connect(plan);
    tokio::pin!(connecting);
    loop {
        tokio::select! {
            connected = &mut connecting => return Some(connected),
            wanted = inbox.recv() => waiting.push_back(wanted?),
        }
    }
}

/// Answers all callers that wait. Later callers begin another link.
fn refuse(
    inbox: &mut UnboundedReceiver<Wanted>,
    waiting: VecDeque<Wanted>,
    error: &RemoteError,
    failed: &dyn Fn(RemoteError),
) {
    failed(error.clone());
    inbox.close();
    let late = std::iter::from_fn(|| inbox.try_recv().ok());
    for wanted in waiting.into_iter().chain(late) {
        // It may have been given up.
        let _ = wanted.reply.send(Err(error.clone()));
    }
}

struct Carrier {
    connection: Connection<Pipe>,
    waiting: VecDeque<Wanted>,
    beat: Option<JoinHandle<()>>,
}

impl Carrier {
    /// Returns true if the link is cut, false if nothing needs it any longer.
    async fn carry(&mut self, inbox: &mut UnboundedReceiver<Wanted>) -> bool {
        loop {
            tokio::select! {
                wanted = inbox.recv() => match wanted {
                    Some(wanted) => self.waiting.push_back(wanted),
                    None => return false,
                },
                // The far end or ssh is gone, or silent.
                () = poll_fn(|cx| self.poll(cx)) => return true,
            }
        }
    }

    /// Opens the streams that are waited for, and moves bytes; ready at the end of the link.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.beat.is_none() {
            match self.connection.poll_new_outbound(cx) {
                Poll::Ready(Ok(stream)) => self.beat = Some(tokio::spawn(beat(stream))),
                Poll::Ready(Err(_)) => return Poll::Ready(()),
                Poll::Pending => {}
            }
        }
        if let Some(beat) = &mut self.beat
            && std::pin::Pin::new(beat).poll(cx).is_ready()
        {
            return Poll::Ready(());
        }
        while !self.waiting.is_empty() {
            match self.connection.poll_new_outbound(cx) {
                Poll::Ready(Ok(stream)) => {
                    if let Some(wanted) = self.waiting.pop_front() {
                        tokio::spawn(carried(stream, wanted));
                    }
                }
                Poll::Ready(Err(_)) => return Poll::Ready(()),
                Poll::Pending => break,
            }
        }
        loop {
            match self.connection.poll_next_inbound(cx) {
                // The far end opens none.
                Poll::Ready(Some(Ok(stream))) => drop(stream),
                Poll::Ready(Some(Err(_)) | None) => return Poll::Ready(()),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// Closes the standard input of ssh.
    async fn end(mut self) {
        if let Some(beat) = &self.beat {
            beat.abort();
        }
        // What cannot be sent by now is not sent.
        let closing = poll_fn(|cx| self.connection.poll_close(cx));
        let _ = timeout(std::time::Duration::from_millis(100), closing).await;
    }
}

/// One connection to the daemon there.
async fn carried(stream: Stream, wanted: Wanted) {
    let mut stream = stream.compat();
    let (mut near, given) = duplex(AHEAD);
    if wanted.reply.send(Ok(given)).is_err() {
        return;
    }
    if stream.write_all(&wire::line(&wanted.purpose)).await.is_ok() {
        // Its end is all that there is to know, and both sides see that.
        let _ = copy_bidirectional(&mut stream, &mut near).await;
    }
}

/// Asks for signs of life; ends when there are none.
async fn beat(stream: Stream) {
    let mut stream = stream.compat();
    let mut begin = wire::line(&Purpose::Beat);
    loop {
        sleep(BEAT).await;
        begin.push(b'.');
        let heard = async {
            stream.write_all(&begin).await?;
            stream.flush().await?;
            stream.read_u8().await
        };
        if !matches!(timeout(SILENCE, heard).await, Ok(Ok(_))) {
            return;
        }
        begin.clear();
    }
}
