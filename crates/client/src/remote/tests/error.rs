use super::*;

#[test]
fn each_way_to_fail_says_what_helps() {
    let to: Destination = "me@box".parse().unwrap();
    let install = format!(
        "install agent-worker {} there; test: ssh -t me@box \
         'env PATH=\"$PATH\":\"$HOME\"/.local/bin:\"$HOME\"/.cargo/bin:/usr/local/bin:\
         /opt/homebrew/bin' agent-worker --version",
        env!("CARGO_PKG_VERSION")
    );
    let end = |code, complaints: &str| End {
        code,
        printed: String::new(),
        complaints: complaints.to_owned(),
    };
    for (end, message, hint) in [
        (
            end(Some(255), "ssh: connect to host box: refused\n"),
            "cannot reach me@box: ssh: connect to host box: refused".to_owned(),
            "test: ssh me@box true".to_owned(),
        ),
        (end(Some(127), ""), "`agent-worker` not found on me@box".to_owned(), install.clone()),
        (
            end(Some(2), "error: unrecognized subcommand 'remote-end'"),
            "`agent-worker` on me@box is too old for --host".to_owned(),
            install.clone(),
        ),
        (
            end(Some(2), "error: unknown command `remote-end`"),
            "`agent-worker` on me@box is too old for --host".to_owned(),
            install.clone(),
        ),
        (
            end(Some(1), "a\n\x1b[2Jb\n"),
            "`agent-worker` on me@box ended with code 1:\na\n⟦esc⟧b".to_owned(),
            ssh_line("me@box", "agent-worker daemon status"),
        ),
    ] {
        let error = RemoteError::ended(&to, &end);
        assert_eq!((error.to_string(), error.hint.clone()), (message, hint));
    }
}
