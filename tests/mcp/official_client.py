"""The official Python client, versions 1 and 2: the same calls as client_calls.mjs."""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main():
    command, *args = sys.argv[1:]
    server = StdioServerParameters(command=command, args=args, env=dict(os.environ))
    async with stdio_client(server) as (reader, writer), ClientSession(reader, writer) as client:
        await client.initialize()
        tools = (await client.list_tools()).model_dump(by_alias=True)["tools"]

        async def call(name, arguments):
            result = (await client.call_tool(name, arguments)).model_dump(by_alias=True)
            text = result["content"][0]["text"]
            return {"structuredContent": result["structuredContent"], "text": text, "isError": result["isError"]}

        results = [
            await call("zones_create", {"name": "Health"}),
            await call("zones_list", {}),
            await call("zones_create", {"nam": "wrong"}),
        ]
        zone = results[1]["structuredContent"]["result"]["zones"][0]["id"]
        results.append(await call("zones_delete", {"zone_id": zone}))
        schemas = sum(tool["outputSchema"] is not None for tool in tools)
        print(json.dumps({"schemas": schemas, "tools": len(tools), "results": results}))


asyncio.run(main())
