//! The accept loop. Each connection is told to close when the daemon does.

use std::{net::SocketAddr, time::Duration};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Serves until `closing`, then lets each connection finish its answer.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    header_timeout: Duration,
    closing: CancellationToken,
) {
    let connections = TaskTracker::new();
    let mut is_short = false;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = closing.cancelled() => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                is_short = false;
                let (router, closing) = (router.clone(), closing.clone());
                connections.spawn(connection(stream, peer, router, header_timeout, closing));
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

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    header_timeout: Duration,
    closing: CancellationToken,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%peer, %error, "a connection without its options");
    }
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header_timeout)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    tokio::pin!(connection);
    let done = tokio::select! {
        done = connection.as_mut() => done,
        () = closing.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = done {
        tracing::debug!(%peer, %error, "a connection ended");
    }
}
