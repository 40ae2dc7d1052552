//! Nothing outside is reached, whatever a path looks like.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::json;

use super::{House, SECRET};

/// Ways out, as a model or a text that it has read may spell them. `{out}` stands for the folder
/// around.
const WAYS_OUT: &[&str] = &[
    "../secret.txt",
    "../outside/secret.txt",
    "../inside-not/secret.txt",
    "./../secret.txt",
    "a/../../secret.txt",
    "a/b/../../../secret.txt",
    ".//..//secret.txt",
    "..",
    "../",
    "../../",
    "{out}/secret.txt",
    "{out}/inside/../secret.txt",
    "{out}/inside/./a/../../secret.txt",
    "{out}/inside-not/secret.txt",
    "/{out}/secret.txt",
    "{out}/inside/../inside/../secret.txt",
    "/",
    "/etc/passwd",
    "//etc/passwd",
    "/proc/self/cwd/../secret.txt",
    "/proc/self/root/etc/passwd",
    "/proc/self/environ",
    "/proc/self/fd/0",
    "/dev/null",
    "/dev/zero",
    "/dev/stdin",
    "/dev/fd/0",
    "absolute/secret.txt",
    "relative/secret.txt",
    "to_file",
    "chain/secret.txt",
    "a/up/secret.txt",
    "a/up/../secret.txt",
    "loop",
    "loop/secret.txt",
    "self/secret.txt",
    "proc/../secret.txt",
    "device",
    "dangling",
    "secret.txt\0.md",
    "..\0/secret.txt",
    "~/secret.txt",
    "%2e%2e/secret.txt",
    "..%2fsecret.txt",
    "..\\secret.txt",
    "．．/secret.txt",
    "..\n/secret.txt",
    "file://{out}/secret.txt",
];

fn trapped() -> House {
    let house = House::new();
    fs::create_dir_all(house.path("a/b")).unwrap();
    house.link(house.beside("outside"), "absolute");
    house.link("../outside", "relative");
    house.link("../secret.txt", "to_file");
    house.link("chain2", "chain");
    house.link("a/../../outside", "chain2");
    house.link("../..", "a/up");
    house.link("loop", "loop");
    house.link("self/self", "self");
    house.link("/proc/self/cwd", "proc");
    house.link("/dev/null", "device");
    house.link("../outside/new.txt", "dangling");
    house
}

#[test]
fn d_3_no_spelling_of_a_path_leads_out() {
    let house = trapped();
    let out = house.folder.path().to_str().unwrap();
    for way in WAYS_OUT {
        let path = way.replace("{out}", out);
        for (tool, arguments) in [
            ("read", json!({ "path": path })),
            ("write", json!({ "path": path, "content": "overwritten" })),
            ("edit", json!({ "path": path, "old": SECRET, "new": "changed" })),
            ("glob", json!({ "pattern": "**", "path": path })),
            ("grep", json!({ "pattern": "nobody", "path": path })),
            ("glob", json!({ "pattern": path })),
            ("grep", json!({ "pattern": "nobody", "glob": path })),
        ] {
            let outcome = house.call(tool, arguments);
            assert!(!outcome.text.contains(SECRET), "{tool} {path:?}: {}", outcome.text);
            let is_a_name = ["~", "%", "．", "..\\", "..%", "..\n", "file:"];
            let is_a_name = is_a_name.iter().any(|begin| path.starts_with(begin));
            let looks_all_over = matches!(tool, "glob" | "grep");
            assert!(
                outcome.is_error || is_a_name || looks_all_over,
                "{tool} {path:?}: {outcome:?}"
            );
        }
        // A spelling that does not lead out of the folder is a plain name inside it.
        for name in ["~", "%2e%2e", "．．", "..\n", "file:"] {
            let _ = fs::remove_dir_all(house.path(name));
        }
    }
    for name in ["secret.txt", "outside/secret.txt", "inside-not/secret.txt"] {
        assert_eq!(fs::read_to_string(house.beside(name)).unwrap(), SECRET);
    }
    for (folder, count) in [("outside", 1), ("inside-not", 1), ("", 4)] {
        assert_eq!(fs::read_dir(house.beside(folder)).unwrap().count(), count, "{folder}");
    }
}

#[test]
fn a_refusal_says_no_more_of_what_is_outside_than_that_it_is_outside() {
    let house = trapped();
    for (there, not_there) in [
        ("../secret.txt", "../public.txt"),
        ("/etc/passwd", "/etc/nothing"),
        ("absolute/secret.txt", "absolute/public.txt"),
        ("a/up/outside", "a/up/nowhere"),
    ] {
        let told = |path: &str| house.refused("read", json!({ "path": path })).replace(path, "");
        assert_eq!(told(there), told(not_there));
        assert!(told(there).contains("outside of the folder that you work in"));
        assert!(!told(there).contains(house.folder.path().to_str().unwrap()), "{}", told(there));
    }
}

#[test]
fn what_stays_inside_is_reached_however_it_is_spelled() {
    let house = House::new();
    house.put("a/b/file.txt", "here\n");
    house.link("a", "short");
    house.link("../b/file.txt", "a/b/again");
    house.link(house.path("a/b"), "whole");
    let inside = house.path("a/b/file.txt");
    for path in [
        "a/b/file.txt",
        "./a//b/./file.txt",
        "a/../a/b/file.txt",
        "short/b/file.txt",
        "short/../a/b/file.txt",
        "a/b/again",
        "whole/file.txt",
        inside.to_str().unwrap(),
    ] {
        assert_eq!(house.read(path), "     1\there\n", "{path}");
    }
}

