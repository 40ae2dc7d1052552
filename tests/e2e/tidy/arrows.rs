//! Rooms know only the rooms below them, and files of a room do not know each other in circles.

use std::collections::{BTreeMap, BTreeSet};

use super::house::House;

struct Plan {
    name: &'static str,
    /// A room, and the rooms it may name besides itself. `*` is every room.
    rooms: &'static [(&'static str, &'static str)],
    /// Files and folders that every room may name, and that name only each other.
    ground: &'static str,
}

const PLANS: [Plan; 10] = [
    Plan {
        name: "daemon",
        rooms: &[
            ("store", "ground"),
            ("rows", "ground"),
            ("context", "rows store ground"),
            ("rules", "context rows ground"),
            ("entities", "rules context rows ground"),
            ("changes", "entities rules context rows ground"),
            ("ops", "changes entities rules context rows ground"),
            ("engine", "changes entities rules context rows store ground"),
            ("surfaces", "ops engine entities rules context ground"),
            ("lib", "*"),
        ],
        ground: "clock digest error fault fail_points keys lock log plain signals token announce \
                 settings",
    },
    Plan {
        name: "tui",
        rooms: &[
            ("paint", "ground"),
            ("text", "paint ground"),
            ("keys", "ground"),
            ("terminal", "text ground"),
            ("model", "text keys paint ground"),
            ("parts", "model text paint ground"),
            ("panes", "parts model text paint ground"),
            ("overlays", "panes parts model text keys paint ground"),
            ("app", "overlays panes parts model text keys paint ground"),
            ("screen", "app parts model text keys paint ground"),
            ("event_loop", "*"),
            ("lib", "*"),
        ],
        ground: "key action theme symbols cells mouse clipboard",
    },
    Plan {
        name: "cli",
        rooms: &[("commands", "ground"), ("args", "commands ground"), ("main", "*"), ("lib", "*")],
        ground: "again complete editor exit files globals help input mistakes offline other_words \
                 output pages parse place resolve session source text",
    },
    Plan {
        name: "protocol",
        rooms: &[
            ("terms", ""),
            ("op", "terms"),
            ("error", "terms"),
            ("problem", "terms"),
            ("team", "op error problem terms"),
            ("backup", "*"),
            ("daemon", "*"),
            ("doctor", "*"),
            ("event", "*"),
            ("keys", "*"),
            ("member_token", "*"),
            ("provider", "*"),
            ("report", "*"),
            ("state_dir", "*"),
            ("web", "*"),
            ("lib", "*"),
        ],
        ground: "",
    },
    Plan {
        name: "workflow-file",
        rooms: &[
            ("template", "ground"),
            ("shell", "template"),
            ("yaml", "ground"),
            ("file", "shell yaml template"),
            ("script", "shell yaml template"),
            ("prices", "ground"),
            ("providers", "prices"),
            ("lib", "*"),
        ],
        ground: "",
    },
    Plan {
        name: "fake-model",
        rooms: &[("lib", "*")],
        ground: "answer asked counts director interface offered scenario server strict values wires",
    },
    Plan {
        name: "home",
        rooms: &[
            ("error", "file"),
            ("folder", "error file"),
            ("excerpt", "folder error file"),
            ("append", "folder error file"),
            ("versions", "excerpt folder error file"),
            ("replace", "versions folder error file"),
            ("make", "replace folder error file"),
            ("memory", "append excerpt folder error file"),
            ("lib", "*"),
        ],
        ground: "",
    },
    Plan {
        name: "process",
        rooms: &[("lib", "*")],
        ground: "ending environment files look name portable proc process tree",
    },
    Plan {
        name: "client",
        rooms: &[
            ("error", "sanitize"),
            ("request", "error"),
            ("feed_filter", "request"),
            ("remote", "sanitize"),
            ("call", "remote request error"),
            ("sse", "remote call request error"),
            ("transport", "remote call request error"),
            ("silence", "call error"),
            ("link", "sse call request error"),
            ("output", "events link sse call request error"),
            ("events", "feed_filter link sse call request error"),
            ("ask", "output events link sse call request error"),
            ("discovery", "remote link call sanitize error files"),
            ("far_end", "discovery remote call error"),
            ("mirror", "events error"),
            ("bridge", "transport discovery events feed_filter call error"),
            ("lib", "*"),
        ],
        ground: "",
    },
    Plan {
        name: "worker",
        rooms: &[
            ("model", "ground"),
            ("mcp", "model ground"),
            ("tools", "mcp ground"),
            ("history", "model ground"),
            ("servers", "mcp model ground"),
            ("workspace", "ground"),
            ("own_tools", "workspace servers tools mcp model ground"),
            ("own_home", "ground"),
            ("diary", "own_home ground"),
            ("prompt", "own_home servers history ground"),
            ("session", "prompt own_tools history tools ground"),
            ("backend", "session prompt own_tools workspace history tools mcp model ground"),
            ("step", "ground"),
            (
                "run",
                "diary backend session prompt own_home own_tools servers history tools \
                 ground",
            ),
            ("preview", "run backend prompt history ground"),
            ("lib", "*"),
        ],
        ground: "acts failure farewell lenient processes reports stdin transcript web",
    },
];

impl Plan {
    fn room(&self, path: &std::path::Path) -> String {
        let first = path.iter().next().unwrap().to_str().unwrap();
        let name = first.strip_suffix(".rs").unwrap_or(first);
        if self.ground.split(' ').any(|ground| ground == name) { "ground" } else { name }.into()
    }

    fn may(&self, from: &str, to: &str) -> bool {
        let row = self.rooms.iter().find(|(room, _)| *room == from);
        from == to
            || row.is_some_and(|(_, may)| *may == "*" || may.split(' ').any(|room| room == to))
    }

