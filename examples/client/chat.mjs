// The first chat of the README, over HTTP: a message, what it asks for, a yes to exactly that, and what came of it. Every
// path, body and answer is checked against the document (`npm run check`).

import { randomUUID } from "node:crypto";
import createClient from "openapi-fetch";

/** @typedef {import("./generated.d.ts").paths} Paths */

/**
 * What an answer brought, or what was wrong.
 * @template T
 * @param {{ data?: T, error?: unknown, response: Response }} answer
 * @returns {T}
 */
const given = ({ data, error, response }) => {
  if (data === undefined) throw new Error(`${response.status} ${JSON.stringify(error)}`);
  return data;
};

/** Asked again after a lost answer under the same key, nothing is done twice. */
const key = () => ({ "Idempotency-Key": randomUUID() });

/**
 * Asks until something is there. A program that waits for long reads the stream of the session instead.
 * @template T
 * @param {() => Promise<T | undefined>} look
 * @returns {Promise<T>}
 */
const until = async (look) => {
  for (let tries = 0; tries < 300; tries += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error("it did not come");
};

/**
 * @param {string} baseUrl
 * @param {string} token
 * @param {string} w the workspace
 */
export const chat = async (baseUrl, token, w) => {
  const create = /** @type {typeof createClient<Paths>} */ (createClient);
  const api = create({ baseUrl, headers: { authorization: `Bearer ${token}` } });
  const path = { w };

  const session = given(
    await api.POST("/v1/workspaces/{w}/sessions", {
      params: { path, header: key() },
      body: { name: "Health", require_validation: true },
    }),
  );
  const s = session.id;
  await api
    .POST("/v1/workspaces/{w}/sessions/{s}/messages", {
      params: { path: { w, s }, header: key() },
      body: { text: "Make a zone Health with a tool Weight in kg" },
    })
    .then(given);

  const card = await until(async () => {
    const waits = given(await api.GET("/v1/workspaces/{w}/approvals", { params: { path } }));
    return waits.items.find((one) => one.session === s);
  });
  console.log(`asked: ${card.says}`);
  // The digest names what was read: a card that changed meanwhile is refused, and nothing is done.
  const decided = given(
    await api.POST("/v1/workspaces/{w}/approvals/{apr}/decision", {
      params: { path: { w, apr: card.id }, header: { "If-Match": `"${card.digest}"`, ...key() } },
      body: { decision: "approve" },
    }),
  );
  console.log(`decided: ${decided.decision} by ${decided.decided_by}`);

  const call = await until(async () => {
    const calls = given(await api.GET("/v1/workspaces/{w}/sessions/{s}/calls", { params: { path: { w, s } } }));
    return calls.items.find((one) => one.state === "succeeded");
  });
  const zones = given(await api.GET("/v1/workspaces/{w}/zones", { params: { path } }));
  console.log(`done: ${call.command}; zones: ${zones.items.map((zone) => zone.name).join(", ")}`);
  return zones.items.map((zone) => zone.name);
};
