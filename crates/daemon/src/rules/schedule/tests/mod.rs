mod cron;
mod due;
mod heartbeat;
mod judge;
