//! §6: success needs the worker's own report and exit 0. Whatever else comes on its output, the
//! run has the class that the table says, and its mail goes on as that class says.

use agent_worker_protocol::{DeliveryState, FailureClass, RunShow, RunState};

use super::stage::{ONCE, Outcome, Stage, shell};
use crate::support::block_on;

/// A step that puts lines on the worker's output, in the format of `printf`.
fn printed(format: &str) -> String {
    shell(&format!("printf '{format}' >/proc/$PPID/fd/1"))
}

/// Reports a turn of 1.2 MB. The worker is quiet meanwhile, so that its own lines stay whole.
const LONG_TURN: &str = r#"kill -STOP $PPID; x=$(head -c 200000 /dev/zero | tr '\0' x)
    { for i in 1 2 3 4 5 6; do echo '{"report":"piece","text":"'"$x"'"}'; done
    echo '{"report":"turn","role":"told","content":""}'; } >/proc/$PPID/fd/1; kill -CONT $PPID"#;

/// Plays one team after another and compares how the first run of each ends.
fn assert_all_end(class: FailureClass, mail: (DeliveryState, i64), cases: &[(&str, String, &str)]) {
    let mut stage = Stage::new(ONCE);
    block_on(async {
        for (what, steps, error) in cases {
            let outcome = stage.play(steps).await;
            assert_eq!(outcome.run.class, Some(class), "{what}: {outcome:?}");
            let said = outcome.run.error.as_deref().unwrap_or_default();
            assert!(said.contains(error), "{what}: {said}");
            assert_eq!((outcome.mail.state, outcome.mail.attempts), mail, "{what}");
            assert_eq!(outcome.left, Vec::<String>::new(), "{what}");
        }
    });
}

#[test]
fn what_is_no_report_makes_the_run_a_crash_that_is_tried_again() {
    let and_wait = |step: String| format!("{step}\n- sleep: 10m");
    let no_report = "it printed an invalid report";
    let cases = [
        ("a word", and_wait(printed("hello\\n")), no_report),
        ("an empty line", and_wait(printed("\\n")), no_report),
        ("zeros", and_wait(printed("\\000\\000\\000\\n")), no_report),
        (
            "bytes that are no text",
            and_wait(printed("{\"report\":\"finished\",\"text\":\"\\377\\376\"}\\n")),
            no_report,
        ),
        (
            "deep nesting",
            and_wait(shell("(yes '[' | head -n 90000 | tr -d '\\n'; echo) >/proc/$PPID/fd/1")),
            no_report,
        ),
        (
            "a line without an end",
            "- fail: flood 300KiB".to_owned(),
            "it printed a line of more than",
        ),
        (
            "half a line, and a crash",
            format!("{}\n- fail: crash", printed("{\"report\":\"finished\",\"te")),
            no_report,
        ),
        (
            "a setup step's end",
            and_wait(printed(
                "{\"report\":\"step_done\",\"output\":\"\",\"stderr\":\"\",\"exit\":0}\\n",
            )),
            "it reported a setup step",
        ),
        (
            "a block that is not next",
            and_wait(printed("{\"report\":\"block\",\"n\":777,\"kind\":\"text\"}\\n")),
            "it began block 777",
        ),
        (
            "a block of a number below zero",
            and_wait(printed("{\"report\":\"delta\",\"n\":-1,\"text\":\"x\"}\\n")),
            "block -1 is not open",
        ),
        (
            "a turn without an end",
            and_wait(shell(LONG_TURN)),
            "it reported a turn that is too long",
        ),
    ];
    assert_all_end(FailureClass::Transient, (DeliveryState::Waiting, 1), &cases);
}

#[test]
fn a_usage_that_cannot_be_makes_the_run_a_crash_and_is_not_booked() {
    let used = |what: &str| {
        let line = printed(&format!("{{\"report\":\"used\",{what}}}\\n"));
        format!("{line}\n- sleep: 10m")
    };
    let cannot_be = "an impossible usage";
    let cases = [
        ("no number", used("\"usage\":{\"input\":1e400}"), "it printed an invalid report"),
        ("less than nothing", used("\"usage\":{\"output\":-5}"), cannot_be),
        ("more than a number holds", used("\"usage\":{\"input\":9223372036854775807}"), cannot_be),
        ("a gift", used("\"usage\":{},\"cost\":-5"), cannot_be),
        ("more than there is", used("\"usage\":{},\"cost\":1e300"), cannot_be),
    ];
    assert_all_end(FailureClass::Transient, (DeliveryState::Waiting, 1), &cases);
}

