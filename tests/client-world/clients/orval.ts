import { decideApproval, listApprovals, listMessages, sendMessage, startChat } from "./generated/orval.js";
import { type Answer, type Client, WORKSPACE, address, play, token } from "../story.js";

// The generated client asks for paths alone.
const ask = globalThis.fetch;
globalThis.fetch = (input, init) => ask(new URL(String(input), address), { ...init, headers: { ...init?.headers, Authorization: `Bearer ${token}` } });
const w = WORKSPACE;
// Each status has a type of its own; the story reads those that it expects.
const answer = <T>({ data, status }: { data: unknown; status: number }): Answer<T> => ({ status, body: data as T });

const client: Client = {
  start: async (provider) => answer(await startChat(w, { provider, require_validation: true })),
  send: async (s, text) => answer(await sendMessage(w, s, { text })),
  approvals: async () => answer(await listApprovals(w)),
  decide: async (apr, digest, decision) => answer(await decideApproval(w, apr, { decision }, { headers: { "If-Match": `"${digest}"` } })),
  messages: async (s, limit, after) => answer(await listMessages(w, s, { limit, ...(after === undefined ? {} : { after }) })),
};

await play(client);
