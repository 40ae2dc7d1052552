use super::*;

fn kept(keep: Keep, pushed: &[&str]) -> (String, bool) {
    let mut output = Output::new(keep);
    for bytes in pushed {
        output.push(bytes.as_bytes());
    }
    output.into_text()
}

#[test]
fn the_part_that_was_asked_for_is_kept() {
    for (keep, pushed, expected, is_cut) in [
        (Keep::Head(4), &["ab", "cd"][..], "abcd", false),
        (Keep::Head(4), &["ab", "cde", "f"], "abcd", true),
        (Keep::Tail(4), &["ab", "cd"], "abcd", false),
        (Keep::Tail(4), &["ab", "cde"], "bcde", true),
        (Keep::Tail(2), &["abcdefgh", "i", "jklmnop"], "op", true),
    ] {
        assert_eq!(kept(keep, pushed), (expected.to_owned(), is_cut), "{keep:?} {pushed:?}");
    }
}

#[tokio::test]
async fn what_a_command_leaves_running_is_not_waited_for() {
    let mut command = sh("echo out; echo err >&2; sleep 30 & echo $! ; exit 3");
    let keep = [Keep::Head(100), Keep::Tail(100)];
    let (status, out, err) = run_apart(&mut command, keep).await.unwrap();
    assert_eq!(status.code(), Some(3));
    let (out, _) = out.into_text();
    let pid = out.strip_prefix("out\n").unwrap().trim().parse().unwrap();
    assert_eq!(err.into_text(), ("err\n".to_owned(), false));
    let left = agent_worker_process::Process::of(pid).unwrap();
    left.signal(agent_worker_process::Signal::KILL);
}

#[tokio::test]
async fn more_output_than_a_pipe_holds_is_read() {
    let mut command = sh("head -c 1000000 /dev/zero; echo end >&2");
    let (status, output) = run_merged(&mut command, Keep::Tail(100)).await.unwrap();
    assert!(status.success());
    let (text, is_cut) = output.into_text();
    assert_eq!((text.ends_with("end\n"), is_cut), (true, true));
}
