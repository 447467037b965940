// The official TypeScript client, version 2.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { run } from "../mcp/client_calls.mjs";

await run(Client, StdioClientTransport);
