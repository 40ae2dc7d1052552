//! `config`, and what is said of a `config.toml` that is broken or was changed.

use std::fs;

use crate::{
    grammar::pasted,
    support::{Home, Team},
};

#[test]
fn a_setting_is_read_changed_and_checked() {
    let home = Home::new();
    let path = home.path().join("config.toml");
    assert_eq!(home.ok(&["config", "path"]).trim(), path.to_str().unwrap());
    assert_eq!(home.ok(&["config", "get", "runs.retry_delay"]).trim(), "10s");
    home.ok(&["config", "set", "runs.retry_delay", "30s"]);
    home.ok(&["config", "set", "tui.theme", "dark"]);
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("\nretry_delay = \"30s\"            # before the second attempt\n"),
        "{text}"
    );
    assert_eq!(home.json(&["config", "get", "runs.retry_delay"]), "30s");
    assert_eq!(home.json(&["config", "get"])["tui.theme"], "dark");

    for (key, value) in [("runs.retry_delay", "soon"), ("runs.delay", "1s"), ("runs.attempts", "x")]
    {
        let refused = home.run(&["config", "set", key, value]);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{key}");
        pasted(&home, &refused);
    }
    let unknown = home.run(&["config", "set", "runs.retry_dela", "1s"]);
    assert_eq!(pasted(&home, &unknown).trim(), "30s");
    let left = fs::read_dir(home.path()).unwrap();
    let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["config.lock", "config.toml"], "no draft is left");
    let unknown = home.run(&["config", "get", "runs.retry_dela"]);
    assert_eq!(pasted(&home, &unknown).trim(), "30s");
}

#[test]
fn a_time_without_a_unit_is_refused_with_the_form_it_needs() {
    let home = Home::new();
    let unit = "write a time with a unit, such as `3s`";
    for (key, hint) in [("runs.idle", unit), ("tui.theme", "agent-worker config get")] {
        let refused = home.run(&["config", "set", key, "3"]);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.stderr.contains(&format!("hint: {hint}\n")), "{refused:?}");
    }
    let other = Home::with_config("[guard]\nhops = \"x\"\n");
    let refused = other.run(&["config", "set", "runs.idle", "3"]);
    assert!(refused.stderr.contains("`guard.hops`"), "{refused:?}");
    assert!(!refused.stderr.contains(unit), "another line is at fault: {refused:?}");
    other.is_damaged_on_purpose();
}

