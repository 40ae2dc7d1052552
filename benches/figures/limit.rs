//! Limits of the figures. A machine may be four times as slow as the machine of the aims. A slower
//! figure fails the bench.

use std::{
    process::ExitCode,
    sync::{Mutex, PoisonError},
};

/// How many times its aim a figure may be.
const ROOM: f64 = 4.0;

static BEYOND: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// How a figure compares with its aim: as a share of it. Beyond its room it is noted.
pub fn share(what: &str, figure: f64, aim: f64) -> String {
    let share = if aim > 0.0 { figure / aim } else { figure };
    if figure > aim * ROOM {
        let note = format!("{what}: {figure:.2}, where {aim} is the aim");
        BEYOND.lock().unwrap_or_else(PoisonError::into_inner).push(note);
        return format!("{share:.2} × (too much)");
    }
    format!("{share:.2} ×")
}

/// What all of it comes to.
#[expect(clippy::print_stdout, reason = "the figures are what a bench prints")]
pub fn end() -> ExitCode {
    let beyond = BEYOND.lock().unwrap_or_else(PoisonError::into_inner);
    if beyond.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("\n## Beyond {ROOM} times the aim\n");
    for note in beyond.iter() {
        println!("- {note}");
    }
    ExitCode::FAILURE
}
