//! The port on which the daemon listens: the requested one, else that of its last start, so that
//! clients keep their settings.

use std::{
    fs,
    io::{self, Write as _},
    net::{IpAddr, SocketAddr},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use tokio::net::TcpListener;

use crate::{
    engine::{app::App, options::Options, serve_error::ServeError},
    settings::Settings,
};

/// Listens, and notes where workers reach the daemon.
pub async fn bind(
    options: &Options,
    settings: &Settings,
    app: &App,
) -> Result<TcpListener, ServeError> {
    let asked = if options.port == 0 { settings.http.port } else { options.port };
    let listener = match asked {
        0 => as_before(options.host, &options.home).await?,
        port => {
            let listener = listen(SocketAddr::new(options.host, port)).await?;
            keep_for_next(&listener, &options.home.join("port"));
            listener
        }
    };
    let failed = |source| ServeError::Bind { address: (options.host, asked).into(), source };
    let bound = listener.local_addr().map_err(failed)?;
    // Workers are on this machine: they are told the loopback address even if all are bound.
    let near = if bound.ip().is_unspecified() {
        SocketAddr::new(IpAddr::from([127, 0, 0, 1]), bound.port())
    } else {
        bound
    };
    app.set_base_url(format!("http://{near}"));
    Ok(listener)
}

async fn listen(address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).await.map_err(|source| ServeError::Bind { address, source })
}

/// Listens on the port of the last start if it is free, else on any other, which is kept.
async fn as_before(host: IpAddr, home: &Path) -> Result<TcpListener, ServeError> {
    let file = home.join("port");
    let kept = fs::read_to_string(&file).ok().and_then(|text| text.trim().parse().ok());
    if let Some(port) = kept.filter(|port| *port != 0)
        && let Ok(listener) = listen(SocketAddr::new(host, port)).await
    {
        return Ok(listener);
    }
    let listener = listen(SocketAddr::new(host, 0)).await?;
    keep_for_next(&listener, &file);
    Ok(listener)
}

fn keep_for_next(listener: &TcpListener, file: &Path) {
    if let Err(error) = listener.local_addr().and_then(|bound| keep(file, bound.port())) {
        tracing::warn!(%error, "the port is not kept: the next start may have another");
    }
}

fn keep(file: &Path, port: u16) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    let mut opened = options.write(true).create(true).truncate(true).mode(0o600).open(file)?;
    writeln!(opened, "{port}")
}
