//! Schedules: when agents run by themselves, and what became of each time at which one was due.

mod clock;
mod due;
mod ops;
pub mod task;

pub use self::{
    clock::{CronLine, FIELDS, Hours, Moment, ZoneName},
    due::{Due, Missed, Overlap, RunContext, interval, long_enough},
    ops::{
        Fire, FireOutcome, Fired, Schedule, ScheduleClear, ScheduleDetail, ScheduleDetails,
        ScheduleList, SchedulePause, ScheduleResume, ScheduleRun, ScheduleSet, ScheduleShow,
        ScheduleState, Schedules, SchedulesCleared,
    },
};
