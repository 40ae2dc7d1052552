//! The accept loop. Each connection is told to close when the daemon does.

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

use agent_worker_protocol::ErrorCode;
use axum::{
    Router,
    body::Body,
    response::{IntoResponse as _, Response},
};
use hyper::{
    Request,
    body::Incoming,
    server::conn::http1,
    service::{Service, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    engine::presence::Connection,
    settings,
    surfaces::{
        answer::refuse,
        http::{
            crowd::{Crowd, Member, holding},
            drain::Lingering,
        },
    },
};

/// The most that the head of a request has, and what is read at once of a body.
const BUFFER_BYTES: usize = 64 * 1024;

/// Serves until `closing`, then lets each connection finish its answer.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    settings: &settings::Http,
    closing: CancellationToken,
) {
    let connections = TaskTracker::new();
    let hall = Hall {
        router,
        header_timeout: settings.header_timeout.duration(),
        body_timeout: settings.body_timeout.duration(),
        inside: Crowd::of(settings.connections),
        // Connections that are only told that the daemon is full.
        outside: Crowd::of(settings.connections.div_ceil(8)),
        closing: closing.clone(),
    };
    let mut is_short = false;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = closing.cancelled() => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                is_short = false;
                hall.receive(&connections, stream, peer);
            }
            Err(error) => {
                // Out of descriptors, for one: those that are open will be closed in time.
                if !std::mem::replace(&mut is_short, true) {
                    tracing::warn!(%error, "accepting a connection");
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(listener);
    connections.close();
    let last = Duration::from_secs(2);
    if tokio::time::timeout(last, connections.wait()).await.is_err() {
        tracing::info!("connections that did not end were cut");
    }
}

/// What all connections have.
struct Hall {
    router: Router,
    header_timeout: Duration,
    body_timeout: Duration,
    inside: Crowd,
    outside: Crowd,
    closing: CancellationToken,
}

impl Hall {
    /// Serves a connection. If all places are taken it is told so, and if even that takes too many,
    /// it is closed.
    fn receive(&self, connections: &TaskTracker, stream: TcpStream, peer: SocketAddr) {
        if let Some(member) = self.inside.enter() {
            let (routes, seat) = (TowerToHyperService::new(self.router.clone()), member.clone());
            let known = Connection::default();
            let ended = known.closed().clone().drop_guard();
            let answer = service_fn(move |request: Request<Incoming>| {
                let (mut head, body) = request.into_parts();
                head.extensions.insert(known.clone());
                let (body, work) = seat.work(Body::new(body));
                let answer = routes.call(Request::from_parts(head, body));
                async move { answer.await.map(|answer| answer.map(|body| holding(body, work))) }
            });
            let connection = self.connection(stream, peer, member, answer);
            connections.spawn(async move {
                connection.await;
                drop(ended);
            });
        } else if let Some(member) = self.outside.enter() {
            let answer = service_fn(|_| async { Ok::<_, Infallible>(no_room()) });
            connections.spawn(self.connection(stream, peer, member, answer));
        }
    }

    fn connection<S>(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        member: Arc<Member>,
        answer: S,
    ) -> impl Future<Output = ()> + Send + 'static
    where
        S: Service<Request<Incoming>, Response = Response<Body>, Error = Infallible>,
        S: Send + 'static,
        S::Future: Send,
    {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%peer, %error, "a connection without its options");
        }
        let stream = Lingering::new(stream, self.body_timeout, self.closing.clone());
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.header_timeout)
            .max_buf_size(BUFFER_BYTES)
            .serve_connection(TokioIo::new(stream), answer);
        let closing = self.closing.clone();
        async move {
            tokio::pin!(connection);
            let done = tokio::select! {
                done = connection.as_mut() => done,
                () = member.told_to_leave() => return,
                () = closing.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            };
            if let Err(error) = done {
                tracing::debug!(%peer, %error, "a connection ended");
            }
        }
    }
}

fn no_room() -> Response {
    let refusal = refuse(ErrorCode::Busy, "too many connections are at work at once")
        .hint("`connections` in config.toml says how many there may be");
    let mut response = refusal.into_response();
    let close = hyper::header::HeaderValue::from_static("close");
    response.headers_mut().insert(hyper::header::CONNECTION, close);
    response
}
