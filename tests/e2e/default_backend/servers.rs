//! Servers of tools that are an agent's own.

use std::net::SocketAddr;

use agent_worker_protocol::BlockKind;
use axum::{
    Router,
    http::{HeaderMap, header::AUTHORIZATION, request::Parts},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
        PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use tokio::net::TcpListener;

use super::stage::{PROVIDERS, QUICK, Stage};
use crate::support::{Home, block_on};

/// A server that is a shell script: its only tool says what it finds in the environment.
const PROGRAM: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
  case "$line" in
    *'"initialize"'*) answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"0"}}' ;;
    *'"tools/list"'*) answer '{"tools":[{"name":"tell","description":"Tells.","inputSchema":{"type":"object","properties":{"long":{}}}}]}' ;;
    *'"long"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"' "$id"
      head -c 5000000 /dev/zero | tr '\0' x
      printf '"}]}}\n' ;;
    *'"tools/call"'*) answer "{\"content\":[{\"type\":\"text\",\"text\":\"in $(pwd) with $GIVEN, key ${HOUSE_KEY-unset}\"}]}" ;;
  esac
done
"#;

fn servers(command: &str) -> String {
    format!("mcp_servers: {{ house: {command} }}")
}

#[test]
fn a_program_gives_an_agent_its_tools_and_is_given_what_it_is_promised() {
    for provider in PROVIDERS {
        let mut home = Home::new();
        home.set("HOUSE_KEY", "sk-house-1234");
        let scenario = "conversations:\n- turns:\n  \
             - { calls: [{ call: house__tell }, { call: house__tell, with: { long: true } }] }\n  \
             - { say: I know., expect: 'cut after 49152 of 5000000 bytes: ask it for less' }\n";
        let stage = Stage::at(home, scenario, QUICK);
        stage.home.write("server.sh", PROGRAM);
        let server = servers("{ command: sh, args: [server.sh], env: { GIVEN: 'a $HOUSE_KEY' } }");
        let team = stage.team(provider, &[("alice", &server)], "@alice go");
        let said = stage.home.ok(&["run", &team]);
        assert!(said.contains("I know."), "{said}");
        let work = stage.home.work().canonicalize().unwrap();
        let expected = format!("in {} with a sk-house-1234, key unset", work.display());
        assert_eq!(stage.told(BlockKind::ToolResult)[0], expected);
        stage.home.assert_only_the_daemon_is_left();
    }
}

#[test]
fn a_server_that_is_not_there_is_named_before_a_start_and_stops_no_run() {
    let stage = Stage::new("conversations: [{ turns: [{ say: I did without. }] }]", QUICK);
    let team = stage.team(
        PROVIDERS[0],
        &[("alice", &servers("{ command: no-such-program, env: { A: $NO_SUCH_KEY } }"))],
        "@alice go",
    );
    let refused = stage.home.run(&["check", &team]);
    for told in ["`alice`: program `no-such-program` not found", "`NO_SUCH_KEY`"] {
        assert!(refused.stdout.contains(told), "{refused:?}");
    }
    let own = servers("{ command: 'true' }").replace("house", "daemon");
    let team = stage.team(PROVIDERS[0], &[("alice", &own)], "@alice go");
    let refused = stage.home.run(&["check", &team]);
    let told = "`daemon` is the server that every agent has: it needs another name";
    assert!(refused.code == Some(1) && refused.stdout.contains(told), "{refused:?}");
    let team = stage.team(PROVIDERS[0], &[("alice", &servers("{ command: 'true' }"))], "@alice go");
    let said = stage.home.ok(&["run", &team]);
    assert!(said.contains("I did without."), "{said}");
    let told = "the MCP server `house` cannot be used in this run: it has ended (exit status: 0)";
    assert_eq!(stage.told(BlockKind::Notice), [told]);
    let prompts = stage.told(BlockKind::Prompt);
    assert!(prompts[0].contains("Your MCP server `house` cannot be used"), "{prompts:?}");
}

#[test]
fn a_server_that_hangs_is_not_waited_for_long() {
    let scenario = "conversations: [{ turns: [{ say: I did without. }] }]";
    let stage = Stage::new(scenario, &format!("{QUICK}server_start = \"200ms\"\n"));
    let hangs = servers("{ command: sleep, args: ['1000'] }");
    let team = stage.team(PROVIDERS[0], &[("alice", &hangs)], "@alice go");
    let said = stage.home.ok(&["run", &team, "--timeout", "30s"]);
    assert!(said.contains("I did without."), "{said}");
    let told = "the MCP server `house` cannot be used in this run: it has not said within \
                200ms what tools it has";
    assert_eq!(stage.told(BlockKind::Notice), [told]);
    stage.home.assert_only_the_daemon_is_left();
}

/// A server that is there already, and lets in who has its key.
#[derive(Clone)]
struct Remote;

impl ServerHandler for Remote {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = serde_json::json!({ "type": "object", "properties": {} });
        let schema = schema.as_object().unwrap().clone();
        Ok(ListToolsResult::with_all_items(vec![Tool::new("look", "Looks.", schema)]))
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let headers: &HeaderMap = &context.extensions.get::<Parts>().unwrap().headers;
        let key = headers.get(AUTHORIZATION).map(|value| value.to_str().unwrap().to_owned());
        let shown = vec![
            ContentBlock::text(format!("let in with {key:?}")),
            ContentBlock::image("aGk=", "image/png"),
        ];
        Ok(CallToolResult::success(shown).into())
    }
}

#[test]
fn an_address_gives_an_agent_its_tools_and_is_sent_its_key() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let listener =
        runtime.block_on(TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0)))).unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let service = StreamableHttpService::new(
        || Ok(Remote),
        NeverSessionManager::default().into(),
        StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true),
    );
    let app = Router::new().nest_service("/mcp", service);
    runtime.spawn(async { axum::serve(listener, app).await });
    for provider in PROVIDERS {
        let mut home = Home::new();
        home.set("HOUSE_KEY", "sk-house-1234");
        let scenario = "conversations:\n- turns:\n  - { call: house__look }\n  \
                        - { say: I see., expect: let in with }\n";
        let stage = Stage::at(home, scenario, QUICK);
        let server = servers(&format!(
            "{{ url: '{url}', headers: {{ Authorization: Bearer $HOUSE_KEY }} }}"
        ));
        let team = stage.team(provider, &[("alice", &server)], "@alice go");
        let said = stage.home.ok(&["run", &team]);
        assert!(said.contains("I see."), "{said}");
        let told = stage.told(BlockKind::ToolResult);
        assert_eq!(told, ["let in with Some(\"Bearer sk-house-1234\")"]);
        block_on(stage.home.assert_promises_kept());
    }
}
