//! Whole teams.

use agent_worker_protocol::run::RunState;

use super::stage::{PROVIDERS, QUICK, Stage};
use crate::support::block_on;

const REHEARSAL: &str = include_str!("../../../examples/review/rehearsal.yaml");

#[test]
fn the_review_runs_to_its_end_with_models_of_both_kinds() {
    for provider in PROVIDERS {
        let stage = Stage::new(REHEARSAL, QUICK);
        let folder = stage.home.example("review");
        let file = folder.join("workflow.yaml");
        let model = format!("{provider}/any");
        let said = stage.home.ok(&[
            "run",
            file.to_str().unwrap(),
            "--backend",
            "default",
            "--model",
            &model,
        ]);
        assert!(said.contains("The review is done"), "{provider}: {said}");
        let notes = stage.home.ok(&["peek", "@review", "-n", "50"]);
        assert!(notes.contains("@coder"), "{notes}");
        let runs = stage.runs();
        assert!(runs.iter().all(|run| run.state == RunState::Succeeded), "{runs:?}");
        assert_eq!(stage.used(), stage.model.usage());
        block_on(stage.home.assert_promises_kept());
        stage.home.assert_only_the_daemon_is_left();
    }
}
