//! The control room as a member sees it, beside what that member is answered over HTTP.

use crate::support::{Home, Team, mock};

const MEMBERS: [&str; 3] = ["ann", "ben", "cat"];

/// A team in which not everything is for everyone.
fn team(home: &Home) {
    let mut team = Team::new("team", "");
    for member in MEMBERS {
        team = team.agent(member, &mock("- say: well"));
    }
    home.ok(&["start", &team.write(home), "-d"]);
    home.ok(&["send", "@team", "a word for everyone"]);
    home.ok(&["group", "create", "inner", "ann", "ben", "--in", "@team"]);
    home.ok(&["send", "@team", "a word for some", "--to", "inner", "--inform"]);
    home.ok(&["send", "ann@team", "a word for one", "--inform"]);
}

fn screen(home: &Home, target: &str, member: &str) -> String {
    home.ok(&["tui", target, "--as", member, "--dump", "160x50"])
}

/// The names of the conversations that the daemon lists for a member, as the tree shows them.
fn conversations(home: &Home, member: &str) -> Vec<String> {
    let listed = home.json(&["group", "list", "@team", "--as", member]);
    let names = listed["groups"].as_array().unwrap().iter();
    names.map(|group| group["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn each_member_is_shown_what_it_is_answered_over_http() {
    let home = Home::new();
    let _daemon = home.daemon();
    team(&home);
    for member in MEMBERS {
        let shown = screen(&home, "@team", member);
        assert!(shown.contains(&format!("VIEW AS {member}@team")), "{shown}");
        let said = home.json(&["peek", "@team", "--as", member]);
        for message in said["messages"].as_array().unwrap() {
            let text = message["content"].as_str().unwrap();
            assert!(shown.contains(text), "{member}, {text}: {shown}");
        }
        let open = conversations(&home, member);
        for (name, line) in [("inner", "& inner"), ("ann+user", "& ann")] {
            let is_open = open.iter().any(|known| known == name);
            assert_eq!(shown.contains(line), is_open, "{member}, {name} of {open:?}: {shown}");
        }
        for other in MEMBERS {
            for secret in ["a word for some", "a word for one"] {
                let inbox = screen(&home, &format!("{other}@team"), member);
                assert!(!inbox.contains(secret) || other == member, "{member} of {other}: {inbox}");
            }
            let target = format!("{other}@team");
            let answered = home.run(&["inbox", &target, "--as", member]).code == Some(0);
            let pane = screen(&home, &target, member);
            assert_eq!(
                pane.contains(&format!("{member} does not see the transcripts of {target}")),
                !answered,
                "{member} of {other}: {pane}"
            );
        }
    }
}

#[test]
fn who_is_not_a_member_is_told_so() {
    let home = Home::new();
    let _daemon = home.daemon();
    team(&home);
    let shown = screen(&home, "@team", "ghost");
    assert!(shown.contains("ghost is not a member of"), "{shown}");
    assert!(shown.contains("& inner"), "{shown}");
}
