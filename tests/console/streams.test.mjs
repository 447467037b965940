// The streams as a browser's own client reads them: an EventSource, which can send no token.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, visitor } from "./browser.mjs";
import { scene } from "./scene.mjs";
import { W } from "./stage.mjs";

after(close);

// Input: an EventSource opened with a ticket; the server is killed and starts again; then the ticket's token is revoked.
// Expected: it goes on by itself, by its old address, with every entry once; after the revocation it gets nothing more.
test("eventsource_reconnects_after_restart", async () => {
  const stage = await scene();
  try {
    const made = stage.run("--json", "token", "create", "--person", "eve", "--scope", "read,chat").out;
    const eve = JSON.parse(made);
    const { page } = await visitor(stage);
    await page.goto(`${stage.url}/login`);
    const path = `/v1/workspaces/${W}/events`;
    const answer = await fetch(`${stage.url}/v1/tickets`, { method: "POST", headers: { authorization: `Bearer ${eve.secret}`, "content-type": "application/json" }, body: JSON.stringify({ path }) });
    const { ticket, lasts_ms } = await answer.json();
    assert.equal(lasts_ms, 70 * 60 * 1000, "ten minutes more than a stream lasts");
    await page.evaluate((address) => {
      globalThis.told = { entries: [], hellos: 0, ends: [], states: [] };
      const source = new EventSource(address);
      globalThis.source = source;
      source.addEventListener("hello", () => (globalThis.told.hellos += 1));
      source.addEventListener("entry", ({ data }) => globalThis.told.entries.push(JSON.parse(data).seq));
      source.addEventListener("goodbye", ({ data }) => globalThis.told.ends.push(JSON.parse(data).reason));
      source.addEventListener("error", () => globalThis.told.states.push(source.readyState));
    }, `${path}?after=0&ticket=${ticket}`);
    const told = () => page.evaluate(() => globalThis.told);
    const until = (holds, with_) => page.waitForFunction(holds, with_, { timeout: 30_000 });
    await until(() => globalThis.told.hellos === 1);
    await stage.chat(eve.secret, "before", "Hello");
    await until(() => globalThis.told.entries.length >= 3);

    await stage.kill();
    await until(() => globalThis.told.states.includes(EventSource.CONNECTING));
    await stage.serve();
    await until(() => globalThis.told.hellos === 2);
    const before = (await told()).entries.length;
    await stage.chat(eve.secret, "after", "Hello again");
    await until((count) => globalThis.told.entries.length > count, before);
    const { entries } = await told();
    assert.deepEqual(entries, [...new Set(entries)].sort((a, b) => a - b), "no entry twice, none out of order");
    const sessions = await stage.ask(stage.ann, "GET", "/sessions");
    const journals = await Promise.all(sessions.items.map(({ id }) => stage.ask(stage.ann, "GET", `/sessions/${id}/journal?limit=200`)));
    const stored = journals.flatMap(({ items }) => items.map(({ seq }) => seq)).filter((seq) => seq <= entries.at(-1));
    assert.deepEqual(entries, stored.sort((a, b) => a - b), "none is missing");

    // A second one by the same ticket takes its place; the first is told, and waits a minute before it comes back.
    const second = await fetch(`${stage.url}${path}?ticket=${ticket}`);
    assert.equal(second.status, 200);
    await until(() => globalThis.told.ends.includes("replaced"));
    await second.body.cancel();

    stage.run("token", "revoke", eve.token ?? eve.id);
    await page.evaluate((address) => (globalThis.again = new EventSource(address)), `${path}?ticket=${ticket}`);
    await until(() => globalThis.again.readyState === EventSource.CLOSED);
  } finally {
    await stage.end();
  }
});
