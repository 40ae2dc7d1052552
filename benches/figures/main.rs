//! Figures of the product as tables: ratios and counts of one run, each beside a baseline that
//! was taken in the same run. `cargo bench` prints all of them, `cargo bench -- sends` some.

mod cold;
mod crowd;
mod deep;
mod depth;
mod doctor;
mod home;
mod sends;
mod stream;
mod table;
mod wakes;

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|want| want == name);
    let figures: [(&str, fn()); 7] = [
        ("sends", sends::run),
        ("wakes", wakes::run),
        ("depth", depth::run),
        ("doctor", doctor::run),
        ("cold", cold::run),
        ("crowd", crowd::run),
        ("stream", stream::run),
    ];
    for (name, run) in figures.into_iter().filter(|(name, _)| is_wanted(name)) {
        eprintln!("measuring {name} …");
        run();
    }
}
