//! A program that is nothing but a worker, for the tests of it.

fn main() -> std::process::ExitCode {
    agent_worker_worker::main()
}
