//! The far end: finds the daemon of this machine, and carries connections to it.

use std::{
    error::Error as _,
    future::poll_fn,
    io,
    iter::successors,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::{
    io::{
        AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
        copy_bidirectional, join,
    },
    net::TcpStream,
    sync::Notify,
    time::timeout,
};
use tokio_util::compat::{FuturesAsyncReadCompatExt as _, TokioAsyncReadCompatExt as _};
use yamux::{Config, Connection, Mode, Stream};

use crate::{
    Endpoint, FindError, Home, discovery,
    remote::wire::{self, FAR_SILENCE, Found, Greeting, Hello, MARK, Purpose},
};

/// Time within which the near end must greet.
const GREETING: Duration = Duration::from_secs(30);

/// What the far end needs.
struct Far {
    home: Home,
    /// Program that starts a daemon
    program: PathBuf,
    heard: Notify,
}

/// Serves the near end until it closes its side, or is silent for a minute: behind a cut link
/// nothing else would end this process.
pub async fn serve(
    home: Home,
    program: &Path,
    input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    output.write_all(MARK.as_bytes()).await?;
    output.write_all(&wire::line(&Hello::own())).await?;
    output.flush().await?;
    let mut input = BufReader::new(input);
    let greeting: Greeting = timeout(GREETING, wire::value(&mut input)).await??;
    let home = match &greeting.state_dir {
        Some(folder) => home.moved(folder).and_then(Home::in_utf_8).map_err(io::Error::other)?,
        None => home,
    };
    let far = Arc::new(Far { home, program: program.to_owned(), heard: Notify::new() });
    let pipe = join(input, output).compat();
    let mut connection = Connection::new(pipe, Config::default(), Mode::Server);
    let carrying = async {
        while let Some(Ok(stream)) = poll_fn(|cx| connection.poll_next_inbound(cx)).await {
            let far = Arc::clone(&far);
            // What goes wrong on a stream ends it.
            tokio::spawn(async move { far.served(stream).await });
        }
    };
    tokio::select! {
        () = carrying => Ok(()),
        () = far.falls_silent() => {
            Err(io::Error::new(io::ErrorKind::TimedOut, "the other side is silent"))
        }
    }
}

impl Far {
    async fn falls_silent(&self) {
        while timeout(FAR_SILENCE, self.heard.notified()).await.is_ok() {}
    }

    async fn served(&self, stream: Stream) -> io::Result<()> {
        let mut stream = BufReader::new(stream.compat());
        match wire::value(&mut stream).await? {
            Purpose::Find { start } => {
                stream.write_all(&wire::line(&self.found(start).await)).await?;
                stream.shutdown().await
            }
            Purpose::Connect => {
                let Ok(Some(file)) = discovery::find(&self.home).await else { return Ok(()) };
                let base = Endpoint::from(&file).base;
                let address = base.trim_start_matches("http://");
                let mut daemon = TcpStream::connect(address).await?;
                daemon.set_nodelay(true)?;
                copy_bidirectional(&mut stream, &mut daemon).await.map(|_| ())
            }
            Purpose::Beat => loop {
                let beat = stream.read_u8().await?;
                self.heard.notify_one();
                stream.write_u8(beat).await?;
                stream.flush().await?;
            },
        }
    }

    async fn found(&self, start: bool) -> Found {
        let program = start.then_some(self.program.as_path());
        match discovery::find_or_start(&self.home, program).await {
            Ok(Some(file)) => Found::Daemon(file),
            Ok(None) => Found::None,
            Err(error) => Found::Error { message: told(&error), hint: error.hint() },
        }
    }
}

fn told(error: &FindError) -> String {
    let causes = successors(error.source(), |&cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}
