// Server-sent events over fetch: an EventSource cannot show the proof beside the cookie. A stream that breaks goes on from
// its cursor; a server without this route answers 404, and whoever asked polls instead.

import { shown } from "./api.js";

/** @typedef {{ id: string | null, type: string, data: any }} Frame */

const RETRY = [500, 1000, 2000, 4000, 8000, 15000];

/**
 * Reads one event stream to its end.
 * @param {ReadableStream<Uint8Array>} body
 * @param {(frame: Frame) => void} told
 */
export const read = async (body, told) => {
  const reader = body.pipeThrough(/** @type {any} */ (new TextDecoderStream())).getReader();
  let rest = "";
  /** @type {{ id: string | null, event: string, data: string[] }} */
  let open = { id: null, event: "", data: [] };
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (open.data.length > 0) told(frame(open));
        open = { id: null, event: "", data: [] };
        continue;
      }
      const colon = line.indexOf(":");
      const name = colon < 0 ? line : line.slice(0, colon);
      const text = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (name === "data") open.data.push(text);
      else if (name === "event") open.event = text;
      else if (name === "id") open.id = text;
    }
  }
};

/** @param {{ id: string | null, event: string, data: string[] }} open @returns {Frame} */
const frame = (open) => {
  let data = null;
  try {
    data = JSON.parse(open.data.join("\n"));
  } catch {
    // A line that is no JSON is no frame of ours.
  }
  return { id: open.id ?? data?.id ?? null, type: open.event || data?.type || "", data };
};

/** When somebody sees the page. A stream holds one of a browser's six connections, so a tab that nobody sees has none. */
const seen = () => (document.hidden ? new Promise((done) => document.addEventListener("visibilitychange", done, { once: true })) : Promise.resolve());

/**
 * Follows a stream until it is let go.
 * @param {(after: string | null) => string} url
 * @param {{ frame: (frame: Frame) => void, state: (state: "open" | "lost" | "none") => void }} told
 * @returns {() => void} lets go
 */
export const follow = (url, told) => {
  let isOver = false;
  let current = new AbortController();
  /** @type {string | null} */
  let cursor = null;
  let failed = 0;
  const hide = () => document.hidden && current.abort();
  const once = async () => {
    current = new AbortController();
    const answer = await fetch(url(cursor), { headers: { accept: "text/event-stream", ...shown() }, signal: current.signal, credentials: "same-origin" });
    if (answer.status === 404 || answer.status === 405 || answer.status === 501) return false;
    if (!answer.ok || !answer.body) throw new Error(`HTTP ${answer.status}`);
    told.state("open");
    await read(answer.body, (one) => {
      failed = 0;
      if (one.id) cursor = one.id;
      if (one.type === "resync") cursor = null;
      told.frame(one);
    });
    return true;
  };
  const run = async () => {
    while (!isOver) {
      await seen();
      try {
        if (!isOver && !(await once())) {
          told.state("none");
          break;
        }
      } catch {
        // It broke, or nobody sees it: it goes on from its cursor.
      }
      if (isOver) break;
      told.state("lost");
      const pause = RETRY[Math.min(failed, RETRY.length - 1)] ?? 15_000;
      failed += 1;
      await new Promise((done) => setTimeout(done, pause));
    }
    document.removeEventListener("visibilitychange", hide);
  };
  document.addEventListener("visibilitychange", hide);
  run();
  return () => {
    isOver = true;
    current.abort();
  };
};
