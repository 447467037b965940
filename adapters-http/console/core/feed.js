// Keeps what is shown up to date. The server's events say that something changed; what is read is always read whole, so
// nothing is missing and nothing stands twice, whatever was lost on the way. Without that route it is asked for.

import { all, ask, NoAnswer, Problem } from "./api.js";
import { base } from "./route.js";
import { changed, state } from "./store.js";
import { follow } from "./stream.js";

/** Milliseconds between two looks, where the server tells nothing. */
const LOOK = 1500;
/** The same while nobody sees the page, and beside a stream that works. */
const LOOK_SELDOM = 15_000;
/** Milliseconds in which changes are gathered before they are read. */
const GATHER = 80;
const AGAIN = [1000, 2000, 4000, 8000, 15_000];

/** @type {Set<() => Promise<void>>} */
const readers = new Set();
/** @type {Set<(frame: import("./stream.js").Frame) => void>} */
const listeners = new Set();
let hasEvents = false;
let failures = 0;
/** The server wants to be asked less. */
let isTooMuch = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let isReading = false;
let isWanted = false;
/** A reading is due within `GATHER`. */
let isSoon = false;
/** @type {(() => void) | null} */
let letGo = null;

/**
 * Reads again whenever something changed, until it is let go.
 * @param {() => Promise<void>} reader
 */
export const keep = (reader) => {
  readers.add(reader);
  // What is already known to be there is asked for at once.
  if (state.workspace) reader().then(changed, look);
  else look();
  return () => {
    readers.delete(reader);
  };
};

/** @param {(frame: import("./stream.js").Frame) => void} told */
export const hear = (told) => {
  listeners.add(told);
  return () => {
    listeners.delete(told);
  };
};

/** Reads soon: changes that keep coming do not put it off. */
export const look = () => {
  if (isSoon) return;
  clearTimeout(timer);
  isSoon = true;
  timer = setTimeout(round, GATHER);
};

const round = async () => {
  isSoon = false;
  if (isReading) {
    isWanted = true;
    return;
  }
  isReading = true;
  isWanted = false;
  try {
    await Promise.all([...readers].map((reader) => reader()));
    failures = 0;
    isTooMuch = false;
    state.line = { kind: hasEvents ? "live" : "asking", until: 0 };
    state.fault = null;
  } catch (error) {
    if (error instanceof NoAnswer || (error instanceof Problem && error.status >= 500)) lost();
    else if (error instanceof Problem) {
      state.fault = error;
      isTooMuch = error.status === 429;
    } else throw error;
  } finally {
    isReading = false;
    changed();
    again();
  }
};

const lost = () => {
  const pause = AGAIN[Math.min(failures, AGAIN.length - 1)] ?? 15_000;
  failures += 1;
  state.line = { kind: "lost", until: Date.now() + pause };
};

const again = () => {
  if (isWanted) look();
  if (isSoon) return;
  clearTimeout(timer);
  if (state.line.kind === "lost") timer = setTimeout(round, Math.max(200, state.line.until - Date.now()));
  else timer = setTimeout(round, hasEvents || isTooMuch || document.hidden ? LOOK_SELDOM : LOOK);
};

/** What waits, the commands' declarations and the names of automations. */
const readInbox = async () => {
  const w = state.workspace?.key;
  if (!w) return;
  // The declarations come first: without them a card would be drawn twice, in two orders.
  const [inbox] = await Promise.all([all("list_inbox", { w }), names]);
  if (state.workspace?.key === w) state.inbox = inbox;
};

/** @type {Promise<void>} */
let names = Promise.resolve();

const readNames = async () => {
  const w = state.workspace?.key;
  if (!w) return;
  const [commands, automations] = await Promise.all([all("list_commands", { w }), all("list_automations", { w })]);
  if (state.workspace?.key !== w) return;
  state.commands = new Map(commands.map((command) => [command.name, command]));
  state.automations = new Map(automations.map((automation) => [automation.id, automation.name]));
};

const readWork = async () => {
  const w = state.workspace?.key;
  if (!w) return;
  const { data } = await ask("list_sessions", { w }, { query: { standing: "active", limit: 200 } });
  state.working = data.items.filter((/** @type {{ phase: string }} */ one) => one.phase !== "IDLE").length;
};

/** Begins with a workspace; what was shown of another one goes. */
export const begin = async () => {
  letGo?.();
  hasEvents = false;
  state.inbox = null;
  readers.delete(readInbox);
  readers.delete(readWork);
  names = readNames().catch(() => {});
  readers.add(readInbox);
  readers.add(readWork);
  const w = state.workspace?.key ?? "";
  letGo = follow((after) => `${base}/v1/workspaces/${encodeURIComponent(w)}/events?after=${encodeURIComponent(after ?? "now")}`, {
    frame: (frame) => {
      if (frame.type === "goodbye") state.line = { kind: "restarts", until: Date.now() };
      if (frame.type === "changed") readNames().catch(() => {});
      for (const listener of listeners) listener(frame);
      if (frame.type !== "beat" && frame.type !== "hello") look();
    },
    state: (now) => {
      hasEvents = now === "open";
      look();
    },
  });
  await round();
};

/** Ends: nothing of the workspace stays, and nobody is asked any more. */
export const end = () => {
  letGo?.();
  letGo = null;
  Object.assign(state, { me: null, workspace: null, workspaces: [], inbox: null, working: 0, news: [], fault: null });
  state.commands.clear();
  state.automations.clear();
};

addEventListener("online", look);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) look();
});
