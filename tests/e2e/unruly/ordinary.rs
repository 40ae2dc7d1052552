//! What there should be when all is well.

use agent_worker_process::Process;

use crate::support::Home;

/// The processes of a home beside its daemon, each with its command; none if all is well.
pub fn only_daemon(home: &Home) -> Vec<String> {
    let daemon = home.daemon_file().map(|file| file.pid);
    let members = home.members();
    let others = members.described().filter_map(|(pid, line)| {
        let pid = pid.as_raw_nonzero().get();
        let is_daemon = u32::try_from(pid).ok() == daemon;
        // A process that is a zombie by now had ended when the run was over.
        let is_there = !is_daemon && Process::of(pid).is_some_and(Process::is_alive);
        is_there.then(|| format!("{pid} {line}"))
    });
    others.collect()
}
