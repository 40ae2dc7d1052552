"""The official MCP SDK as a client: lists the tools, sends, reads an inbox, acks.

official.py URL TOKEN [auto|legacy|VERSION]   prints one JSON object
"""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main() -> None:
    url, token, mode = sys.argv[1:4]
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30)
    async with http, Client(streamable_http_client(url, http_client=http), mode=mode) as client:
        listed = await client.list_tools()
        told = {"protocol": client.protocol_version, "tools": {}}
        told["tools"] = [tool.name for tool in listed.tools if tool.input_schema]

        async def call(name: str, arguments: dict) -> dict:
            result = await client.call_tool(name, arguments)
            if result.is_error:
                raise SystemExit(f"{name}: {[block.text for block in result.content]}")
            return result.structured_content

        told["inbox"] = await call("my_inbox", {})
        told["sent"] = await call("channel_send", {"message": "@alice hello from outside"})
        for message in told["inbox"]["messages"]:
            told["acked"] = await call("my_inbox_ack", {"until": message["id"]})
        print(json.dumps(told))


asyncio.run(main())
