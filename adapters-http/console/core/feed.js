// Keeps what is shown up to date. The server's events say that something changed; what is read is always read whole, so
// nothing is missing and nothing stands twice, whatever was lost on the way. Without that route it is asked for.

import { all, ask, NoAnswer, Problem } from "./api.js";
import { age, forget, read } from "./inbox.js";
import { base } from "./route.js";
import { changed, state } from "./store.js";
import { follow } from "./stream.js";

/** @typedef {import("./inbox.js").Reading} Reading */

/** Milliseconds between two looks, where the server tells nothing. */
const LOOK = 1500;
/** The same while nobody sees the page, and beside a stream that works. */
const LOOK_SELDOM = 15_000;
/** Milliseconds in which changes are gathered before they are read. */
const GATHER = 80;
const AGAIN = [1000, 2000, 4000, 8000, 15_000];

/** Milliseconds between two readings of what only counts or lists others' work. */
const SELDOM = 2000;

/**
 * @typedef {(reading: Reading) => Promise<void>} Reader
 * @type {Map<Reader, { pace: number, at: number }>}
 */
const readers = new Map();
/** @returns {Reading} */
const nothing = () => ({ all: false, poll: false, sessions: new Set() });
/** What the next round is for. */
let due = nothing();
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
 * @param {Reader} reader
 * @param {{ seldom?: boolean }} [how] seldom: changes that come close together are read once
 */
export const keep = (reader, { seldom = false } = {}) => {
  readers.set(reader, { pace: seldom ? SELDOM : 0, at: Date.now() });
  // What is already known to be there is asked for at once.
  if (state.workspace) reader({ ...nothing(), all: true }).then(changed, look);
  else look();
  return () => {
    readers.delete(reader);
  };
};

/** Something happened in a session: it is read soon. @param {string} session */
export const touch = (session) => {
  due.sessions.add(session);
  look();
};

/** Anything may have changed: all is read soon. */
export const lookAll = () => {
  due.all = true;
  look();
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
  const reading = due;
  due = nothing();
  // Without events nobody tells what changed.
  if (!hasEvents) reading.all = true;
  try {
    await Promise.all(dueReaders(reading).map((reader) => reader(reading)));
    failures = 0;
    isTooMuch = false;
    state.line = { kind: hasEvents ? "live" : "asking", until: 0 };
    state.fault = null;
  } catch (error) {
    // What was not read is read again, all of it.
    due.all = true;
    // A fault of one answer, while the events come, is no loss of the connection.
    if (error instanceof NoAnswer || (error instanceof Problem && error.status >= 500 && !hasEvents)) lost();
    else if (error instanceof Problem) {
      state.line = { kind: hasEvents ? "live" : "asking", until: 0 };
      state.fault = error;
      isTooMuch = error.status === 429;
    } else throw error;
  } finally {
    isReading = false;
    changed();
    again();
  }
};

/** Those whose time has come; the others come later. @param {Reading} reading */
const dueReaders = (reading) => {
  const now = Date.now();
  let next = Infinity;
  const found = [...readers].filter(([, one]) => {
    const isDue = reading.all || reading.poll || now - one.at >= one.pace;
    if (isDue) one.at = now;
    else next = Math.min(next, one.at + one.pace - now);
    return isDue;
  });
  if (next < Infinity) {
    clearTimeout(later);
    later = setTimeout(look, next);
  }
  return found.map(([reader]) => reader);
};

/** @type {ReturnType<typeof setTimeout> | undefined} */
let later;

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
  else {
    timer = setTimeout(() => {
      due.poll = true;
      round();
    }, hasEvents || isTooMuch || document.hidden ? LOOK_SELDOM : LOOK);
  }
};

/** What waits, the commands' declarations and the names of automations. @param {Reading} reading */
const readInbox = async (reading) => {
  // The declarations come first: without them a card would be drawn twice, in two orders.
  await Promise.all([read(reading), names]);
  const unknown = (state.inbox ?? []).some((item) => item.kind === "approval" && !state.commands.has(item.command));
  if (unknown && !isAsked) {
    isAsked = true;
    await readNames();
  }
};

/** The declarations were read for a command that is in none: once is enough. */
let isAsked = false;

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
  hasBegun = false;
  forget();
  due.all = true;
  isAsked = false;
  names = readNames().catch(() => {});
  readers.set(readInbox, { pace: 0, at: 0 });
  readers.set(readWork, { pace: SELDOM, at: 0 });
  const w = state.workspace?.key ?? "";
  /** @type {() => void} */
  let opened = () => {};
  const isOpened = new Promise((done) => (opened = () => done(undefined)));
  letGo = follow((after) => `${base}/v1/workspaces/${encodeURIComponent(w)}/events?after=${encodeURIComponent(after ?? "now")}`, {
    frame: (frame) => {
      if (frame.type === "goodbye") state.line = { kind: "restarts", until: Date.now() };
      for (const listener of listeners) listener(frame);
      told(frame);
    },
    state: (now) => {
      hasEvents = now === "open";
      if (hasEvents && state.line.kind === "lost") {
        state.line = { kind: "live", until: 0 };
        changed();
      }
      // What happened while nobody listened is not told.
      if (hasBegun || now !== "open") due.all = true;
      opened();
      if (hasBegun) look();
    },
  });
  // What happens from here on is told, so nothing is missed and nothing is read twice. A stream that is slow is not waited for.
  await Promise.race([isOpened, new Promise((done) => setTimeout(done, OPENING))]);
  hasBegun = true;
  await round();
};

/** Milliseconds that a first reading waits for its stream. */
const OPENING = 150;

/** It was read before. */
let hasBegun = false;

/** Kinds of what cards show values of; their change alone changes no list of what waits. */
const RESOURCES = new Set(["zone", "tool", "entry"]);

/** Entries by which nothing begins to wait and nothing is decided: a slot was given or taken. */
const QUIET = new Set(["StandingChanged"]);

/** @param {import("./stream.js").Frame} frame */
const told = ({ type, data }) => {
  if (type === "entry" && QUIET.has(data?.label)) return;
  if (type === "entry" && data?.session) touch(data.session);
  else if (type === "changed" && RESOURCES.has(data?.kind)) {
    age();
    look();
  } else if (type === "changed") {
    readNames().catch(() => {});
    lookAll();
  } else if (type === "resync") lookAll();
  else if (type !== "beat" && type !== "hello") look();
};

/** Ends: nothing of the workspace stays, and nobody is asked any more. */
export const end = () => {
  letGo?.();
  letGo = null;
  forget();
  hasBegun = false;
  Object.assign(state, { me: null, workspace: null, workspaces: [], working: 0, news: [], fault: null });
  state.commands.clear();
  state.automations.clear();
};

addEventListener("online", lookAll);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) lookAll();
});
