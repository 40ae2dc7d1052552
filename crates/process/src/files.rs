//! Which open files child processes inherit.

/// Has processes that are started from here on inherit standard input, output and error alone. A
/// pipe, a lock or a socket that this process was started with would otherwise stay open in them:
/// its owner waits for its end as long as they live, and they can write to it.
pub fn inherit_no_files() {
    const FIRST: i32 = 3;
    close_fds::set_fds_cloexec_threadsafe(FIRST, &[]);
}
