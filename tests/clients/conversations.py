"""The official MCP SDK as a client: groups and search.

conversations.py URL TOKEN   prints one JSON object
"""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main() -> None:
    url, token = sys.argv[1:3]
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30)
    async with http, Client(streamable_http_client(url, http_client=http)) as client:

        async def call(name: str, arguments: dict) -> dict:
            result = await client.call_tool(name, arguments)
            if result.is_error:
                raise SystemExit(f"{name}: {[block.text for block in result.content]}")
            return result.structured_content

        told = {}
        members = {"name": "east", "members": ["alice", "bob"]}
        told["group"] = await call("group_create", members)
        message = {"to": "east", "message": "東京から hello", "intent": "inform"}
        told["sent"] = await call("channel_send", message)
        told["read"] = await call("channel_read", {"group": "east"})
        told["found"] = await call("team_search", {"text": "東京 from:ide in:east"})
        told["groups"] = await call("group_list", {})
        await call("group_add", {"group": "east", "members": "carol"})
        told["members"] = await call("group_members", {"group": "east"})
        told["left"] = await call("group_leave", {"group": "east"})
        refused = await client.call_tool("channel_read", {"group": "east"})
        told["refused"] = refused.content[0].text if refused.is_error else ""
        print(json.dumps(told))


asyncio.run(main())
