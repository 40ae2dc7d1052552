//! A model that cannot be reached is seen wherever one looks (§6).

use agent_worker_protocol::{Event, EventBody, Run, RunState};

use crate::{
    default_backend::stage::Stage,
    support::{Watch, block_on},
};

const PATIENT: &str = "[models]\nretry_delay = \"20s\"\nretry_for = \"10m\"\n";
const AWAY: &str = "model unavailable for ";

#[test]
fn a_model_that_cannot_be_reached_is_told_with_its_next_try() {
    let scenario = "conversations:\n- turns:\n  - { refuse: 503, message: try later }\n";
    let stage = Stage::new(scenario, PATIENT);
    let team = stage.team("as-openai", &[("ann", "")], "@ann go");
    let running = stage.home.start(&["run", &team]);
    let run = block_on(async {
        let mut watch = Watch::all(&stage.client()).await;
        let is_away = |event: &Event| match &event.body {
            EventBody::RunChanged(run) => run.away.is_some().then(|| (**run).clone()),
            _ => None,
        };
        watch.wait("the model is away", is_away).await
    });
    let away = run.away.unwrap();
    assert_eq!(away.attempt, 2);
    assert!(away.of.unwrap() > 3, "{away:?}");
    let id = run.id.to_string();
    for args in [
        &["status"][..],
        &["list"],
        &["info", "ann@team"],
        &["runs", "@team"],
        &["why", "ann@team"],
        &["why", "@team"],
        &["why", &id],
    ] {
        let told = stage.home.ok(args);
        assert!(told.contains(AWAY), "{args:?}: {told}");
        assert!(told.contains("try 2 of "), "{args:?}: {told}");
    }
    assert!(stage.home.ok(&["why", &id]).contains("try later"));
    let agents = stage.home.json(&["list"]);
    assert!(agents.to_string().contains("\"next_at\""), "{agents}");
    stage.home.ok(&["stop", "@team", "--now"]);
    let ended = running.finish();
    assert!(ended.stderr.contains(AWAY), "{ended:?}");
    let detail = stage.home.json(&["runs", "@team"]);
    assert!(detail["runs"][0]["away"].is_null(), "{detail}");
}

#[test]
fn a_model_that_is_back_is_no_longer_away() {
    let scenario = "conversations:\n- turns:\n  - { refuse: 503, times: 2 }\n  \
                    - { call: team_members }\n  - { say: Here I am., hold: seen }\n";
    let stage = Stage::new(scenario, "[models]\nretry_delay = \"20ms\"\n");
    let team = stage.team("as-openai", &[("ann", "")], "@ann go");
    let running = stage.home.start(&["run", &team]);
    block_on(async {
        let mut watch = Watch::all(&stage.client()).await;
        let mut was_away = false;
        let back = watch
            .wait("it works after it was away", |event| match &event.body {
                EventBody::RunChanged(run) => {
                    was_away |= run.away.is_some();
                    (was_away && run.away.is_none()).then(|| (**run).clone())
                }
                _ => None,
            })
            .await;
        assert_eq!(back.state, RunState::Running);
        stage.model.release("seen").await;
        let is_over = |run: &Run| run.state == RunState::Succeeded && run.away.is_none();
        assert_eq!(watch.run_ended(is_over).await.id, back.id);
    });
    assert_eq!(running.finish().code, Some(0));
}
