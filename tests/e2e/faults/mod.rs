//! Faults that hit the daemon and its store: nothing that was acknowledged is lost, nothing is
//! done twice, nothing is left behind, and the work goes on (semantics §§2, 5, 6, 13).

mod copies;
mod crashes;
mod database;
mod descriptors;
mod disk;
mod inject;
mod io_errors;
mod points;
mod room;
mod scene;
mod start;
mod suspend;
