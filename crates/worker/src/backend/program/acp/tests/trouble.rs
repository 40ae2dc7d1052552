//! Agents that fail, are strange, or do not know what others know.

use agent_worker_protocol::{Backend, ToolServer};

use super::{
    super::{
        super::tests::run_of,
        answer::{out_of_reach, servers as servers_of, silent},
    },
    *,
};

const RESUME: &str = "session/resume";

#[tokio::test]
async fn what_is_no_message_does_not_end_a_session() {
    let played = Stage::new()
        .play(async |agent| {
            agent.write(b"Loading plugins...\n\n[1, 2]\n").await;
            let prompt = agent.begin(json!({ "mcpCapabilities": { "http": true } })).await;
            agent.update(json!({ "sessionUpdate": "of_the_future", "x": 1 })).await;
            agent.update(json!({ "sessionUpdate": "plan", "entries": "none" })).await;
            agent.update(json!({ "sessionUpdate": "plan", "entries": [1] })).await;
            agent.say(&json!({ "jsonrpc": "2.0", "id": 99, "result": {} })).await;
            agent.say(&json!({ "jsonrpc": "2.0", "method": "_x/y" })).await;
            agent.say(&json!({ "level": "warn", "error": { "message": "it is slow" } })).await;
            agent.say(&json!({ "id": "f", "method": "fs/read_text_file", "params": {} })).await;
            let refused = agent.hear().await;
            assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!("f"), &json!(-32601)));
            let text = json!({ "type": "text", "text": "hello" });
            agent.update(json!({ "sessionUpdate": "agent_message_chunk", "content": text })).await;
            agent.end_turn(&prompt).await;
        })
        .await;
    assert_eq!(played.text, "hello");
    assert_eq!(
        told(&played),
        [
            "Notice: not a message: Loading plugins...",
            "Notice: not a message: [1, 2]",
            "Text: hello"
        ]
    );
}

#[tokio::test]
async fn an_answer_beside_a_last_call_is_the_answer_of_a_turn_that_ends_without_a_word() {
    for (tool, answer) in [("my_inbox_ack", "I fixed it."), ("channel_send", "")] {
        let played = Stage::new()
            .play(async |agent| {
                let prompt = agent.begin(json!({})).await;
                let text = json!({ "type": "text", "text": "I fixed it." });
                agent
                    .update(json!({ "sessionUpdate": "agent_message_chunk", "content": text }))
                    .await;
                let call = json!({
                    "sessionUpdate": "tool_call", "toolCallId": "c", "status": "completed",
                    "title": format!("mcp__daemon__{tool}"), "rawInput": {},
                });
                agent.update(call).await;
                agent.end_turn(&prompt).await;
            })
            .await;
        assert_eq!(played.text, answer, "{tool}");
    }
}

#[test]
fn an_answer_that_is_cut_or_declined_is_posted_with_a_mark() {
    let word = |reason: &str, text: &str| {
        let prompted = serde_json::from_value(json!({ "stopReason": reason })).unwrap();
        last_word(&prompted, None, text.to_owned())
    };
    let done = Closing::Done;
    assert_eq!(word("max_tokens", "half"), done(format!("half{CUT_OFF}")));
    assert_eq!(word("refusal", "half"), done(format!("half{NOT_FINISHED}")));
    assert_eq!(word("refusal", ""), done(DECLINED.to_owned()));
    let Closing::Stopped(why) = word("max_tokens", "") else { panic!("it is permanent") };
    assert!(why.starts_with("too_long: "), "{why}");
}

#[tokio::test]
async fn an_agent_that_dies_in_its_turn_has_closed_its_output() {
    let played = Stage::new()
        .play(async |agent| {
            agent.begin(json!({})).await;
            let call =
                json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "title": "Run ls" });
            agent.update(call).await;
            agent.close().await;
        })
        .await;
    assert_eq!(
        played.prompted.clone().unwrap_err(),
        Trouble::Broken("session/prompt", Broken::Closed)
    );
    assert_eq!(told(&played), ["ToolCall Run ls: "]);
}

