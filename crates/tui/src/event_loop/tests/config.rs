use super::*;
use crate::{
    action::Action, event_loop::config_text, key::Key, keys::Context, model::settings::Colours,
};

fn problems(text: &str) -> Vec<String> {
    wishes("config.toml", text).1.iter().map(ToString::to_string).collect()
}

#[test]
fn c_10_a_wrong_line_is_named_and_a_right_one_is_taken() {
    let text = "[runs]\nmax_runs = 4\n\n[tui]\ntheme = \"dark\"\ncolour = true\n\n\
                [tui.keys.global]\njump = [\"ctrl+f\"]\nquit = [\"f8\", \"x\"]\nfly = [\"v\"]\n";
    let (wishes, problems) = wishes("config.toml", text);
    let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert!(problems[0].starts_with("config.toml:6: unknown field `colour`"), "{problems:?}");
    assert_eq!(
        problems[1..],
        [
            "config.toml:10: [tui.keys.global]: `x` is the key of `stop` already",
            "config.toml:11: [tui.keys.global]: unknown action `fly`",
        ]
    );
    assert_eq!(wishes.settings.theme, Colours::Dark);
    let action = wishes.keymap.action(&[Context::Anywhere], Key::ctrl('f'));
    assert_eq!(action, Some(Action::Jump));
    assert_eq!(wishes.keymap.action(&[Context::Anywhere], Key::char('q')), Some(Action::Quit));
}

#[test]
fn what_makes_no_sense_is_named_with_its_line() {
    assert_eq!(problems(""), Vec::<String>::new());
    assert_eq!(problems("[tui]\ntheme = \"auto\"\n"), Vec::<String>::new());
    assert!(problems("a = 1\ntui = 3\n")[0].starts_with("config.toml:2: `tui` is a table"));
    assert!(problems("[tui]\n\ntheme = \"pink\"\n")[0].starts_with("config.toml:3: "));
    assert!(problems("[tui]\ntimezone = \"Mars\"\n")[0].contains("unknown time zone"));
    let twice = problems("[tui]\nhosts = [\"here\", \"box\", \"box\"]\n");
    assert_eq!(twice, ["config.toml:2: host `box` is given twice"]);
    assert_eq!(problems("[tui]\nhosts = [\"here\", \"box\"]\n"), Vec::<String>::new());
    for value in ["0", "1.5", "2030-01-31", "0xff"] {
        let told = &problems(&format!("[tui]\ntheme = {value}\n"))[0];
        assert!(told.starts_with("config.toml:2: `tui.theme`: "), "{told}");
        assert!(!told.contains("De") && !told.contains("Integer("), "{told}");
    }
    for (text, wanted) in [
        ("theme = true", "`tui.theme`: expected one of `auto`, `ansi16`, "),
        ("notify = 3", "`tui.notify`: expected `off` or `bell`"),
        ("confirm = \"yes\"", "expected a table: `{ tier1 = \"ask\" }`"),
        ("confirm = { tier1 = true }", "expected a table: `{ tier1 = \"ask\" }`"),
        ("hosts = \"here\"", "expected a list, such as `[\"here\"]`"),
        ("timezone = 3", "expected a text in quotes"),
    ] {
        let told = &problems(&format!("[tui]\n{text}\n"))[0];
        assert!(told.contains(wanted), "{told}");
    }
    assert!(problems("[tui\n")[0].starts_with("config.toml:1: "));
    assert!(problems("[tui.keys]\nglobal = 1\n")[0].contains("must be a table of actions"));
    assert!(problems("[tui.keys.global]\nquit = 1\n")[0].contains("takes a list of keys"));
}

#[test]
fn the_settings_that_the_default_file_shows_are_the_defaults() {
    let text = include_str!("../../../../daemon/src/settings/config.default.toml");
    let own = &text[text.find("[tui]").unwrap()..];
    let setting = |line: &str| match line.strip_prefix("# ") {
        Some(rest) if rest.contains(" = ") => rest.to_owned(),
        _ => line.to_owned(),
    };
    let lines: Vec<String> = own.lines().map(setting).collect();
    let (wishes, problems) = wishes("config.toml", &lines.join("\n"));
    assert_eq!(problems, []);
    let zone = Some("local".to_owned());
    assert_eq!(wishes.settings, Settings { timezone: zone, ..Settings::default() });
}

