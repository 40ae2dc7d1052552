//! The end of a connection. An answer that comes before the whole request is read, as refusals do,
//! leaves bytes unread, and a connection that is closed over them is reset. The reset may come
//! before the answer, or take it away from a client that is still sending. So the daemon says that
//! it has said all, and hears the client out until that has done so too (RFC 9112 §9.6).

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};
use tokio_util::sync::CancellationToken;

/// Bytes of discarded input that are read at once.
const UNREAD_BYTES: usize = 16 * 1024;

/// A connection whose shutdown is over when the other side has closed it too, or breaks it, or is
/// not waited for any longer.
pub struct Lingering {
    stream: TcpStream,
    patience: Duration,
    closing: CancellationToken,
    /// Once all is said: resolves when the other side has had its time
    end: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Lingering {
    /// A stream that waits for up to `patience`, and not at all once the daemon ends.
    pub fn new(stream: TcpStream, patience: Duration, closing: CancellationToken) -> Self {
        Self { stream, patience, closing, end: None }
    }

    fn stream(self: Pin<&mut Self>) -> Pin<&mut TcpStream> {
        Pin::new(&mut self.get_mut().stream)
    }
}

impl AsyncRead for Lingering {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream().poll_read(context, buffer)
    }
}

impl AsyncWrite for Lingering {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.stream().poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.stream().poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.end.is_none() {
            ready!(self.as_mut().stream().poll_shutdown(context))?;
            let (patience, closing) = (self.patience, self.closing.clone());
            self.end = Some(Box::pin(async move {
                drop(tokio::time::timeout(patience, closing.cancelled()).await);
            }));
        }
        if let Some(end) = &mut self.end
            && end.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(Ok(()));
        }
        loop {
            let mut bytes = [0; UNREAD_BYTES];
            let mut buffer = ReadBuf::new(&mut bytes);
            match ready!(self.as_mut().stream().poll_read(context, &mut buffer)) {
                Ok(()) if buffer.filled().is_empty() => return Poll::Ready(Ok(())),
                Ok(()) => {}
                // A client that resets the connection has read all that it wants.
                Err(_) => return Poll::Ready(Ok(())),
            }
        }
    }
}