#[tokio::test]
async fn what_an_agent_tells_behind_its_answer_belongs_to_its_turn() {
    let mut stage = Stage::new();
    stage.is_heard_out = true;
    let played = stage
        .play(async |agent| {
            let prompt = agent.begin(json!({})).await;
            let chunk = |text: &str| {
                let content = json!({ "type": "text", "text": text });
                json!({ "sessionUpdate": "agent_message_chunk", "content": content })
            };
            agent.update(chunk("first part,")).await;
            agent.end_turn(&prompt).await;
            agent.write(b"Shutting down...\n").await;
            agent.update(chunk(" second part.")).await;
            agent.session = "sub";
            agent.update(chunk(" Not mine.")).await;
            agent.close().await;
        })
        .await;
    assert_eq!(played.text, "first part, second part.");
    assert_eq!(told(&played), ["Text: first part, second part."]);
}

#[tokio::test]
async fn an_answer_whose_id_comes_back_as_a_text_is_taken() {
    let played = Stage::new()
        .play(async |agent| {
            let prompt = agent.begin(json!({})).await;
            agent.end_turn(&json!(prompt.to_string())).await;
            agent.close().await;
        })
        .await;
    assert_eq!(played.prompted.unwrap().stop_reason, "end_turn");
}

#[tokio::test]
async fn an_error_is_told_with_its_details() {
    for (error, expected) in [
        (json!({ "code": 5, "message": "no" }), "no"),
        (json!({ "code": 5, "message": "no", "data": "why" }), "no: why"),
        (json!({ "code": 5, "message": "no", "data": { "details": "why" } }), "no: why"),
        (json!({ "code": 5, "message": "no: why", "data": { "message": "why" } }), "no: why"),
        (json!({ "code": 5 }), "an error"),
    ] {
        let played = Stage::new()
            .play(async |agent| {
                let id = agent.hear_request("initialize").await;
                agent.say(&json!({ "jsonrpc": "2.0", "id": id, "error": error })).await;
            })
            .await;
        let refused = Broken::Refused { code: 5, message: expected.to_owned() };
        assert_eq!(played.session, Err(Trouble::Broken("initialize", refused)), "{error}");
    }
}

#[tokio::test]
async fn an_error_that_names_no_request_is_of_the_one_that_waits() {
    for named in [json!({ "jsonrpc": "2.0", "id": null }), json!({ "jsonrpc": "2.0" })] {
        let played = Stage::new()
            .play(async |agent| {
                let prompt = agent.begin(json!({})).await;
                let mut told = named.clone();
                told["error"] = json!({ "code": -32_700, "message": "cut short" });
                agent.say(&told).await;
                agent.end_turn(&prompt).await;
            })
            .await;
        let refused = Broken::Refused { code: -32_700, message: "cut short".to_owned() };
        assert_eq!(played.prompted.unwrap_err(), Trouble::Broken("session/prompt", refused));
    }
}

#[tokio::test]
async fn an_error_that_names_no_request_may_be_of_a_cancellation() {
    let mut stage = Stage::new();
    stage.is_cancelled = true;
    let played = stage
        .play(async |agent| {
            agent.introduce(json!({})).await;
            let id = agent.hear_request("session/new").await;
            agent.answer(&id, &json!({ "sessionId": "s" })).await;
            agent.hear().await;
            let prompt = agent.hear_request("session/prompt").await;
            agent.refuse(&Value::Null, -32_601, "no such method").await;
            agent.end_turn(&prompt).await;
        })
        .await;
    let [(BlockKind::Notice, None, notice)] = played.blocks.as_slice() else {
        panic!("{:?}", played.blocks)
    };
    assert!(notice.starts_with("not an answer to a request: {"), "{notice}");
    assert!(notice.contains("no such method"), "{notice}");
    assert_eq!(played.prompted.unwrap().stop_reason, "end_turn");
}

