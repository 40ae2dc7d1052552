//! Servers of tools, good ones and others.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    sync::mpsc,
    time::Duration,
};

use agent_worker_protocol::{McpServer, Ordered, ToolServer};
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use super::Servers;
use crate::mcp::Answer;

/// Within which a good server must be there.
const DEADLINE: Duration = Duration::from_mins(1);

/// How long a silent server is waited for.
const SHORT: Duration = Duration::from_secs(4);

/// A server that says what it is told, and has a tool that ends it.
const GOOD: &str = r#"
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
while IFS= read -r line; do
    id=${line#*\"id\":}; id=${id%%[,\}]*}
    case $line in
    *'"initialize"'*) answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},
"serverInfo":{"name":"s","version":"1"}}' | tr -d '\n'; echo;;
    *'"tools/list"'*) answer '{"tools":[
{"name":"tell","description":"Tells","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
{"name":"fail.now","inputSchema":{"type":"object"}},
{"name":"die","inputSchema":{"type":"object"}}]}' | tr -d '\n'; echo;;
    *'"tell"'*) answer '{"content":[{"type":"text","text":"'"$GIVEN"'"},
{"type":"image","data":"R0lG","mimeType":"image/gif"}]}' | tr -d '\n'; echo;;
    *'"fail.now"'*) answer '{"content":[{"type":"text","text":"no"}],"isError":true}';;
    *'"die"'*) echo 'it was too much' >&2; exit 7;;
    esac
done
"#;

fn program(script: &str, env: &[(&str, &str)]) -> McpServer {
    McpServer::Program {
        command: "sh".to_owned(),
        args: vec!["-c".to_owned(), script.to_owned()],
        env: env.iter().map(|(name, value)| (name.parse().unwrap(), (*value).to_owned())).collect(),
    }
}

fn remote(url: &str, headers: &[(&str, &str)]) -> McpServer {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    McpServer::Remote { url: url.to_owned(), headers: headers.collect() }
}

fn named(servers: Vec<(&str, McpServer)>) -> Vec<ToolServer> {
    let named = |(name, server): (&str, _)| ToolServer { name: name.parse().unwrap(), server };
    servers.into_iter().map(named).collect()
}

async fn call(servers: &Servers, name: &str) -> Answer {
    servers.call(name, &Map::new(), &mut |_| {}).await.unwrap()
}

fn tools(servers: &Servers) -> Vec<(String, bool)> {
    servers.listed().map(|listed| (listed.tool.name, listed.only_reads)).collect()
}

#[tokio::test]
async fn a_program_is_started_and_its_tools_are_offered_under_its_name() {
    let given = named(vec![("files", program(GOOD, &[("GIVEN", "path=$PATH")]))]);
    let servers = Servers::start_within(&given, None, DEADLINE).await;
    assert_eq!(servers.missing(), []);
    assert_eq!(
        tools(&servers),
        [("tell", true), ("fail_now", false), ("die", false)]
            .map(|(name, only_reads)| (format!("files__{name}"), only_reads))
    );
    let told = call(&servers, "files__tell").await;
    assert_eq!(told.text, format!("path={}", std::env::var("PATH").unwrap()));
    assert_eq!(told.images[0].media_type, "image/gif");
    let failed = call(&servers, "files__fail_now").await;
    assert_eq!((failed.text.as_str(), failed.is_refusal), ("no", true));
    assert!(!failed.is_undone(), "it was begun");
    assert!(servers.call("files__other", &Map::new(), &mut |_| {}).await.is_none());
    assert!(servers.call("tell", &Map::new(), &mut |_| {}).await.is_none());
}

#[tokio::test]
async fn a_program_that_ends_meanwhile_says_why() {
    let given = named(vec![("files", program(GOOD, &[]))]);
    let servers = Servers::start_within(&given, None, DEADLINE).await;
    for is_undone in [false, true] {
        let answer = call(&servers, "files__die").await;
        assert_eq!(
            answer.text,
            "no answer from the server `files`: it has ended (exit status: 7): it was too much"
        );
        assert!(answer.is_refusal);
        assert_eq!(answer.is_undone(), is_undone, "the second call was not sent");
    }
}

