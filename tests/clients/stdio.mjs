// The official TypeScript SDK as a client that starts a program: sends, reads and acks, while the
// daemon is killed in the middle. The package is found beside this file.
//
//   stdio.mjs sdk|client ERA PROGRAM ARGUMENT...   prints one JSON object
//
// `sdk` is the package of the 1.x series, which knows one era; `client` is that of the 2.x series.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const [series, era, command, ...args] = process.argv.slice(2);

async function opened() {
    const info = { name: "test", version: "1" };
    if (series === "sdk") {
        const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
        const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
        return [new Client(info), StdioClientTransport];
    }
    const { Client } = await import("@modelcontextprotocol/client");
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    return [new Client(info, { versionNegotiation: { mode: era } }), StdioClientTransport];
}

const [client, Transport] = await opened();
const env = { ...process.env };
await client.connect(new Transport({ command, args, env, stderr: "inherit" }));

async function call(name, input) {
    const result = await client.callTool({ name, arguments: input });
    if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
    return result.structuredContent;
}

function killDaemon() {
    const file = join(process.env.AGENT_WORKER_HOME, "daemon.json");
    const { pid } = JSON.parse(readFileSync(file, "utf8"));
    process.kill(pid, "SIGKILL");
    return pid;
}

const told = { server: client.getServerVersion().name };
told.tools = (await client.listTools()).tools.map((tool) => tool.name);
told.inbox = await call("my_inbox", {});
told.killed = killDaemon();
told.sent = await call("channel_send", { message: "@alice hello from outside" });
told.acked = await call("my_inbox_ack", { until: told.inbox.messages[0].id });
const refused = await client.callTool({ name: "team_doc_read", arguments: { file: "absent.md" } });
told.refused = refused.isError === true && refused.content[0].text;
await client.close();
console.log(JSON.stringify(told));
