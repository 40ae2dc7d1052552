//! HTTP over a link: each request has a stream of its own.

use std::{io, pin::Pin};

use bytes::Bytes;
use futures::StreamExt as _;
use http::{Request, Response, Uri, header::HOST};
use http_body_util::{BodyExt as _, Full};
use hyper::{body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use launchdarkly_sdk_transport::{ByteStream, HttpTransport, ResponseFuture, TransportError};

use super::Host;

/// Sends a request to the daemon of another machine.
pub(crate) async fn exchange(
    host: &Host,
    request: Request<Bytes>,
) -> io::Result<Response<Incoming>> {
    let stream = host.connect().await.map_err(io::Error::other)?;
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

/// Streams of events over a link.
#[derive(Clone)]
pub(crate) struct Carried(pub Host);

impl HttpTransport for Carried {
    fn request(&self, request: Request<Option<Bytes>>) -> ResponseFuture {
        let host = self.0.clone();
        // A task can be waited for from everywhere, as this trait asks for.
        let task = tokio::spawn(async move {
            let answer = exchange(&host, request.map(Option::unwrap_or_default)).await?;
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
