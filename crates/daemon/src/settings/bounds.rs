//! The least that settings may be. With less of them nothing would be done at all, or nothing else.

use std::sync::LazyLock;

use agent_worker_protocol::Interval;
use toml::{Table, Value};

/// Numbers that may be 0; all others are at least 1.
const NONE: [&str; 9] = [
    "messages.shown_chars",
    "messages.mentions",
    "messages.value_bytes",
    "inbox.bytes",
    "runs.max_runs",
    "runs.crash_loop_runs",
    "guard.pair_wakes",
    "feed.keep_events",
    "http.port",
];

/// Numbers that have a greatest value. The loop guard looks at 500 messages of a recipient and
/// never counts more wakes.
const MOST: [(&str, i64); 1] = [("guard.pair_wakes", 500)];

/// How often something is done at most, and how long what must be waited for is waited for at
/// least.
const SPANS: [(&str, &str); 10] = [
    ("runs.sweep", "10ms"),
    ("runs.heartbeat", "10ms"),
    ("feed.heartbeat", "10ms"),
    ("runs.first_sign", "1ms"),
    ("runs.idle", "1ms"),
    ("runs.total", "1ms"),
    ("runs.heartbeat_lost", "1ms"),
    ("setup.step", "1ms"),
    ("http.header_timeout", "1ms"),
    ("http.body_timeout", "1ms"),
];

/// How long at most: clients say of a feed that it is silent after 15 s, and take it for lost after
/// 25 s.
const LONGEST: [(&str, &str); 1] = [("feed.heartbeat", "12s")];

/// Pairs of spans, the shorter first: a worker that says later that it lives is ended.
const SHORTER: [(&str, &str, &str); 1] = [("runs", "heartbeat", "heartbeat_lost")];

/// The number of runs at once where the settings leave it open. Linux opens several files to tell
/// the processors, so it is asked once.
pub fn runs_of_machine() -> i64 {
    static RUNS: LazyLock<i64> = LazyLock::new(|| {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        i64::try_from(processors * 2).unwrap_or(i64::MAX).max(4)
    });
    *RUNS
}

/// What is less or more than it may be, if anything is: what is said of it names the setting.
pub fn beyond(settings: &Table) -> Option<String> {
    let single = settings.iter().find_map(|(section, values)| {
        let values = values.as_table()?;
        values.iter().find_map(|(key, value)| judge(&format!("{section}.{key}"), value))
    });
    single.or_else(|| SHORTER.iter().find_map(|pair| compare(settings, *pair)))
}

fn compare(settings: &Table, (section, short, long): (&str, &str, &str)) -> Option<String> {
    let text = |key: &str| settings.get(section)?.get(key)?.as_str();
    let (given, bound) = (text(short)?, text(long)?);
    let is_shorter = given.parse::<Interval>().ok()? < bound.parse::<Interval>().ok()?;
    (!is_shorter).then(|| {
        format!("`{section}.{short}` is {given}: must be less than `{section}.{long}`, {bound}")
    })
}

fn judge(name: &str, value: &Value) -> Option<String> {
    let (given, bound) = match value {
        Value::Integer(number) => {
            let least = i64::from(!NONE.contains(&name));
            let most = MOST.iter().find(|(known, _)| *known == name).map(|(_, most)| most);
            let low = (*number < least).then(|| format!("at least {least}"));
            let high = || most.filter(|most| number > *most).map(|most| format!("at most {most}"));
            (number.to_string(), low.or_else(high)?)
        }
        Value::String(text) => {
            let span = |text: &str| text.parse::<Interval>().ok();
            let given = span(text)?;
            let of = |bounds: &[(&str, &'static str)]| {
                bounds.iter().find(|(span, _)| *span == name).map(|(_, bound)| *bound)
            };
            let is_less = |least: &&str| span(least).is_some_and(|least| given < least);
            let is_more = |most: &&str| span(most).is_some_and(|most| given > most);
            let low = of(&SPANS).filter(is_less).map(|least| format!("at least {least}"));
            let high = || of(&LONGEST).filter(is_more).map(|most| format!("at most {most}"));
            (text.clone(), low.or_else(high)?)
        }
        _ => return None,
    };
    Some(format!("`{name}` is {given}: must be {bound}"))
}