#[test]
fn a_setting_is_changed_and_every_comment_stays() {
    let text = "# mine\n[limits]\nruns = 3 # few\n\n[tui] # screen\ntheme = \"dark\" # at night\n";
    let changed = config_text::with(text, "theme", "light").unwrap();
    assert_eq!(changed, text.replace("dark", "light"));
    let more = config_text::with(&changed, "order", "need").unwrap();
    assert_eq!(more, format!("{changed}order = \"need\"\n"));
    assert_eq!(config_text::with("", "mouse", "off").unwrap(), "[tui]\nmouse = \"off\"\n");
    assert!(config_text::with("[tui", "mouse", "off").is_err(), "a broken file is left alone");
    assert!(config_text::with("tui = 1", "mouse", "off").is_err());
}

#[test]
fn new_keys_come_after_everything_that_is_commented_out() {
    let text = "[tui]\n# theme = \"auto\"\n\n[store]\n# group = 256\n";
    let keys = ["f5".to_owned()];
    let changed = config_text::with_keys(text, "global", "quit", Some(&keys)).unwrap();
    assert_eq!(changed, format!("{text}\n[tui.keys.global]\nquit = [\"f5\"]\n"));
    let more = config_text::with_keys(&changed, "global", "jump", Some(&keys)).unwrap();
    assert_eq!(more, format!("{changed}jump = [\"f5\"]\n"));
    let default = include_str!("../../../../daemon/src/settings/config.default.toml");
    let changed = config_text::with_keys(default, "global", "quit", Some(&keys)).unwrap();
    assert!(changed.starts_with(default), "{changed}");
    assert_eq!(config_text::with_keys(default, "global", "quit", None).unwrap(), default);
}

#[test]
fn every_value_that_the_screen_offers_is_one_that_the_file_takes() {
    for (name, values) in crate::model::settings::CHANGED {
        for value in values {
            let text = config_text::with("", name, value).unwrap();
            let (wishes, problems) = super::wishes("config.toml", &text);
            assert!(problems.is_empty(), "{text}: {problems:?}");
            assert_eq!(wishes.settings.value(name), *value);
            let mut settings = Settings::default();
            settings.set(name, value);
            assert_eq!(settings, wishes.settings);
        }
    }
}

#[test]
fn keys_are_written_beside_what_is_there() {
    let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
    let text = "# mine\n[tui]\ntheme = \"dark\" # at night\n";
    let changed = config_text::with_keys(text, "global", "jump", Some(&keys(&["ctrl+f"]))).unwrap();
    assert_eq!(changed, format!("{text}\n[tui.keys.global]\njump = [\"ctrl+f\"]\n"));
    let again =
        config_text::with_keys(&changed, "global", "jump", Some(&keys(&["F", "f2"]))).unwrap();
    assert!(again.contains("jump = [\"F\", \"f2\"]\n"), "{again}");
    let other = config_text::with_keys(&again, "nav", "nav-into", Some(&keys(&["L"]))).unwrap();
    assert_eq!(problems(&other), Vec::<String>::new(), "{other}");
    let without = config_text::with_keys(&other, "global", "jump", None).unwrap();
    assert!(!without.contains("jump") && without.contains("nav-into"), "{without}");
    let inline = "tui = { keys = { global = { jump = \"F\" } } }\n";
    let inline = config_text::with_keys(inline, "global", "jump", Some(&keys(&["F3"])));
    assert!(inline.unwrap().contains("jump = [\"F3\"]"));
    assert!(config_text::with_keys("tui = 3", "global", "jump", None).is_err());
    assert!(
        config_text::with_keys("", "global", "jump", Some(&keys(&["f4"])))
            .unwrap()
            .starts_with("[tui.keys.global]")
    );
}

#[test]
fn keys_are_taken_whatever_their_order() {
    let text = "[tui.keys.global]\njump = [\"q\"]\nquit = [\"f\"]\n";
    assert_eq!(problems(text), Vec::<String>::new());
    let (wishes, _) = super::wishes("config.toml", text);
    let action = |key| wishes.keymap.action(&[Context::Anywhere], Key::char(key));
    assert_eq!((action('q'), action('f')), (Some(Action::Jump), Some(Action::Quit)));
    let clash = "[tui.keys.global]\njump = [\"q\"]\n";
    assert!(problems(clash)[0].contains("`q` is the key of `quit` already"));
    let (wishes, _) = super::wishes("config.toml", clash);
    assert_eq!(wishes.keymap.action(&[Context::Anywhere], Key::char('f')), Some(Action::Jump));
}
