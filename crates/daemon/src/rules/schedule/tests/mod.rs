mod cron;
mod due;
mod judge;
