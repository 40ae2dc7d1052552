//! Whole teams.

use agent_worker_protocol::RunState;

use super::stage::{PROVIDERS, QUICK, Stage};
use crate::support::block_on;

const REHEARSAL: &str = include_str!("../../../examples/review/rehearsal.yaml");
const MENDING: &str = include_str!("../../../examples/fix/rehearsal.yaml");

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

#[test]
fn a_failing_test_is_mended_with_models_of_both_kinds() {
    for provider in PROVIDERS {
        let stage = Stage::new(MENDING, QUICK);
        let file = stage.home.example("fix").join("workflow.yaml");
        let model = format!("{provider}/any");
        let file = file.to_str().unwrap();
        let said = stage.home.ok(&["run", file, "--backend", "default", "--model", &model]);
        assert!(said.contains("The test passes, and the reviewer agrees."), "{provider}: {said}");
        let mended = stage.home.work().join("fix/repository/count.sh");
        assert!(std::fs::read_to_string(mended).unwrap().contains("\nwc -w <"));
        let runs = stage.runs();
        assert_eq!(runs.len(), 3, "{runs:?}");
        assert!(runs.iter().all(|run| run.state == RunState::Succeeded), "{runs:?}");
        assert_eq!(stage.used(), stage.model.usage());
        block_on(stage.home.assert_promises_kept());
        stage.home.assert_only_the_daemon_is_left();
    }
}