    fn wrong_arrows(&self, house: &House) -> Vec<String> {
        let arrows = house.arrows();
        let wrong = arrows.iter().filter_map(|arrow| {
            let (from, to) = (&house.files[arrow.from].path, &house.files[arrow.to].path);
            let (here, there) = (self.room(from), self.room(to));
            // A pane that names another pane has an arrow within its room that is none.
            let panes = self.name == "tui" && here == "panes" && there == "panes";
            let pane = |path: &std::path::Path| path.iter().nth(1).map(ToOwned::to_owned);
            let is_other_pane = panes && to.iter().count() > 2 && pane(from) != pane(to);
            let is_wrong = is_other_pane && from.iter().count() > 2 || !self.may(&here, &there);
            is_wrong.then(|| {
                format!("{}/{}:{} names {}", self.name, from.display(), arrow.line, to.display())
            })
        });
        wrong.collect()
    }
}

/// Files from which an arrow leads back to themselves, in groups.
fn circles(house: &House) -> Vec<Vec<usize>> {
    let mut next: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for arrow in house.arrows() {
        next.entry(arrow.from).or_default().insert(arrow.to);
    }
    let reached: Vec<BTreeSet<usize>> = (0..house.files.len())
        .map(|start| {
            let (mut seen, mut left) = (BTreeSet::new(), vec![start]);
            while let Some(at) = left.pop() {
                for &to in next.get(&at).into_iter().flatten() {
                    if seen.insert(to) {
                        left.push(to);
                    }
                }
            }
            seen
        })
        .collect();
    let mut groups: BTreeSet<Vec<usize>> = BTreeSet::new();
    for start in 0..reached.len() {
        if reached[start].contains(&start) {
            let back = |&other: &usize| reached[other].contains(&start);
            groups.insert(reached[start].iter().copied().filter(back).collect());
        }
    }
    groups.into_iter().collect()
}

#[test]
fn no_room_names_one_above_it() {
    let wrong: Vec<_> =
        PLANS.iter().flat_map(|plan| plan.wrong_arrows(&House::of(plan.name))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_do_not_know_each_other_in_circles() {
    let mut found = Vec::new();
    for plan in &PLANS {
        let house = House::of(plan.name);
        for group in circles(&house) {
            let names = group.iter().map(|&file| house.files[file].path.display().to_string());
            found.push(format!("{}: {}", plan.name, names.collect::<Vec<_>>().join(" ")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn drawn(files: &[(&str, &str)]) -> (tempfile::TempDir, House) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let house = House::from(folder.path());
    (folder, house)
}

fn wrong_in(name: &str, files: &[(&str, &str)]) -> Vec<String> {
    let plan = PLANS.iter().find(|plan| plan.name == name).unwrap();
    plan.wrong_arrows(&drawn(files).1)
}

#[test]
fn an_arrow_up_is_seen_in_imports_paths_and_macros() {
    let lib = "mod ops; mod rows; mod store;";
    let ops = "pub struct Cx;";
    for said in [
        "use crate::ops::Cx;",
        "use super::ops::Cx as Context;",
        "fn f(_: crate::ops::Cx) {}",
        "fn f() { println!(\"{:?}\", crate::ops::Cx) }",
        "use crate::{rows::Row, ops::{Cx}};",
        "fn f() { use crate::ops::Cx; }",
    ] {
        let rows = "pub struct Row;";
        let files = [("lib.rs", lib), ("ops.rs", ops), ("rows.rs", rows), ("store.rs", said)];
        let wrong = wrong_in("daemon", &files);
        assert!(wrong.iter().any(|line| line.contains("names ops.rs")), "{said}: {wrong:?}");
    }
    let allowed = [
        ("lib.rs", lib),
        ("ops.rs", "use crate::rows::Row;"),
        ("rows.rs", "pub struct Row;"),
        ("store.rs", ""),
    ];
    assert_eq!(wrong_in("daemon", &allowed), Vec::<String>::new());
}

#[test]
fn a_name_is_followed_to_the_file_that_defines_it() {
    let files = [
        ("lib.rs", "mod ops; mod store;"),
        ("ops/mod.rs", "mod cx; pub use cx::Cx;"),
        ("ops/cx.rs", "pub struct Cx;"),
        ("store.rs", "use crate::ops::Cx;"),
    ];
    assert_eq!(wrong_in("daemon", &files), ["daemon/store.rs:1 names ops/cx.rs"]);
}

#[test]
fn a_pane_that_names_another_pane_is_seen() {
    let files = [
        ("lib.rs", "mod panes;"),
        ("panes/mod.rs", "mod runs; mod agents;"),
        ("panes/runs/mod.rs", "mod draw;"),
        ("panes/runs/draw.rs", "use crate::panes::agents::state::State;"),
        ("panes/agents/mod.rs", "pub mod state;"),
        ("panes/agents/state.rs", "pub struct State;"),
    ];
    assert_eq!(wrong_in("tui", &files), ["tui/panes/runs/draw.rs:1 names panes/agents/state.rs"]);
}

#[test]
fn two_files_that_know_each_other_are_a_circle() {
    let files = [
        ("lib.rs", "mod one; mod two; mod three;"),
        ("one.rs", "use crate::two::B; pub struct A;"),
        ("two.rs", "pub struct B; fn f() -> crate::one::A { loop {} }"),
        ("three.rs", "use crate::one::A; #[cfg(test)] mod tests { use crate::two::B; }"),
    ];
    let (_folder, house) = drawn(&files);
    let found = circles(&house);
    let names: Vec<_> =
        found[0].iter().map(|&file| house.files[file].path.to_str().unwrap()).collect();
    assert_eq!((found.len(), names), (1, vec!["one.rs", "two.rs"]));
}
