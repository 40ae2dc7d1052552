"""The official MCP SDK as a client: calls every tool there is.

every_tool.py URL TOKEN   prints one JSON object: what is listed, and what each call was answered
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
        listed = (await client.list_tools()).tools
        told = {"listed": {}, "answers": {}}
        for tool in listed:
            told["listed"][tool.name] = tool.input_schema

        async def call(tool: str, /, **arguments: object) -> dict:
            result = await client.call_tool(tool, arguments)
            if result.is_error:
                raise SystemExit(f"{tool}: {[block.text for block in result.content]}")
            told["answers"].setdefault(tool, []).append(result.structured_content)
            return result.structured_content

        await call("my_status_set", state="looking", task="every tool")
        await call("team_members")

        inbox = await call("my_inbox", limit=5, max_chars=10000)
        sent = await call("channel_send", message="the sea is calm", to=["alice"], intent="inform")
        await call("channel_read", limit=10)
        await call("channel_read", group="alice+ide", after="msg_1")

        await call("team_doc_create", content="one", file="plan.md")
        await call("team_doc_append", content="two", file="plan.md")
        await call("team_doc_read", file="plan.md")
        await call("team_doc_write", content="three", file="plan.md", if_version=2)
        await call("team_doc_read", file="plan.md", version=2, offset=4, limit=3)
        await call("team_doc_list")

        made = await call("resource_create", content="a long text of the sea", type="markdown")
        await call("resource_read", id=made["id"], offset=2, limit=4)

        election = await call(
            "team_proposal_create",
            type="election",
            title="who writes?",
            electors=["ide"],
            options=["ide", "alice"],
            resolution="majority",
            quorum=1,
            tie_break="first",
            expires_in="10m",
            binding=False,
        )
        await call("team_proposal_status")
        await call("team_vote", proposal=election["id"], choice="ide", reason="it is here")
        await call("team_proposal_status", proposal=election["id"])
        decision = await call(
            "team_proposal_create",
            type="decision",
            title="which way?",
            description="left or right",
            options=["left", "right"],
        )
        await call("team_proposal_cancel", proposal=decision["id"])

        await call("group_create", name="east", members=["alice", "bob"], wake="mentions")
        await call("group_add", group="east", members=["carol"])
        await call("channel_send", message="to the sea", to=["east"], intent="inform")
        await call("group_list")
        await call("group_members", group="east")
        await call("team_search", text="sea kind:message", limit=5)
        await call("group_leave", group="east")

        await call("ask_person", question="go on?", options=["yes", "no"], default="yes")
        await call("my_inbox_ack", until=inbox["messages"][-1]["id"])
        told["sent"] = sent["id"]
        print(json.dumps(told))


asyncio.run(main())