#[tokio::test]
async fn an_agent_of_another_version_is_not_spoken_to() {
    let played = Stage::new()
        .play(async |agent| {
            let id = agent.hear_request("initialize").await;
            agent.answer(&id, &json!({ "protocolVersion": 2 })).await;
        })
        .await;
    assert_eq!(played.session, Err(Trouble::Version("2".to_owned())));
    assert_eq!(played.sent.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_says_nothing_is_not_waited_for_without_end() {
    let played = Stage::new()
        .play(async |agent| {
            agent.hear_request("initialize").await;
            let mut rest = String::new();
            agent.lines.read_line(&mut rest).await.unwrap();
        })
        .await;
    let Err(Trouble::Broken(_, Broken::Silent(after))) = played.session else {
        panic!("{:?}", played.session)
    };
    assert_eq!(after.as_secs(), 120);
}

#[test]
fn a_session_that_does_not_open_is_told_with_the_servers_that_may_hang() {
    let mut run = run_of(Backend::Gemini);
    let server = |name: &str| {
        let server = json!({ "name": name, "server": { "command": "x" } });
        serde_json::from_value::<ToolServer>(server).unwrap()
    };
    let begin = "no answer to `a session` within 120 s";
    for (names, says) in [
        (vec![], ""),
        (vec!["hang"], " (its MCP server `hang` may hang)"),
        (vec!["hang", "files"], " (one of its MCP servers may hang: hang, files)"),
    ] {
        run.servers = names.into_iter().map(server).collect();
        let told = silent("a session", Duration::from_mins(2), &run);
        assert_eq!(told, format!("{begin}{says}"));
    }
}

#[tokio::test]
async fn an_agent_without_http_gets_a_server_that_it_starts() {
    let played = Stage::new()
        .play(async |agent| {
            let prompt = agent.begin(json!({ "mcpCapabilities": { "sse": true } })).await;
            agent.end_turn(&prompt).await;
        })
        .await;
    let expected =
        json!([{ "name": "daemon", "command": "/bin/agent-worker", "args": ["mcp"], "env": [] }]);
    assert_eq!(played.sent[1]["params"]["mcpServers"], expected);
}

#[test]
fn an_agent_without_http_is_not_told_of_a_server_behind_an_address() {
    let mut run = run_of(Backend::Acp);
    let tickets = json!({ "name": "tickets", "server": { "url": "http://127.0.0.1:1" } });
    let files = json!({ "name": "files", "server": { "command": "files" } });
    let [tickets, files] = [tickets, files].map(|one| serde_json::from_value(one).unwrap());
    run.servers = vec![tickets, files];
    let names = |knows_http| {
        let told = serde_json::to_value(servers_of(&run, knows_http)).unwrap();
        let names = told.as_array().unwrap().iter().map(|one| one["name"].clone());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(true), ["daemon", "tickets", "files"]);
    assert_eq!(names(false), ["daemon", "files"]);
    let notices: Vec<_> = out_of_reach(&run, false).collect();
    let notice = "the MCP server `tickets` cannot be used in this run: the agent program does \
                  not speak MCP over HTTP";
    assert_eq!(notices, [notice]);
    assert_eq!(out_of_reach(&run, true).count(), 0);
}

#[tokio::test]
async fn a_system_prompt_goes_where_the_agent_takes_it() {
    let mut stage = Stage::new();
    stage.opening.system = Some("You review.".to_owned());
    let takes = json!({ "sessionCapabilities": { "systemPrompt": {} } });
    let told = json!({ "mode": "append", "content": [{ "type": "text", "text": "You review." }] });
    for (capabilities, in_session, has_system) in
        [(takes, told, true), (json!({}), Value::Null, false)]
    {
        let played = stage
            .play(async |agent| {
                let prompt = agent.begin(capabilities.clone()).await;
                agent.end_turn(&prompt).await;
            })
            .await;
        assert_eq!(played.sent[1]["params"]["systemPrompt"], in_session);
        assert_eq!(played.session.unwrap().has_system, has_system);
        let mut resumes = capabilities.clone();
        resumes["sessionCapabilities"]["resume"] = json!({});
        let mut stage = Stage::new();
        stage.opening.system = Some("You review.".to_owned());
        stage.opening.resumed = Some("old".to_owned());
        let played = stage
            .play(async |agent| {
                agent.introduce(resumes.clone()).await;
                let id = agent.hear_request(RESUME).await;
                agent.answer(&id, &json!({})).await;
                let prompt = agent.hear_request("session/prompt").await;
                agent.end_turn(&prompt).await;
            })
            .await;
        assert_eq!(played.sent[1]["params"]["systemPrompt"], in_session);
        assert_eq!(played.session.unwrap().has_system, has_system, "it may have changed");
    }
}

#[tokio::test]
async fn a_session_that_is_gone_is_begun_anew() {
    let mut stage = Stage::new();
    stage.opening.resumed = Some("old".to_owned());
    let resumes = json!({ "loadSession": true, "sessionCapabilities": { "resume": {} } });
    for (capabilities, method) in
        [(resumes, RESUME), (json!({ "loadSession": true }), "session/load")]
    {
        let played = stage
            .play(async |agent| {
                agent.introduce(capabilities.clone()).await;
                let id = agent.hear_request(method).await;
                agent.refuse(&id, -32_002, "no such session").await;
                let id = agent.hear_request("session/new").await;
                agent.answer(&id, &json!({ "sessionId": "new" })).await;
                let prompt = agent.hear_request("session/prompt").await;
                agent.end_turn(&prompt).await;
            })
            .await;
        let session = played.session.clone().unwrap();
        assert_eq!((session.id.as_str(), session.is_resumed), ("new", false));
        let notice = "Notice: session `old` not found (no such session): a new session begins";
        assert_eq!(told(&played), [notice], "{method}");
    }
}

#[tokio::test]
async fn a_session_that_does_not_open_is_told_in_the_first_line_of_its_agent() {
    let mut stage = Stage::new();
    stage.opening.resumed = Some("old".to_owned());
    for (code, message, why) in [
        (-32_603, "Session not found: old", "not found (Session not found: old)"),
        (-32_002, "no such network\n\nList them with `--all`.", "not found (no such network)"),
        (-32_603, "Internal error: bad file\nhint", "was not opened (Internal error: bad file)"),
    ] {
        let played = stage
            .play(async |agent| {
                agent.introduce(json!({ "loadSession": true })).await;
                let id = agent.hear_request("session/load").await;
                agent.refuse(&id, code, message).await;
                let id = agent.hear_request("session/new").await;
                agent.answer(&id, &json!({ "sessionId": "new" })).await;
                let prompt = agent.hear_request("session/prompt").await;
                agent.end_turn(&prompt).await;
            })
            .await;
        assert_eq!(told(&played), [format!("Notice: session `old` {why}: a new session begins")]);
    }
}

#[tokio::test]
async fn a_session_is_kept_whose_agent_cannot_reach_its_server() {
    let mut stage = Stage::new();
    stage.opening.resumed = Some("old".to_owned());
    let resumes = json!({ "loadSession": true, "sessionCapabilities": { "resume": {} } });
    for (capabilities, method) in
        [(resumes, RESUME), (json!({ "loadSession": true }), "session/load")]
    {
        for message in [
            "Internal error: connect ECONNREFUSED 10.0.0.1:443",
            "Too many requests",
            "Invalid API key",
            "Your credit balance is too low",
        ] {
            let played = stage
                .play(async |agent| {
                    agent.introduce(capabilities.clone()).await;
                    let id = agent.hear_request(method).await;
                    agent.refuse(&id, -32_603, message).await;
                })
                .await;
            let refused = Broken::Refused { code: -32_603, message: message.to_owned() };
            assert_eq!(played.session, Err(Trouble::Broken(method, refused)));
            assert!(played.blocks.is_empty(), "{:?}", played.blocks);
            assert_eq!(played.sent.len(), 2, "{:?}", played.sent);
        }
    }
}

#[tokio::test]
async fn what_is_told_again_of_a_session_is_not_told_twice() {
    let mut stage = Stage::new();
    stage.opening.resumed = Some("old".to_owned());
    for is_late in [false, true] {
        stage.opening.is_late = is_late;
        let played = stage
            .play(async |agent| {
                agent.session = "old";
                agent.introduce(json!({ "loadSession": true })).await;
                let id = agent.hear_request("session/load").await;
                let chunk = |text: &str| {
                    let content = json!({ "type": "text", "text": text });
                    json!({ "sessionUpdate": "agent_message_chunk", "content": content })
                };
                agent.update(chunk("of yesterday")).await;
                // Some answer with nothing at all.
                agent.answer(&id, &Value::Null).await;
                // The last time it has nothing more to tell.
                let late = ["of yesterday too", "the rest", ""];
                for text in late.into_iter().filter(|_| is_late) {
                    if !text.is_empty() {
                        agent.update(chunk(text)).await;
                    }
                    let id = agent.hear_request("_agent-worker/told").await;
                    agent.refuse(&id, -32_601, "no such method").await;
                }
                let prompt = agent.hear_request("session/prompt").await;
                agent.update(chunk("of today")).await;
                agent.end_turn(&prompt).await;
            })
            .await;
        assert_eq!(told(&played), ["Text: of today"]);
        assert_eq!(played.session.unwrap().id, "old");
    }
}

#[tokio::test]
async fn what_a_subagent_says_is_not_said_by_its_agent() {
    let played = Stage::new()
        .play(async |agent| {
            let prompt = agent.begin(json!({})).await;
            for (session, text) in [("sub", "Let me see."), ("s", "It is done."), ("sub", "Bye.")] {
                agent.session = session;
                let content = json!({ "type": "text", "text": text });
                let chunk = json!({ "sessionUpdate": "agent_message_chunk", "content": content });
                agent.update(chunk).await;
            }
            let cost = json!({ "amount": 1.0, "currency": "USD" });
            agent.update(json!({ "sessionUpdate": "usage_update", "cost": cost })).await;
            agent.end_turn(&prompt).await;
        })
        .await;
    assert_eq!(told(&played), ["Text: It is done."]);
    assert_eq!((played.text.as_str(), played.cost), ("It is done.", None));
}

#[tokio::test]
async fn what_a_subagent_does_is_done_by_its_agent() {
    let played = Stage::new()
        .play(async |agent| {
            let prompt = agent.begin(json!({})).await;
            agent.session = "sub";
            let call = json!({
                "sessionUpdate": "tool_call", "toolCallId": "c", "kind": "execute",
                "status": "completed", "rawInput": { "command": "ls" },
            });
            agent.update(call).await;
            agent.end_turn(&prompt).await;
        })
        .await;
    assert_eq!(told(&played)[0], "ToolCall shell: {\"command\":\"ls\"}");
    assert!(played.acted);
}

#[tokio::test]
async fn an_agent_that_has_a_key_is_logged_in_with_it() {
    for works in [true, false] {
        let played = Stage::new()
            .play(async |agent| {
                let id = agent.hear_request("initialize").await;
                let ways = json!([{ "id": "oauth", "name": "Log in with a browser" }, { "id": "some-api-key", "name": "API key" }]);
                agent.answer(&id, &json!({ "protocolVersion": 1, "authMethods": ways })).await;
                let id = agent.hear_request("session/new").await;
                agent.refuse(&id, -32_000, "log in first").await;
                let id = agent.hear_request("authenticate").await;
                if !works {
                    agent.refuse(&id, -32_000, "there is no key").await;
                    return;
                }
                agent.answer(&id, &json!({})).await;
                let id = agent.hear_request("session/new").await;
                agent.answer(&id, &json!({ "sessionId": "s" })).await;
                let prompt = agent.hear_request("session/prompt").await;
                agent.end_turn(&prompt).await;
            })
            .await;
        // The way that was tried is not named.
        let ways = vec!["Log in with a browser".to_owned()];
        let expected = if works {
            Ok("s".to_owned())
        } else {
            Err(Trouble::LogIn("log in first".to_owned(), ways))
        };
        assert_eq!(played.session.map(|session| session.id), expected);
    }
}

#[tokio::test]
async fn a_log_in_that_is_asked_for_later_is_told_with_the_ways_that_the_agent_knows() {
    let mut stage = Stage::new();
    stage.opening.mode = Some("auto".to_owned());
    let modes = json!({ "availableModes": [{ "id": "auto" }] });
    let required = "Authentication required";
    for (place, message, has_worked, is_log_in) in [
        ("session/set_mode", required, false, true),
        ("session/prompt", required, false, true),
        ("session/prompt", "Please run /login", false, true),
        ("session/prompt", "the server is overloaded", false, false),
        ("session/prompt", "it broke", true, false),
    ] {
        let played = stage
            .play(async |agent| {
                let id = agent.hear_request("initialize").await;
                let ways =
                    json!([{ "id": "oauth", "name": "Log in with a browser" }, { "id": "x" }]);
                agent.answer(&id, &json!({ "protocolVersion": 1, "authMethods": ways })).await;
                let id = agent.hear_request("session/new").await;
                agent.answer(&id, &json!({ "sessionId": "s", "modes": modes })).await;
                let mut id = agent.hear_request("session/set_mode").await;
                if place == "session/prompt" {
                    agent.answer(&id, &json!({})).await;
                    id = agent.hear_request(place).await;
                }
                if has_worked {
                    let content = json!({ "type": "text", "text": "hm" });
                    let chunk = "agent_message_chunk";
                    agent.update(json!({ "sessionUpdate": chunk, "content": content })).await;
                }
                agent.refuse(&id, -32_000, message).await;
            })
            .await;
        let expected = if is_log_in {
            let ways = ["Log in with a browser", "x"].map(str::to_owned).to_vec();
            Trouble::LogIn(message.to_owned(), ways)
        } else {
            let refused = Broken::Refused { code: -32_000, message: message.to_owned() };
            Trouble::Broken(place, refused)
        };
        assert_eq!(played.prompted.unwrap_err(), expected);
    }
}

#[tokio::test]
async fn an_agent_that_has_a_key_is_logged_in_before_it_goes_on_with_its_session() {
    let mut stage = Stage::new();
    stage.opening.resumed = Some("old".to_owned());
    let resumes = json!({ "sessionCapabilities": { "resume": {} } });
    for (capabilities, method) in
        [(resumes, RESUME), (json!({ "loadSession": true }), "session/load")]
    {
        let played = stage
            .play(async |agent| {
                let id = agent.hear_request("initialize").await;
                let ways = json!([{ "id": "some-api-key", "name": "API key" }]);
                let answer = json!({ "protocolVersion": 1, "agentCapabilities": capabilities,
                                     "authMethods": ways });
                agent.answer(&id, &answer).await;
                let id = agent.hear_request(method).await;
                agent.refuse(&id, -32_000, "log in first").await;
                let id = agent.hear_request("authenticate").await;
                agent.answer(&id, &json!({})).await;
                let id = agent.hear_request(method).await;
                agent.answer(&id, &json!({})).await;
                let prompt = agent.hear_request("session/prompt").await;
                agent.end_turn(&prompt).await;
            })
            .await;
        let session = played.session.unwrap();
        assert_eq!((session.id.as_str(), session.is_resumed), ("old", true), "{method}");
    }
}

#[tokio::test]
async fn mode_and_model_are_chosen_as_the_agent_offers_them() {
    let old = json!({
        "sessionId": "s",
        "modes": { "availableModes": [{ "id": "plan" }, { "id": "auto" }] },
        "models": { "availableModels": [{ "modelId": "big" }] },
    });
    let groups = json!([{ "name": "all", "options": [{ "value": "big" }] }]);
    let new = json!({ "sessionId": "s", "configOptions": [
        { "id": "m1", "category": "mode", "options": [{ "value": "auto" }] },
        { "id": "m2", "category": "model", "options": groups },
    ] });
    let option = "session/set_config_option";
    for (opened, expected) in [
        (old, [("session/set_mode", "modeId", "auto"), ("session/set_model", "modelId", "big")]),
        (new, [(option, "configId", "m1"), (option, "configId", "m2")]),
    ] {
        let mut stage = Stage::new();
        stage.opening.mode = Some("auto".to_owned());
        stage.opening.model = Some("big".to_owned());
        let played = stage
            .play(async |agent| {
                agent.introduce(json!({})).await;
                let id = agent.hear_request("session/new").await;
                agent.answer(&id, &opened).await;
                for (method, key, value) in expected {
                    let message = agent.hear().await;
                    assert_eq!(message["method"], method);
                    assert_eq!(message["params"][key], value, "{message}");
                    agent.answer(&message["id"], &Value::Null).await;
                }
                let prompt = agent.hear_request("session/prompt").await;
                agent.end_turn(&prompt).await;
            })
            .await;
        assert!(played.prompted.is_ok(), "{:?}", played.prompted);
    }
}

#[tokio::test]
async fn a_session_that_goes_on_keeps_its_mode_where_its_agent_no_longer_says_what_it_offers() {
    let mut stage = Stage::new();
    stage.opening.resumed = Some("old".to_owned());
    stage.opening.mode = Some("auto".to_owned());
    stage.opening.model = Some("big".to_owned());
    for can_choose in [true, false] {
        let played = stage
            .play(async |agent| {
                agent.introduce(json!({ "sessionCapabilities": { "resume": {} } })).await;
                let id = agent.hear_request(RESUME).await;
                agent.answer(&id, &json!({})).await;
                for method in ["session/set_mode", "session/set_model"] {
                    let id = agent.hear_request(method).await;
                    if can_choose {
                        agent.answer(&id, &Value::Null).await;
                    } else {
                        agent.refuse(&id, -32_601, "no such method").await;
                    }
                }
                let prompt = agent.hear_request("session/prompt").await;
                agent.end_turn(&prompt).await;
            })
            .await;
        assert!(played.prompted.is_ok(), "{:?}", played.prompted);
    }
}

#[tokio::test]
async fn an_unknown_mode_is_told_with_those_that_there_are() {
    let mut stage = Stage::new();
    stage.opening.mode = Some("auto".to_owned());
    let modes = json!({ "availableModes": [{ "id": "plan" }, { "id": "default" }] });
    for (modes, expected) in [
        (modes, "it has no mode `auto`: it has plan, default"),
        (Value::Null, "it offers no choice of a mode, and `auto` is asked for"),
    ] {
        let played = stage
            .play(async |agent| {
                agent.introduce(json!({})).await;
                let id = agent.hear_request("session/new").await;
                agent.answer(&id, &json!({ "sessionId": "s", "modes": modes })).await;
            })
            .await;
        assert_eq!(played.session, Err(Trouble::Unknown(expected.to_owned())));
    }
}

/// A long prompt and a long answer cross on their way.
#[tokio::test]
async fn an_agent_that_reads_nothing_while_it_writes_is_read() {
    let long = "x".repeat(1 << 20);
    let mut stage = Stage::new();
    stage.opening.cwd = long.clone();
    let played = stage
        .play(async |agent| {
            agent.introduce(json!({})).await;
            let content = json!({ "type": "text", "text": long });
            agent
                .update(json!({ "sessionUpdate": "agent_message_chunk", "content": content }))
                .await;
            let id = agent.hear_request("session/new").await;
            agent.answer(&id, &json!({ "sessionId": "s" })).await;
            let prompt = agent.hear_request("session/prompt").await;
            agent.end_turn(&prompt).await;
        })
        .await;
    assert_eq!(played.text.len(), 1 << 20);
}

#[tokio::test]
async fn a_diff_and_what_a_command_prints_are_seen() {
    let played = Stage::new()
        .play(async |agent| {
            let prompt = agent.begin(json!({})).await;
            let text = |text: &str| json!([{ "type": "content", "content": { "type": "text", "text": text } }]);
            agent
                .update(json!({
                    "sessionUpdate": "tool_call", "toolCallId": "a", "title": "Edit a.rs",
                    "kind": "edit", "status": "pending",
                    "content": [{ "type": "diff", "path": "a.rs", "oldText": "one\n", "newText": "two\n" }],
                }))
                .await;
            // opencode tells the folder first.
            let folder = json!({ "cwd": "/w" });
            agent.update(json!({ "sessionUpdate": "tool_call", "toolCallId": "b", "kind": "execute", "status": "pending", "rawInput": folder })).await;
            let command = json!({ "command": "ls", "cwd": "/w" });
            agent.update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "b", "status": "in_progress", "rawInput": command })).await;
            for (status, content) in [("in_progress", text("a.rs\n")), ("in_progress", text("a.rs\nb.rs\n")), ("completed", text("a.rs\nb.rs\nend"))] {
                agent.update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "b", "status": status, "content": content })).await;
            }
            let command = json!({ "command": "false" });
            agent.update(json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "kind": "execute", "rawInput": command })).await;
            let output = json!({ "output": "no\n", "metadata": { "exit": 3 } });
            agent.update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed", "content": text("no\n"), "rawOutput": output })).await;
            agent
                .update(json!({
                    "sessionUpdate": "tool_call_update", "toolCallId": "a", "status": "completed",
                    "content": [{ "type": "diff", "path": "a.rs", "oldText": "one\n", "newText": "two\n" }],
                }))
                .await;
            let entries = json!([{ "content": "look", "status": "completed" }, { "content": "write" }]);
            for _ in 0..2 {
                agent.update(json!({ "sessionUpdate": "plan", "entries": entries })).await;
            }
            agent.end_turn(&prompt).await;
        })
        .await;
    assert_eq!(
        told(&played),
        [
            "ToolCall edit: {\"title\":\"Edit a.rs\"}",
            "ToolCall shell: {\"command\":\"ls\",\"cwd\":\"/w\"}",
            "ToolResult shell: a.rs b.rs end",
            "ToolCall shell: {\"command\":\"false\"}",
            "ToolResult shell: no (exit code 3)",
            "ToolResult edit: --- a/a.rs +++ b/a.rs @@ -1 +1 @@ -one +two",
            "Notice: plan: [x] look [ ] write",
        ]
    );
    assert!(played.acted);
}

