use super::*;

#[test]
fn a_fresh_file_changes_nothing() {
    assert_eq!(Settings::with(DEFAULT_TEXT).unwrap(), Settings::default());
    assert_eq!(Settings::default().runs.attempts, 3);
}

#[test]
fn a_setting_changes_itself_alone() {
    let settings = Settings::with("[runs]\nretry_delay = \"50ms\"").unwrap();
    let mut expected = Settings::default();
    expected.runs.retry_delay = "50ms".parse().unwrap();
    assert_eq!(settings, expected);
}

#[test]
fn a_local_server_is_given_up_before_its_run_is() {
    for (text, silence) in [
        ("", "9m"),
        ("[models]\nlocal_silence = \"1m\"", "1m"),
        ("[models]\nlocal_silence = \"10m\"", "9m"),
        ("[runs]\nidle = \"5m\"", "4m30s"),
        ("[runs]\nidle = \"1h\"\n[models]\nlocal_silence = \"20m\"", "20m"),
    ] {
        let settings = Settings::with(text).unwrap();
        assert_eq!(settings.local_silence().to_string(), silence, "{text}");
    }
}

#[test]
fn newer_prices_are_taken_from_beside_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let (config, prices) = (folder.path().join("config.toml"), folder.path().join(prices::FILE));
    let as_of = || Settings::load(&config).map(|all| all.providers.prices_as_of().to_owned());
    assert_eq!(as_of().unwrap(), prices::AS_OF);
    std::fs::write(&prices, r#"{"as_of": "2027-01-02", "providers": {}}"#).unwrap();
    assert_eq!(as_of().unwrap(), "2027-01-02");
    std::fs::write(&prices, r#"{"as_of": 7"#).unwrap();
    let bad = as_of().unwrap_err();
    assert!(bad.to_string().contains("prices.json"), "{bad}");
    assert_eq!(bad.hint(), "agent-worker providers update FILE");
    assert_eq!(check_settings(&config).unwrap_err().0, prices);
    std::fs::write(&config, "[runs").unwrap();
    assert_eq!(as_of().unwrap_err().hint(), "agent-worker config edit");
    assert_eq!(check_settings(&config).unwrap_err().0, config);
}

#[test]
fn a_file_that_may_not_be_read_is_told_with_what_opens_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml").display().to_string();
    std::fs::write(&path, "").unwrap();
    let hint =
        |kind: io::ErrorKind| BadSettings::Read { path: path.clone(), source: kind.into() }.hint();
    assert_eq!(hint(io::ErrorKind::PermissionDenied), format!("chmod 600 {path}"));
    assert_eq!(hint(io::ErrorKind::InvalidData), "agent-worker config edit");
}

#[test]
fn what_is_not_known_is_refused_by_name() {
    for (text, named) in [
        ("[runs]\nretry_dealy = \"5s\"", "retry_dealy"),
        ("[runns]\n", "runns"),
        ("[runs]\nretry_delay = 5", "retry_delay"),
        ("[runs]\nretry_delay = \"soon\"", "soon"),
        ("[runs", "line 1"),
        ("[runs]\nattempts = -1", "`runs.attempts` is -1: must be at least 1"),
        ("[keep]\ndocument_versions = 0", "document_versions"),
        ("[feed]\nkeep_events = -1", "keep_events"),
        ("[feed]\nheartbeat = \"0s\"", "`feed.heartbeat` is 0s: must be at least 10ms"),
        ("[feed]\nheartbeat = \"1m\"", "`feed.heartbeat` is 1m: must be at most 12s"),
        ("[runs]\nidle = \"0s\"", "idle"),
        ("[guard]\npair_wakes = 501", "`guard.pair_wakes` is 501: must be at most 500"),
        (
            "[runs]\nheartbeat = \"1m\"",
            "`runs.heartbeat` is 1m: must be less than `runs.heartbeat_lost`, 20s",
        ),
        ("[providers.house]\nbase_ur = \"x\"", "base_ur"),
        ("[providers.house]\nkey = \"HOUSE_KEY\"", "[providers.house] has no `base_url`"),
        ("[providers.house]\nbase_url = \"x\"", "[providers.house]: `x` is not an address"),
        ("[providers.house]\nkey = \"sk-12\"", "a key is never written here"),
    ] {
        let error = Settings::with(text).unwrap_err().to_string();
        assert!(error.contains(named) && !error.contains("sk-12"), "{text}: {error}");
    }
}