#[test]
fn a_folder_known_by_a_link_is_the_same_folder() {
    let house = House::new();
    house.put("a.txt", "here\n");
    let by_link = house.beside("link");
    std::os::unix::fs::symlink(house.path("."), &by_link).unwrap();
    let workspace = super::Workspace::new(&by_link, &[super::Tool::Read], super::Limits::default());
    let workspace = workspace.unwrap();
    let real = house.path(".").canonicalize().unwrap();
    for path in [by_link.join("a.txt"), real.join("a.txt")] {
        let serde_json::Value::Object(arguments) = json!({ "path": path }) else { panic!() };
        let outcome = house.runtime.block_on(workspace.call("read", arguments, &mut |_| {}));
        assert_eq!(outcome.text, "     1\there\n");
    }
}

#[test]
fn a_link_that_is_put_in_the_way_meanwhile_leads_nobody_out() {
    let house = House::new();
    house.put("real/secret.txt", "harmless");
    let (real, swapped) = (house.path("real"), house.path("swapped"));
    let (good, bad) = (house.path("good"), house.path("bad"));
    std::os::unix::fs::symlink("real", &good).unwrap();
    std::os::unix::fs::symlink(house.beside("outside"), &bad).unwrap();
    let is_over = Arc::new(AtomicBool::new(false));
    let swapping = std::thread::spawn({
        let is_over = Arc::clone(&is_over);
        let spare = house.path("spare");
        move || {
            while !is_over.load(Ordering::Relaxed) {
                for next in [&good, &bad] {
                    fs::remove_file(&spare).ok();
                    std::os::unix::fs::symlink(fs::read_link(next).unwrap(), &spare).unwrap();
                    // A `write` may have made a folder there while there was nothing.
                    if fs::rename(&spare, &swapped).is_err() {
                        fs::remove_dir_all(&swapped).ok();
                    }
                }
                // A folder takes the link's place, and the link the folder's.
                fs::remove_file(&swapped).ok();
                if fs::rename(&real, &swapped).is_ok() {
                    // A `write` through the link may have made that folder anew.
                    while fs::rename(&swapped, &real).is_err() {
                        fs::remove_dir_all(&real).ok();
                    }
                }
            }
        }
    });
    let mut harmless = 0;
    for _ in 0..300 {
        let outcome = house.call("read", json!({ "path": "swapped/secret.txt" }));
        assert!(!outcome.text.contains(SECRET), "{}", outcome.text);
        harmless += usize::from(!outcome.is_error);
        house.call("write", json!({ "path": "swapped/new/x.txt", "content": "x" }));
        let outcome = house.call("grep", json!({ "pattern": "nobody", "path": "swapped" }));
        assert!(!outcome.text.contains(SECRET), "{}", outcome.text);
    }
    is_over.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
    assert!(harmless > 0);
    assert_eq!(fs::read_to_string(house.beside("outside/secret.txt")).unwrap(), SECRET);
    assert_eq!(fs::read_dir(house.beside("outside")).unwrap().count(), 1);
}

#[test]
fn what_is_no_file_is_told_and_nobody_waits_for_it() {
    let house = House::new();
    fs::create_dir(house.path("folder")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(house.path("pipe")).status().unwrap();
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(house.path("socket")).unwrap();
    for (name, told) in [("pipe", "a pipe"), ("socket", "a socket"), ("folder", "a folder")] {
        for (tool, arguments) in [
            ("read", json!({ "path": name })),
            ("write", json!({ "path": name, "content": "" })),
            ("edit", json!({ "path": name, "old": "a", "new": "b" })),
        ] {
            let text = house.refused(tool, arguments);
            assert!(text.contains(&format!("`{name}` is {told}")), "{tool}: {text}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_device_inside_is_not_opened() {
    let house = House::new();
    let made = rustix::fs::mknodat(
        rustix::fs::CWD,
        house.path("zero"),
        rustix::fs::FileType::CharacterDevice,
        rustix::fs::Mode::from_raw_mode(0o666),
        rustix::fs::makedev(1, 5),
    );
    if made.is_err() {
        // Only root makes devices; `/dev` itself is among the ways out.
        return;
    }
    for tool in ["read", "edit", "write"] {
        let mut arguments = json!({ "path": "zero" });
        match tool {
            "edit" => {
                arguments["old"] = json!("a");
                arguments["new"] = json!("b");
            }
            "write" => arguments["content"] = json!("a"),
            _ => {}
        }
        let text = house.refused(tool, arguments);
        assert!(text.contains("`zero` is a device"), "{text}");
    }
}

#[test]
fn a_file_that_may_not_be_read_is_told() {
    let house = House::new();
    house.put("mine.txt", "mine\n");
    fs::set_permissions(house.path("mine.txt"), fs::Permissions::from_mode(0o0)).unwrap();
    if fs::read(house.path("mine.txt")).is_ok() {
        // Nothing is kept from root.
        return;
    }
    let text = house.refused("read", json!({ "path": "mine.txt" }));
    assert_eq!(text, "`mine.txt`: permission denied");
}
