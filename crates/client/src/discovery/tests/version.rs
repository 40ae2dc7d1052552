use serde_json::json;

use super::*;
use crate::tests::fake::{Fake, Reply, within};

#[test]
fn versions_are_compared_by_number() {
    let version = |text: &str| text.parse::<Version>().unwrap();
    assert!(version("0.10.0") > version("0.9.12"));
    assert!(version("1.0.0") > version("0.99.99"));
    assert_eq!(version("1.2.3-rc.1+x"), version("1.2.3"));
    assert_eq!(version("1.2.3-rc.1").to_string(), "1.2.3");
    for bad in ["", "1", "1.2", "1.2.3.4", "1.2.x", "v1.2.3", "-1.2.3"] {
        assert!(bad.parse::<Version>().is_err(), "{bad}");
    }
}

fn report(live_runs: i64) -> Reply {
    let daemon = json!({
        "pid": 1, "version": "0.1.0", "uptime": 1, "live_runs": live_runs, "max_runs": 4,
        "messages": 0, "database_bytes": 0
    });
    let none: [i64; 0] = [];
    Reply::Json(
        200,
        json!({
            "daemon": daemon, "workflows": none, "agents": none, "runs": none, "attention": none,
            "unread": 0
        }),
    )
}

#[tokio::test]
async fn an_older_daemon_is_asked_whether_it_is_idle() {
    let unknown = json!({ "error": { "code": "unauthorized", "message": "invalid token" } });
    let replies =
        vec![report(0), report(1), Reply::Json(200, json!({})), Reply::Json(401, unknown)];
    let fake = Fake::start(replies).await;
    let client = fake.client();
    for (own, daemon, idle) in [
        ("0.1.0", "0.1.0", None),
        ("0.1.0", "0.2.0", None),
        ("0.2.0", "odd", None),
        ("0.2.0", "0.1.0", Some(true)),
        ("0.2.0", "0.1.0", Some(false)),
        ("0.2.0", "0.1.0", Some(false)),
        ("0.2.0", "0.1.0", Some(true)),
    ] {
        let outdated = within(Outdated::check(&client, own, daemon)).await.unwrap();
        assert_eq!(outdated.map(|outdated| outdated.idle), idle);
    }
    assert_eq!(fake.seen().len(), 4);
}
