// The official TypeScript client, version 1.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { run } from "./client_calls.mjs";

await run(Client, StdioClientTransport);
