pub mod samples;
