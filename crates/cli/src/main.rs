//! The one binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("worker") => agent_worker_worker::main(),
        Some("daemon") => daemon(),
        _ => ExitCode::FAILURE,
    }
}

#[expect(clippy::print_stdout, reason = "x")]
fn daemon() -> ExitCode {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let home = std::env::var("AGENT_WORKER_HOME").unwrap();
    let options = agent_worker_daemon::Options {
        home: home.into(),
        host: [127, 0, 0, 1].into(),
        port: 0,
        allowed_hosts: vec![],
    };
    match runtime.block_on(agent_worker_daemon::serve(options, |url| println!("ready {url}"))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
