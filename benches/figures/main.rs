//! Figures of the product as tables: ratios and counts of one run, each beside a baseline that
//! was taken in the same run. `cargo bench` prints all of them, `cargo bench -- sends` some. It
//! fails where a figure is beyond four times its aim.

mod asks;
#[expect(dead_code, clippy::unwrap_used, reason = "it is the tests', which use the rest of it")]
#[path = "../../tests/e2e/web/browser.rs"]
mod browser;
mod caller;
mod cold;
mod crowd;
mod deep;
mod depth;
mod doctor;
#[expect(dead_code, reason = "the tests use the rest of it")]
#[path = "../../tests/e2e/control_room/emulator.rs"]
mod emulator;
mod home;
mod limit;
#[path = "../../tests/e2e/control_room/link.rs"]
mod link;
mod memory;
mod model;
mod page;
mod raw;
mod room;
#[expect(
    dead_code,
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "it is the tests', which use the rest of it"
)]
#[path = "../../tests/e2e/control_room/screen.rs"]
mod screen;
mod search;
mod sends;
mod steps;
mod stream;
mod support;
mod table;
mod thread;
mod wakes;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [first, rest @ ..] = args.as_slice()
        && first == room::stream::EMIT
    {
        room::stream::emit(rest);
        return ExitCode::SUCCESS;
    }
    let wanted: Vec<String> = args.into_iter().filter(|arg| !arg.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|want| want == name);
    let figures: [(&str, fn()); 21] = [
        ("sends", sends::run),
        ("steps", steps::run),
        ("search", search::run),
        ("memory", memory::run),
        ("asks", asks::run),
        ("page", page::run),
        ("wakes", wakes::run),
        ("depth", depth::run),
        ("doctor", doctor::run),
        ("cold", cold::run),
        ("crowd", crowd::run),
        ("model", model::run),
        ("stream", stream::run),
        ("frames", room::frames::run),
        ("lines", room::lines::run),
        ("start", room::start::run),
        ("keys", room::keys::run),
        ("text", room::stream::run),
        ("lost", room::lost::run),
        ("quiet", room::quiet::run),
        ("million", room::million::run),
    ];
    for (name, run) in figures.into_iter().filter(|(name, _)| is_wanted(name)) {
        eprintln!("measuring {name} …");
        run();
    }
    limit::end()
}