#[tokio::test]
async fn a_call_that_a_server_refuses_may_have_done_something() {
    for code in [-32_601, -32_602, -32_603] {
        let error = format!(r#"{{"code":{code},"message":"no"}}"#);
        let refuses =
            format!(r#"printf '{{"jsonrpc":"2.0","id":%s,"error":%s}}\n' "$id" '{error}'"#);
        let given = named(vec![("files", answering("tell", &refuses))]);
        let servers = Servers::start_within(&given, None, DEADLINE).await;
        let answer = call(&servers, "files__tell").await;
        assert_eq!((answer.text.as_str(), answer.is_undone()), ("no", false), "{code}");
    }
}

/// As the good one, but for its answer to one method.
fn answering(method: &str, answer: &str) -> McpServer {
    let case = format!("*'\"{method}\"'*)");
    let (before, rest) = GOOD.split_once(&case).unwrap();
    let (_, after) = rest.split_once(";;\n").unwrap();
    program(&format!("{before}{case} {answer};;\n{after}"), &[])
}

#[tokio::test]
async fn an_answer_that_is_too_long_to_be_read_is_not_waited_for() {
    let long = r"head -c 17000000 /dev/zero | tr '\0' x; echo";
    let given = named(vec![("files", answering("tell", long))]);
    let servers = Servers::start_within(&given, None, DEADLINE).await;
    for _ in 0..2 {
        let answer = timeout(DEADLINE, call(&servers, "files__tell")).await.unwrap();
        assert_eq!(
            answer.text,
            "no answer from the server `files`: it is longer than 16 MiB, so it was not read"
        );
    }
    assert_eq!(call(&servers, "files__fail_now").await.text, "no", "it goes on");
}

#[tokio::test]
async fn an_answer_that_is_too_long_ends_no_other_call() {
    let long = r"head -c 17000000 /dev/zero | tr '\0' x; echo";
    let given = named(vec![("files", answering("tell", long))]);
    let servers = Servers::start_within(&given, None, DEADLINE).await;
    let both = async {
        tokio::select! {
            biased;
            told = call(&servers, "files__tell") => panic!("{}", told.text),
            other = call(&servers, "files__fail_now") => other,
        }
    };
    assert_eq!(timeout(DEADLINE, both).await.unwrap().text, "no");
    let alone = timeout(DEADLINE, call(&servers, "files__tell")).await.unwrap();
    assert!(alone.text.contains("longer than 16 MiB"), "{}", alone.text);
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_not_waited_for_once_the_other_calls_are_answered() {
    let long = r"head -c 17000000 /dev/zero | tr '\0' x; echo";
    let given = named(vec![("files", answering("tell", long))]);
    let servers = Servers::start_within(&given, None, DEADLINE).await;
    let both =
        async { tokio::join!(call(&servers, "files__tell"), call(&servers, "files__fail_now")) };
    let (long, other) = timeout(DEADLINE, both).await.unwrap();
    assert!(long.text.contains("longer than 16 MiB"), "{}", long.text);
    assert_eq!(other.text, "no");
}

#[tokio::test]
async fn a_list_of_tools_without_a_last_page_is_read_as_far_as_tools_are_offered() {
    let page =
        r#"answer '{"tools":[{"name":"tell","inputSchema":{"type":"object"}}],"nextCursor":"on"}'"#;
    let given = named(vec![("files", answering("tools/list", page))]);
    let servers = Servers::start_within(&given, None, DEADLINE).await;
    assert_eq!(servers.missing(), []);
    assert_eq!(servers.listed().count(), 200);
}

#[tokio::test]
async fn a_list_of_tools_whose_further_pages_are_empty_is_read_to_its_tools() {
    let pages = |cursor: &str| {
        let first = r#"{"name":"tell","inputSchema":{"type":"object"}}"#;
        format!(
            r#"tools='{first}'
            case $line in *'"cursor":"'*) tools=;; esac
            answer '{{"tools":['"$tools"'],"nextCursor":"'"{cursor}"'"}}'"#
        )
    };
    let given = named(vec![
        ("same", answering("tools/list", &pages("on"))),
        ("new", answering("tools/list", &pages("on $id"))),
    ]);
    let servers = Servers::start_within(&given, None, DEADLINE).await;
    assert_eq!(servers.missing(), []);
    assert_eq!(servers.listed().count(), 2);
}

#[tokio::test]
async fn what_a_server_itself_says_is_told_and_not_its_end() {
    let error =
        r#"printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"locked"}}\n' "$id""#;
    let given = named(vec![
        ("refuses", answering("tools/list", error)),
        ("odd", answering("tools/list", r#"answer '{"tools":[{"name":"tell"}]}'"#)),
        ("shut", answering("initialize", &format!("{error}; exit 0"))),
    ]);
    let servers = Servers::start_within(&given, None, DEADLINE).await;
    let whys: Vec<_> = servers.missing().iter().map(|missing| missing.why.as_str()).collect();
    assert_eq!(
        whys,
        ["locked", "invalid list of tools: each needs a `name` and an `inputSchema`", "locked"]
    );
}

#[tokio::test]
async fn servers_that_are_not_there_keep_the_others_from_nothing() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let given = named(vec![
        (
            "none",
            McpServer::Program {
                command: "/no/such/program".to_owned(),
                args: Vec::new(),
                env: Ordered::default(),
            },
        ),
        ("ends", program("echo 'no config' >&2; exit 3", &[])),
        ("silent", program("while read -r line; do :; done", &[])),
        ("noise", program("echo hello; while read -r line; do :; done", &[])),
        ("poor", program(GOOD, &[("GIVEN", "$AGENT_WORKER_NO_SUCH_KEY")])),
        ("good", program(GOOD, &[])),
        ("closed", remote(&format!("http://{closed}/mcp"), &[])),
        ("odd", remote("nowhere", &[])),
        ("bad", remote("http://127.0.0.1:1/", &[("A B", "secret")])),
    ]);
    let servers = Servers::start_within(&given, None, SHORT).await;
    assert_eq!(tools(&servers).len(), 3);
    let told: Vec<_> = servers.missing().iter().map(ToString::to_string).collect();
    for (name, why) in [
        ("none", "`/no/such/program` cannot be started: No such file or directory (os error 2)"),
        ("ends", "it has ended (exit status: 3): no config"),
        ("silent", "it has not said within 4s what tools it has"),
        ("noise", "it has not said within 4s what tools it has"),
        ("poor", "its variable `AGENT_WORKER_NO_SUCH_KEY` is not set"),
        ("closed", "Connection refused"),
        ("odd", "`nowhere` is not an address: relative URL without a base"),
        ("bad", "`A B` is not the name of a header"),
    ] {
        let begin = format!("the MCP server `{name}` cannot be used in this run: ");
        let found = told.iter().find(|told| told.starts_with(&begin));
        assert!(found.is_some_and(|found| found.contains(why)), "{name}: {told:#?}");
    }
    assert_eq!(told.len(), 8);
    assert!(!told.concat().contains("secret"));
    let answer = call(&servers, "silent__anything").await;
    assert!(answer.is_undone() && answer.text.contains("the MCP server `silent`"));
}

/// A server behind HTTP of the older kind, which answers `401` to requests without the token.
pub fn served() -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let Some((head, body)) = request(&stream) else { continue };
            let (status, answer) = if head.contains("authorization: Bearer word") {
                answer(&body)
            } else {
                ("401 Unauthorized", Value::Null)
            };
            let answer = if answer.is_null() { String::new() } else { answer.to_string() };
            let length = answer.len();
            // The client may have closed the connection.
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n\
                 content-length: {length}\r\nconnection: close\r\n\r\n{answer}"
            );
            let _ = tell.send(head);
        }
    });
    (url, told)
}