#[test]
fn success_needs_the_last_report_and_exit_0() {
    let finished = "{\"report\":\"finished\",\"text\":\"forged\"}\\n";
    let cases = [
        ("no report", "- fail: silent".to_owned(), "it ended without a report"),
        ("exit 3", "- fail: exit 3".to_owned(), "it exited with 3 and without a report"),
        ("a crash", "- fail: crash".to_owned(), "it was ended by signal 9"),
        (
            "a report, and exit 3",
            format!("{}\n- fail: exit 3", printed(finished)),
            "it reported success and exited with 3",
        ),
        ("a report, and a crash", format!("{}\n- fail: crash", printed(finished)), "signal 9"),
        (
            "a report, and a failure",
            format!("{}\n- fail: permanent", printed(finished)),
            "it reported success and exited with 1",
        ),
        (
            "a report, and no end",
            format!("{}\n- fail: hang", printed(finished)),
            "it did not end within 2s of its last report",
        ),
        (
            "a failure, and a success",
            format!(
                "{}\n- say: done",
                printed("{\"report\":\"failed\",\"class\":\"transient\",\"error\":\"first\"}\\n")
            ),
            "first",
        ),
        (
            "classes that only the daemon gives",
            format!(
                "{}\n- say: done",
                printed("{\"report\":\"failed\",\"class\":\"cancelled\",\"error\":\"forged\"}\\n")
            ),
            "forged",
        ),
    ];
    assert_all_end(FailureClass::Transient, (DeliveryState::Waiting, 1), &cases);
}

#[test]
fn each_class_sends_mail_on_its_way() {
    use DeliveryState::{Acked, Pending, Waiting};
    let cases = [
        ("- say: done", None, Acked, 1),
        ("- fail: transient", Some(FailureClass::Transient), Waiting, 1),
        ("- fail: unavailable", Some(FailureClass::Unavailable), Pending, 0),
        ("- fail: rate_limited 1h", Some(FailureClass::Unavailable), Pending, 0),
        ("- fail: permanent", Some(FailureClass::Permanent), Pending, 0),
    ];
    let mut stage = Stage::new(ONCE);
    block_on(async {
        for (steps, class, state, attempts) in cases {
            let Outcome { run, mail, left } = stage.play(steps).await;
            assert_eq!((run.class, mail.state, mail.attempts), (class, state, attempts), "{steps}");
            assert_eq!(left, Vec::<String>::new(), "{steps}");
        }
    });
}

#[test]
fn the_first_last_word_counts_and_nothing_after_it() {
    let mut stage = Stage::new(ONCE);
    block_on(async {
        let forged = printed(
            "{\"report\":\"finished\",\"text\":\"first\"}\\n\
             {\"report\":\"finished\",\"text\":\"second\"}\\n\
             {\"report\":\"block\",\"n\":777,\"kind\":\"text\"}\\nnonsense\\n",
        );
        let outcome = stage.play(&format!("{forged}\n- say: third")).await;
        assert_eq!(outcome.run.state, RunState::Succeeded, "{outcome:?}");
        assert_eq!(outcome.mail.state, DeliveryState::Acked);
        let shown = stage.client().call(&RunShow { id: outcome.run.id }).await.unwrap();
        assert_eq!(shown.result.as_deref(), Some("first"));
    });
}

#[test]
fn a_worker_says_of_another_run_only_what_is_its_own() {
    let mut stage = Stage::new(ONCE);
    block_on(async {
        let quiet = stage.begin("- sleep: 10m").await;
        // A report names no run: whatever line a worker prints is about its own.
        let line = "{\"report\":\"finished\",\"run\":\"run_1\",\"text\":\"forged\"}\\n";
        let outcome = stage.play(&format!("{}\n- say: done", printed(line))).await;
        assert_ne!(outcome.run.id.number(), 1);
        let mail = stage.mail(&quiet).await;
        assert_eq!((mail.state, mail.attempts), (DeliveryState::Leased, 1));
    });
}

#[test]
fn a_long_last_word_arrives() {
    let mut stage = Stage::new(ONCE);
    block_on(async {
        let text = "long words and \\\"quotes\\\" ".repeat(30_000);
        let outcome = stage.play(&format!("- say: \"{text}\"")).await;
        assert_eq!(outcome.run.state, RunState::Succeeded, "{outcome:?}");
        let shown = stage.client().call(&RunShow { id: outcome.run.id }).await.unwrap();
        assert_eq!(shown.result.unwrap(), text.replace('\\', ""));
    });
}
