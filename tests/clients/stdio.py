"""The official MCP SDK as a client that starts a program: sends, reads and acks, while the daemon
restarts.

stdio.py auto|legacy|VERSION PROGRAM ARGUMENT...   prints one JSON object
"""

import asyncio
import json
import os
import subprocess
import sys

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main() -> None:
    mode, program, *arguments = sys.argv[1:]
    server = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
    async with Client(stdio_client(server), mode=mode) as client:
        listed = await client.list_tools()
        told = {"tools": [tool.name for tool in listed.tools]}

        async def call(name: str, arguments: dict) -> dict:
            result = await client.call_tool(name, arguments)
            if result.is_error:
                raise SystemExit(f"{name}: {[block.text for block in result.content]}")
            return result.structured_content

        told["inbox"] = await call("my_inbox", {})
        subprocess.run([program, "daemon", "restart"], check=True, stdout=subprocess.DEVNULL)
        told["sent"] = await call("channel_send", {"message": "@alice hello from outside"})
        told["acked"] = await call("my_inbox_ack", {"until": told["inbox"]["messages"][0]["id"]})
        print(json.dumps(told))


asyncio.run(main())