#[test]
fn settings_that_are_set_at_once_are_all_kept() {
    let home = Home::new();
    let names: Vec<_> = (0..12).map(|n| format!("providers.house{n}.base_url")).collect();
    let set = |name: &String| home.start(&["config", "set", name, "http://127.0.0.1:1/v1"]);
    let setting: Vec<_> = names.iter().map(set).collect();
    for running in setting {
        let ended = running.finish();
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
    let all = home.json(&["config", "get"]);
    for name in &names {
        assert_eq!(all[name], "http://127.0.0.1:1/v1", "{name}");
    }
}

#[test]
fn a_setting_that_is_set_while_the_file_is_edited_stays_and_so_does_the_text() {
    let mut home = Home::new();
    let program = home.command(&[]).get_program().to_string_lossy().into_owned();
    home.set("EDITOR", &format!("{program} config set tui.theme dark; echo '# mine' >"));
    let refused = home.run(&["config", "edit"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("config.toml changed while you edited it\n"), "{refused:?}");
    let kept = refused.stderr.lines().find_map(|line| line.strip_prefix("your text is kept in "));
    assert_eq!(fs::read_to_string(kept.expect("it says where")).unwrap(), "# mine\n");
    assert_eq!(home.ok(&["config", "get", "tui.theme"]).trim(), "dark");
}

#[test]
fn a_broken_file_is_named_with_its_line_and_what_mends_it() {
    let mut home = Home::new();
    let daemon = home.daemon();
    let path = home.path().join("config.toml");
    let good = fs::read_to_string(&path).unwrap();
    fs::write(&path, "[runs]\nattempts = 3\nretry_delay = soon\n").unwrap();
    home.set("EDITOR", "true");
    let status = home.run(&["status"]);
    assert_eq!(status.code, Some(0), "{status:?}");
    assert!(status.stderr.contains("line 3, column 15"), "{status:?}");
    assert!(status.stderr.contains("hint: agent-worker config edit"), "{status:?}");
    let doctor = home.run(&["doctor"]);
    assert_eq!(doctor.code, Some(1), "{doctor:?}");
    assert!(doctor.stdout.contains("line 3, column 15"), "{doctor:?}");
    fs::write(&path, good).unwrap();
    daemon.stop();
}

#[test]
fn a_value_of_a_broken_file_is_printed_with_a_warning() {
    for text in ["[runs]\nidle = \"nonsense\"\n", "runs = 3\n"] {
        let home = Home::with_config(text);
        home.is_damaged_on_purpose();
        for args in [&["config", "get", "runs.attempts"][..], &["config", "get"]] {
            let printed = home.run(args);
            assert_eq!(printed.code, Some(0), "{printed:?}");
            assert!(printed.stderr.starts_with("warning: config.toml is broken"), "{printed:?}");
            assert!(printed.stderr.contains("hint: agent-worker config edit"), "{printed:?}");
        }
    }
    let home = Home::with_config("[runs]\nretry_delya = \"1s\"\n");
    home.is_damaged_on_purpose();
    let unknown = home.run(&["config", "get", "runs.retry_delya"]);
    assert_eq!(unknown.code, Some(1), "{unknown:?}");
    assert!(unknown.stderr.contains("unknown setting `runs.retry_delya`"), "{unknown:?}");
    assert!(unknown.stderr.contains("config get runs.retry_delay\n"), "{unknown:?}");
    let known = Home::new().run(&["config", "get", "runs.retry_delay"]);
    assert_eq!((known.code, known.stderr.as_str()), (Some(0), ""));
}

#[test]
fn broken_prices_are_named_with_what_mends_them() {
    let home = Home::new();
    let daemon = home.daemon();
    let prices = home.path().join("prices.json");
    fs::write(&prices, "{").unwrap();
    let hint = "hint: agent-worker providers update FILE";
    for args in [&["status"][..], &["daemon", "restart"], &["config", "set", "tui.theme", "dark"]] {
        let told = home.run(args).stderr;
        assert!(told.contains("prices.json is broken: ") && told.contains(hint), "{told}");
        assert!(!told.contains("config.toml is broken"), "{told}");
    }
    fs::remove_file(&prices).unwrap();
    daemon.stop();
}

#[test]
fn only_a_change_that_the_daemon_has_not_read_asks_for_a_restart() {
    let home = Home::new();
    let daemon = home.daemon();
    let restart = "hint: agent-worker daemon restart\n";
    for (key, value, is_for_daemon) in
        [("tui.theme", "dark", false), ("runs.attempts", "7", true), ("tui.theme", "light", true)]
    {
        let changed = home.run(&["config", "set", key, value]);
        assert_eq!(changed.stderr.contains(restart), is_for_daemon, "{key} {changed:?}");
        let status = home.run(&["status"]);
        assert_eq!(status.stderr.contains(restart), is_for_daemon, "{key} {status:?}");
    }
    daemon.stop();
    let daemon = home.daemon();
    assert!(!home.run(&["status"]).stderr.contains(restart));
    daemon.stop();
}

#[test]
fn a_new_provider_is_known_after_a_restart_and_check_says_so() {
    let home = Home::new();
    let _daemon = home.daemon();
    let team = Team::new("news", "@ivy go").with("  ivy: { model: house/large }");
    let file = team.write(&home);
    home.ok(&["config", "set", "providers.house.base_url", "http://127.0.0.1:1/v1"]);
    for command in ["check", "run"] {
        let refused = home.run(&[command, &file]);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.stderr.contains("hint: agent-worker daemon restart\n"), "{refused:?}");
    }
    home.ok(&["daemon", "restart"]);
    home.ok(&["check", &file]);
}

#[test]
fn one_of_several_that_stand_in_one_value_is_seen_in_it() {
    let home = Home::new();
    assert_eq!(home.ok(&["config", "get", "tui.confirm"]).trim(), "{ tier1 = \"ask\" }");
    home.ok(&["config", "set", "tui.confirm.tier1", "skip"]);
    assert_eq!(home.ok(&["config", "get", "tui.confirm"]).trim(), "{ tier1 = \"skip\" }");
    assert_eq!(home.ok(&["config", "get", "tui.confirm.tier1"]).trim(), "skip");
}
