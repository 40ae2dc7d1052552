//! What a worker's command may leave behind, each in another way hard to end.

/// Ways to leave a process behind; `$W` is the worker. Each process writes down its number. They
/// live so long, or so often again, that only a failed test ends after them.
const WAYS: [&str; 13] = [
    // Does not listen to signals, and neither do those it starts.
    "(trap '' TERM INT HUP QUIT; sh -c 'echo $$ >>pids; while :; do sleep 301; done' &)",
    // Has a session of its own.
    "setsid sh -c 'echo $$ >>pids; exec sleep 302' &",
    // A daemon: two parents gone, a session of its own, no descriptors, another folder.
    "(setsid sh -c '(sh -c \"echo \\$\\$ >>pids; cd /; exec 0<&- 1>&- 2>&-; exec sleep 303\") &' &)",
    // Tells nothing of itself: no environment, another folder.
    "(env -i setsid sh -c 'echo $$ >>pids; cd /; exec sleep 304' &)",
    // Is stopped.
    "sh -c 'echo $$ >>pids; kill -STOP $$; sleep 305' &",
    // Leads a process group of its own.
    "sh -c 'set -m; sh -c \"echo \\$\\$ >>pids; sleep 306\" &' &",
    // Holds the worker's output and its complaints open.
    "setsid sh -c 'exec 3>/proc/$W/fd/1 4>/proc/$W/fd/2; echo $$ >>pids; exec sleep 307' &",
    // Holds the worker's input open, so that its end would not come with the daemon's.
    "setsid sh -c 'exec 3<>/proc/$W/fd/0; echo $$ >>pids; exec sleep 308' &",
    // Starts a new one whenever the old one is killed, and does not listen itself.
    "(trap '' TERM; sh -c 'echo $$ >>pids; n=0; while [ $n -lt 3000 ]; do n=$((n+1)); sleep 309; done' &)",
    // Goes away and leaves another in its place, again and again.
    "sh -c \"$CHAIN\" chain 3000 &",
    "command -v perl >/dev/null && perl -e 'for (1..5000) { exit if fork }' &",
    // Grows while it is ended.
    "sh -c \"$STORM\" storm 5 &",
    // Is watched by another, through which its signals go.
    "command -v strace >/dev/null && setsid strace -f -o /dev/null sh -c 'echo $$ >>pids; sleep 310' &",
];

/// What the ways above share. What goes on by itself is bounded, so that it comes to an end also
/// where the product fails.
const WORDS: &str = r#"
export W=$PPID
export CHAIN='[ "$1" -gt 0 ] && sh -c "$CHAIN" chain $(($1 - 1)) &'
export STORM='echo $$ >>pids; [ $(($$ % 2)) = 0 ] && trap "" TERM
    if [ "$1" -gt 0 ]; then
        sh -c "$STORM" storm $(($1 - 1)) & setsid sh -c "$STORM" storm $(($1 - 1)) &
    fi; sleep 311'
"#;

/// How many processes write down their numbers, at least.
const NOTED: usize = 9 + 63;

/// A command that leaves all of it behind, and ends when it is there.
pub fn command() -> String {
    let ways = WAYS.join("\n");
    format!("{WORDS}{ways}\nuntil [ $(wc -l <pids) -ge {NOTED} ]; do sleep 0.02; done")
}
