// @ts-check
// Shows the words of a session as they come, without loss or repeat, also while the server is killed and started again:
//   node stream.mjs http://127.0.0.1:8723 TOKEN WORKSPACE SESSION [AFTER] [--once]
// AFTER is the id of the last frame that was read, 0 for everything, or now. With --once it ends when the next answer is whole and the session rests.

import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";

// Longer than the server is ever silent: server.stream_beat is 15 s.
const SILENCE_MS = 45_000;

/**
 * @typedef {{ id: string | null, type: string, data: any }} Frame
 * @typedef {{ words: (text: string) => void, takenBack: (reason: string) => void, whole: (text: string) => void, session: (level: any) => void, readAgain: () => void }} Watcher
 */

/**
 * Reads the frames of one connection.
 * @param {ReadableStream<Uint8Array>} body
 * @returns {AsyncGenerator<Frame>}
 */
async function* frames(body) {
  let rest = "";
  for await (const piece of body.pipeThrough(/** @type {any} */ (new TextDecoderStream()))) {
    rest += piece;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const fields = new Map();
      for (const line of rest.slice(0, end).split("\n")) fields.set(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2));
      rest = rest.slice(end + 2);
      yield { id: fields.get("id") ?? null, type: fields.get("event") ?? "", data: JSON.parse(fields.get("data") ?? "null") };
    }
  }
}

/**
 * Follows a session for ever, or until `watcher.session` returns true.
 * @param {{ url: string, token: string, workspace: string, session: string, after?: string }} what
 * @param {Watcher} watcher
 */
export async function follow({ url, token, workspace, session, after = "now" }, watcher) {
  const path = `${url}/v1/workspaces/${encodeURIComponent(workspace)}/sessions/${encodeURIComponent(session)}/stream`;
  let cursor = after;
  let timeline = "";
  let text = "";
  for (let pause = 250; ; ) {
    const silence = new AbortController();
    let watchdog;
    try {
      const query = new URLSearchParams({ after: cursor, ...(timeline && { timeline }) });
      const answer = await fetch(`${path}?${query}`, { headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" }, signal: silence.signal });
      if (answer.status === 429 || answer.status >= 500) throw new Error(`HTTP ${answer.status}`);
      if (!answer.ok || !answer.body) return Promise.reject(Object.assign(new Error(await answer.text()), { isFinal: true }));
      for await (const frame of frames(answer.body)) {
        clearTimeout(watchdog);
        watchdog = setTimeout(() => silence.abort(), SILENCE_MS);
        pause = 250;
        if (frame.id !== null) cursor = frame.id;
        const { data } = frame;
        if (frame.type === "hello") timeline = data.timeline;
        else if (frame.type === "stream_start") text = "";
        else if (frame.type === "stream_chunk" && data.channel === "text") {
          text += data.text;
          watcher.words(data.text);
        } else if (frame.type === "stream_superseded") {
          text = "";
          watcher.takenBack(data.reason);
        } else if (frame.type === "stream_complete") {
          const sum = createHash("sha256").update(text).digest("hex");
          if (sum !== data.sha256) throw Object.assign(new Error(`words are missing: ${JSON.stringify(text)}`), { isFinal: true });
          watcher.whole(text);
        } else if (frame.type === "resync") {
          text = "";
          watcher.readAgain();
        } else if (frame.type === "session" && watcher.session(data)) return;
        else if (frame.type === "goodbye") pause = data.retry_ms;
      }
    } catch (error) {
      if (/** @type {any} */ (error).isFinal) throw error;
      // The server is gone or starts again: the cursor stays.
    } finally {
      clearTimeout(watchdog);
    }
    await new Promise((done) => setTimeout(done, pause));
    pause = Math.min(pause * 2, 5000);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [url, token, workspace, session, ...more] = process.argv.slice(2);
  const once = more.includes("--once");
  const after = more.find((one) => one !== "--once");
  let isWhole = false;
  await follow({ url, token, workspace, session, after }, {
    words: (text) => void process.stdout.write(text),
    takenBack: (reason) => void process.stdout.write(`\n[taken back: ${reason}]\n`),
    whole: () => {
      isWhole = true;
      process.stdout.write("\n");
    },
    session: ({ phase }) => once && isWhole && phase === "IDLE",
    readAgain: () => void process.stdout.write("\n[read the session again]\n"),
  });
}
