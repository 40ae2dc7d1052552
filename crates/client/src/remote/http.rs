//! HTTP where each request has a stream of its own: over a link, and for what is never over.

use std::{io, pin::Pin, time::Duration};

use bytes::Bytes;
use futures::StreamExt as _;
use http::{Request, Response, Uri, header::HOST, uri::Authority};
use http_body_util::{BodyExt as _, Full};
use hyper::{body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use launchdarkly_sdk_transport::{ByteStream, HttpTransport, ResponseFuture, TransportError};

use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};

use super::Host;

/// How long a connection may take on this machine.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Sends a request over a stream that it alone has.
pub(crate) async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    request: Request<Bytes>,
) -> io::Result<Response<Incoming>> {
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    tokio::spawn(connection);
    let (mut parts, body) = request.into_parts();
    // A connection is to one daemon, so that the path alone is what it is asked for.
    if let Some(authority) = parts.uri.authority()
        && let Ok(authority) = authority.as_str().parse()
    {
        parts.headers.insert(HOST, authority);
    }
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    parts.uri = path.parse::<Uri>().map_err(io::Error::other)?;
    let request = Request::from_parts(parts, Full::new(body));
    sender.send_request(request).await.map_err(io::Error::other)
}

/// Opens a connection to the daemon of this machine.
async fn connect(uri: &Uri) -> io::Result<TcpStream> {
    let place = uri.authority().map(Authority::as_str).unwrap_or_default();
    let opened = timeout(CONNECT_TIMEOUT, TcpStream::connect(place)).await;
    opened.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
}

/// Streams of events from the daemon of this machine, past every proxy, or over the link to
/// another.
#[derive(Clone)]
pub(crate) struct Carried(pub Option<Host>);

impl HttpTransport for Carried {
    fn request(&self, request: Request<Option<Bytes>>) -> ResponseFuture {
        let host = self.0.clone();
        // A task can be waited for from everywhere, as this trait asks for.
        let task = tokio::spawn(async move {
            let request = request.map(Option::unwrap_or_default);
            let answer = match host {
                Some(host) => exchange(host.connect().await?, request).await?,
                None => exchange(connect(request.uri()).await?, request).await?,
            };
            let stream = |body: Incoming| -> ByteStream {
                Pin::from(Box::new(
                    body.into_data_stream().map(|part| part.map_err(TransportError::new)),
                ))
            };
            Ok::<_, io::Error>(answer.map(stream))
        });
        Box::pin(async move {
            let answer = task.await.map_err(TransportError::new)?;
            answer.map_err(TransportError::new)
        })
    }
}
