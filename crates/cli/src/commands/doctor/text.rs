//! What an examination found.

use agent_worker_protocol::{Examination, Finding, Grade};

use crate::text::{bold, dim, hint, line};

/// All findings, and a last line that sums them up; empty if nothing was checked.
pub fn examination(examination: &Examination) -> String {
    if examination.checks == 0 {
        return String::new();
    }
    let findings = &examination.findings;
    // A hint for several findings in a row is printed once, behind the last of them.
    let next = |at: usize| findings.get(at + 1).and_then(|next| next.hint.as_deref());
    let mut parts: Vec<String> =
        findings.iter().enumerate().map(|(at, found)| finding(found, next(at))).collect();
    parts.push(summary(examination));
    parts.join("\n\n")
}

fn summary(examination: &Examination) -> String {
    let Examination { sound, daemon, checks, findings } = examination;
    let who = if *daemon { "the daemon is running" } else { "no daemon is running" };
    let broken = findings.iter().filter(|finding| finding.grade == Grade::Broken).count();
    let verdict = match (sound, findings.len()) {
        (true, 0) => "consistent".to_owned(),
        (true, 1) => "consistent, with 1 note".to_owned(),
        (true, notes) => format!("consistent, with {notes} notes"),
        (false, _) if broken == 1 => "broken: 1 check failed".to_owned(),
        (false, _) => format!("broken: {broken} checks failed"),
    };
    format!("{} {}", bold(&verdict), dim(&format!("({checks} checks, {who})")))
}

fn finding(finding: &Finding, next_hint: Option<&str>) -> String {
    let grade = match finding.grade {
        Grade::Broken => "broken",
        Grade::Note => "note",
    };
    let mut lines = vec![format!(
        "{} {}: {}",
        bold(grade),
        bold(&line(&finding.check)),
        line(&finding.promise)
    )];
    for case in &finding.cases {
        lines.push(format!("  {}: {}", line(&case.subject), line(&case.what)));
    }
    let more = finding.count.saturating_sub(finding.cases.len());
    if more > 0 {
        lines.push(dim(&format!("  and {more} more")));
    }
    lines.extend(finding.hint.as_deref().filter(|own| next_hint != Some(*own)).map(hint));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use agent_worker_protocol::Case;

    use super::*;
    use crate::text::plain;

    #[test]
    fn what_is_wrong_is_told_with_what_must_be_so_and_what_to_do() {
        let case = Case::new("msg_3 to alice", "it is leased to run_2, which is \x1b[2Jlost");
        let mut leased =
            Finding::broken("deliveries.leased", "a leased delivery has a live run", case);
        for n in 0..20 {
            leased.add(Case::new(format!("msg_{n} to bob"), "it is leased to no run"));
        }
        leased.cases.truncate(2);
        let room = Case::new("/srv/state", "12 MiB are left");
        let room = Finding::note("files.room", "there is room", room).hint("make some");
        let found = Examination::of(true, 60, vec![leased, room]);
        insta::assert_snapshot!(plain(&examination(&found)), @r"
        broken deliveries.leased: a leased delivery has a live run
          msg_3 to alice: it is leased to run_2, which is ⟦esc⟧lost
          msg_0 to bob: it is leased to no run
          and 19 more

        note files.room: there is room
          /srv/state: 12 MiB are left
        hint: make some

        broken: 1 check failed (60 checks, the daemon is running)
        ");
    }

    #[test]
    fn a_hint_for_several_findings_is_printed_once() {
        let found = |check: &str, hint: &str| {
            Finding::note(check, "it can be read", Case::new("a", "it cannot")).hint(hint)
        };
        let findings = vec![found("x", "copy it"), found("y", "copy it"), found("z", "look")];
        let shown = plain(&examination(&Examination::of(false, 60, findings)));
        assert_eq!(shown.matches("hint: copy it").count(), 1, "{shown}");
        assert!(shown.find("note y") < shown.find("hint: copy it"), "{shown}");
        assert!(shown.contains("hint: look"), "{shown}");
    }

    #[test]
    fn a_sound_state_is_one_line() {
        let found = Examination::of(false, 60, Vec::new());
        let shown = plain(&examination(&found));
        insta::assert_snapshot!(shown, @"consistent (60 checks, no daemon is running)");
    }
}
