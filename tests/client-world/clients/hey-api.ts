import { client as http } from "./generated/hey-api/client.gen.js";
import { decideApproval, listApprovals, listMessages, sendMessage, startChat } from "./generated/hey-api/sdk.gen.js";
import { type Client, WORKSPACE, address, play, token } from "../story.js";

http.setConfig({ baseUrl: address, auth: () => token });
const w = WORKSPACE;
const answer = <T>({ data, response }: { data?: T; response?: Response }) => ({ status: response?.status ?? 0, body: data as T });

const client: Client = {
  start: async (provider) => answer(await startChat({ path: { w }, body: { provider, require_validation: true } })),
  send: async (s, text) => answer(await sendMessage({ path: { w, s }, body: { text } })),
  approvals: async () => answer(await listApprovals({ path: { w } })),
  decide: async (apr, digest, decision) => answer(await decideApproval({ path: { w, apr }, headers: { "If-Match": `"${digest}"` }, body: { decision } })),
  messages: async (s, limit, after) => answer(await listMessages({ path: { w, s }, query: { limit, after } })),
};

await play(client);