fn request(stream: &std::net::TcpStream) -> Option<(String, Value)> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.and_then(|length| length.parse().ok()).unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some((head, serde_json::from_slice(&body).unwrap_or_default()))
}

fn answer(asked: &Value) -> (&'static str, Value) {
    let result = match asked["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": "2025-06-18", "capabilities": { "tools": {} },
            "serverInfo": { "name": "s", "version": "1" },
        }),
        Some("tools/list") => json!({ "tools": [
            { "name": "add", "description": "Adds", "inputSchema": { "type": "object" } },
        ] }),
        Some("tools/call") => {
            let text = asked["params"]["arguments"].to_string();
            json!({ "content": [{ "type": "text", "text": text }] })
        }
        Some("notifications/initialized") => return ("202 Accepted", Value::Null),
        Some(_) => return ("400 Bad Request", Value::Null),
        None => return ("405 Method Not Allowed", Value::Null),
    };
    ("200 OK", json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result }))
}

#[tokio::test]
async fn a_server_behind_an_address_is_asked_with_its_headers() {
    let (url, told) = served();
    let given = named(vec![
        ("issues", remote(&url, &[("Authorization", "Bearer word"), ("X-Path", "$PATH")])),
        ("closed", remote(&url, &[("Authorization", "Bearer other-secret")])),
    ]);
    let servers = Servers::start_within(&given, None, DEADLINE).await;
    assert_eq!(tools(&servers), [("issues__add".to_owned(), false)]);
    let [closed] = servers.missing() else { panic!("{:?}", servers.missing()) };
    assert!(closed.why.contains("401") || closed.why.to_lowercase().contains("auth"), "{closed}");
    assert!(!closed.why.contains("other-secret"));
    let Value::Object(arguments) = json!({ "a": 1 }) else { panic!() };
    let answer = servers.call("issues__add", &arguments, &mut |_| {}).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.is_refusal), (r#"{"a":1}"#, false));
    let path = format!("x-path: {}", std::env::var("PATH").unwrap());
    assert!(told.try_iter().any(|head| head.contains(&path)));
}