#[test]
fn tokens_are_counted_once_however_an_agent_counts_them() {
    let prompted = |usage: Value| -> Prompted {
        serde_json::from_value(json!({ "stopReason": "end_turn", "usage": usage })).unwrap()
    };
    for (usage, expected) in [
        (
            json!({ "inputTokens": 100, "outputTokens": 20, "cachedReadTokens": 60, "totalTokens": 120 }),
            Usage { input: Some(40), output: Some(20), cache_read: Some(60), ..Usage::default() },
        ),
        (
            json!({ "inputTokens": 100, "outputTokens": 20, "cachedReadTokens": 60, "totalTokens": 180 }),
            Usage { input: Some(100), output: Some(20), cache_read: Some(60), ..Usage::default() },
        ),
        (
            json!({ "inputTokens": 100, "outputTokens": 13, "thoughtTokens": 7, "cachedReadTokens": 60, "totalTokens": 180 }),
            Usage {
                input: Some(100),
                output: Some(20),
                cache_read: Some(60),
                reasoning: Some(7),
                ..Usage::default()
            },
        ),
        (
            json!({ "inputTokens": 100, "outputTokens": 20, "thoughtTokens": 7, "cachedReadTokens": 60, "totalTokens": 120 }),
            Usage {
                input: Some(40),
                output: Some(20),
                cache_read: Some(60),
                reasoning: Some(7),
                ..Usage::default()
            },
        ),
        (
            json!({ "inputTokens": i64::MAX, "outputTokens": 1, "cachedReadTokens": i64::MIN, "totalTokens": 120 }),
            Usage {
                input: Some(i64::MAX),
                output: Some(1),
                cache_read: Some(i64::MIN),
                ..Usage::default()
            },
        ),
        (Value::Null, Usage::default()),
        (json!("many"), Usage::default()),
        (json!({ "inputTokens": 100, "outputTokens": 2.5 }), Usage::default()),
    ] {
        assert_eq!(prompted(usage.clone()).used(), expected, "{usage}");
    }
}
