import createClient from "openapi-fetch";
import type { paths } from "./generated/openapi-typescript.js";
import { type Client, WORKSPACE, address, play, token } from "../story.js";

const api = createClient<paths>({ baseUrl: address, headers: { Authorization: `Bearer ${token}` } });
const w = WORKSPACE;
const answer = <T>({ data, response }: { data?: T; response: Response }) => ({ status: response.status, body: data as T });

const client: Client = {
  start: async (provider) => answer(await api.POST("/v1/workspaces/{w}/sessions", { params: { path: { w } }, body: { provider, require_validation: true } })),
  send: async (s, text) => answer(await api.POST("/v1/workspaces/{w}/sessions/{s}/messages", { params: { path: { w, s } }, body: { text } })),
  approvals: async () => answer(await api.GET("/v1/workspaces/{w}/approvals", { params: { path: { w } } })),
  decide: async (apr, digest, decision) =>
    answer(await api.POST("/v1/workspaces/{w}/approvals/{apr}/decision", { params: { path: { w, apr }, header: { "If-Match": `"${digest}"` } }, body: { decision } })),
  messages: async (s, limit, after) => answer(await api.GET("/v1/workspaces/{w}/sessions/{s}/messages", { params: { path: { w, s }, query: { limit, after } } })),
};

await play(client);
