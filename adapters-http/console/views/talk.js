// The conversation that is open, as the server has it, and what the model says just now.

import { ask, NoAnswer, Problem } from "../core/api.js";
import { keep, touch } from "../core/feed.js";
import { forgetFiles } from "../core/files.js";
import { openHere } from "../core/inbox.js";
import { base } from "../core/route.js";
import { changed, state } from "../core/store.js";
import { follow } from "../core/stream.js";
import { refusalOf } from "../parts/text.js";

/**
 * @typedef {import("../core/shapes").MessageShape} Message
 * @typedef {import("../core/shapes").CallShape} Call
 * @typedef {import("../core/shapes").FileShape} FileShape
 * @typedef {import("../core/shapes").AgentShape} Agent
 * @typedef {{ id: string, command: string, state: string, progress?: import("../parts/call-line.js").Progress | null }} LevelCall
 * @typedef {{ attempt: unknown, text: string, reasoning: string, lost: boolean }} Live
 */

/** Messages of a page, and how many are kept at most. */
const PAGE = 100;
const MOST = 400;

export const talk = {
  session: "",
  /** @type {any} */ view: null,
  /** @type {Message[]} the oldest first */ messages: [],
  /** @type {Map<string, Call>} */ calls: new Map(),
  /** @type {Map<string, import("../parts/call-line.js").Progress>} what running calls say of themselves */ progress: new Map(),
  /** @type {Agent[]} those below the session, each before those below it */ agents: [],
  /** @type {Live | null} */ live: null,
  /** @type {Problem | null} */ fault: null,
  isWhole: false,
  /** @type {string | null} */ next: null,
  look: () => touch(talk.session),
  older: () => older(),
  /** The calls that a reply asked for. @param {Message} message */
  callsOf: (message) => callsBy().get(message.id) ?? [],
  /** The files that a call brought. @param {Call} call */
  filesOf: (call) => filesBy().get(call.id),
  /** The agent that a call made, and those below it. @param {Call} call @returns {Agent[]} */
  agentsOf: (call) => {
    const [own, ...after] = talk.agents.slice(talk.agents.findIndex((agent) => agent.call === call.id));
    if (own?.call !== call.id) return [];
    const end = after.findIndex((agent) => agent.depth <= own.depth);
    return [own, ...(end < 0 ? after : after.slice(0, end))];
  },
  /** @param {Message} message */
  answerTo: (message) => {
    const at = talk.messages.indexOf(message);
    const next = talk.messages.slice(at + 1).find((one) => one.role !== "system");
    return next?.role === "user" ? next.text : "";
  },
  /** What was said, without what still waits. */
  said: () => (talk.waits.size > 0 ? talk.messages.filter((message) => !talk.waits.has(message.id)) : talk.messages),
  /** Messages that wait for the next model call. */
  queued: () => talk.messages.filter((message) => talk.waits.has(message.id)),
  /** The ids of these. @type {Set<string>} */ waits: new Set(),
  /** The tag of what of the session may be edited. */
  tag: "",
  /** What the composer's button does. @returns {"send" | "queue" | "replace"} */
  mode: () => {
    if (talk.view?.phase === "WAITING_COMMUNICATION_RESPONSE") return "replace";
    return talk.view?.standing === "active" && talk.view.phase !== "IDLE" ? "queue" : "send";
  },
  /** The number of the entry that brought a message; unknown where its id does not tell. @param {Message} message */
  sequenceOf: (message) => sequence(message.id),
};

/** The number of the entry that an id was made in. @param {string} id */
const sequence = (id) => Number(/_(\d+)_\d+$/.exec(id)?.[1]) || null;

/** @type {{ calls: Map<string, Call> | null, messages: Message[] | null, found: Map<string, Call[]> }} */
let cached = { calls: null, messages: null, found: new Map() };

const callsBy = () => {
  if (cached.calls === talk.calls && cached.messages === talk.messages) return cached.found;
  const replies = talk.messages.filter((message) => message.role === "ai");
  /** @type {Map<string, Call[]>} */
  const found = new Map();
  for (const call of talk.calls.values()) {
    const asked = replies.findLast((reply) => sequence(reply.id) === sequence(call.id)) ?? replies.findLast((reply) => reply.at <= call.requested_at);
    if (asked) found.set(asked.id, [...(found.get(asked.id) ?? []), call]);
  }
  cached = { calls: talk.calls, messages: talk.messages, found };
  return found;
};

/** @type {{ messages: Message[] | null, found: Map<string, FileShape[]> }} */
let results = { messages: null, found: new Map() };

const filesBy = () => {
  if (results.messages === talk.messages) return results.found;
  const brought = talk.messages.flatMap((message) => message.results ?? []).filter((result) => result.files?.length > 0);
  results = { messages: talk.messages, found: new Map(brought.map((result) => [result.call, result.files])) };
  return results.found;
};

/** @type {(() => void)[]} */
let stops = [];
let isOlder = false;
/** The last status of the session, without the progress of its calls. */
let level = "";

const where = () => ({ w: state.workspace?.key ?? "", s: talk.session });

/** @param {import("../core/inbox.js").Reading} [reading] */
const read = async (reading) => {
  const { session } = talk;
  if (!session || !state.workspace) return;
  if (reading && !reading.all && !reading.poll && !reading.sessions.has(session)) return;
  try {
    const [view, page, calls] = await Promise.all([
      ask("get_session", where()),
      ask("list_messages", where(), { query: { limit: PAGE } }),
      ask("list_calls", where(), { query: { limit: 200 } }),
    ]);
    if (talk.session !== session) return;
    const before = talk.view?.phase;
    talk.view = view.data;
    talk.tag = view.tag ?? "";
    talk.waits = new Set(view.data.queued_messages);
    merge(page.data);
    talk.calls = new Map([...talk.calls, ...calls.data.items.map((/** @type {Call} */ call) => [call.id, call])]);
    await readAgents(session);
    // Words that were told are now a message, or were given up.
    if (talk.live && before === "CALLING_AI" && view.data.phase !== "CALLING_AI") talk.live = null;
    if (talk.fault?.status === 404) talk.fault = null;
  } catch (error) {
    talk.fault = refusalOf(error);
  }
  changed();
};

/** The agents of a session that called some; others are not asked for. @param {string} session */
const readAgents = async (session) => {
  if (![...talk.calls.values()].some((call) => call.command.startsWith("agents."))) return;
  const { data } = await ask("list_agents", where());
  if (talk.session === session) talk.agents = data.agents;
};

/** @param {{ items: Message[], next: string | null }} page the latest first */
const merge = (page) => {
  const fresh = [...page.items].reverse();
  const ids = new Set(fresh.map((message) => message.id));
  const oldest = fresh[0];
  const kept = oldest ? talk.messages.filter((message) => !ids.has(message.id) && message.at <= oldest.at) : [];
  const same = kept.length + fresh.length === talk.messages.length && fresh.every((message, at) => isSame(talk.messages[kept.length + at], message));
  if (same) return;
  // One that did not change stays the same object, so it is not drawn again.
  const known = new Map(talk.messages.map((message) => [message.id, message]));
  talk.messages = [...kept, ...fresh.map((message) => {
    const old = known.get(message.id);
    return old && isSame(old, message) ? old : message;
  })];
  if (kept.length === 0) {
    talk.next = page.next;
    talk.isWhole = page.next === null;
  }
};

/** @param {Message | undefined} a @param {Message} b */
const isSame = (a, b) => JSON.stringify(a) === JSON.stringify(b);

const older = async () => {
  const { session } = talk;
  if (isOlder || !talk.next || talk.messages.length >= MOST) return;
  isOlder = true;
  const box = document.querySelector(".talk-scroll");
  const below = box ? box.scrollHeight - box.scrollTop : 0;
  try {
    const { data } = await ask("list_messages", where(), { query: { limit: PAGE, after: talk.next } });
    if (talk.session !== session) return;
    const ids = new Set(talk.messages.map((message) => message.id));
    talk.messages = [...data.items.reverse().filter((/** @type {Message} */ message) => !ids.has(message.id)), ...talk.messages];
    talk.next = data.next;
    talk.isWhole = data.next === null;
    changed();
    // What is being read stays where it is.
    setTimeout(() => {
      if (box) box.scrollTop = box.scrollHeight - below;
    }, 20);
  } catch (error) {
    if (!(error instanceof NoAnswer) && !(error instanceof Problem)) throw error;
  } finally {
    isOlder = false;
  }
};

/** @param {import("../core/stream.js").Frame} frame */
const hear = ({ type, data }) => {
  const { live } = talk;
  switch (type) {
    case "stream_start":
      // One that is told again, after the connection broke, keeps its words.
      if (live?.attempt !== data.attempt) talk.live = { attempt: data.attempt, text: "", reasoning: "", lost: false };
      break;
    case "stream_chunk": {
      const at = live && live.attempt === data.attempt ? live : { attempt: data.attempt, text: "", reasoning: "", lost: false };
      const name = data.channel === "reasoning" ? "reasoning" : "text";
      talk.live = { ...at, [name]: at[name] + data.text };
      break;
    }
    case "stream_complete":
      read().then(() => {
        if (talk.live?.attempt === data.attempt) talk.live = null;
        changed();
      }, () => {});
      return;
    case "stream_superseded":
      if (live) talk.live = { ...live, lost: true };
      break;
    case "beat":
      return;
    case "session": {
      talk.progress = new Map(data.calls.filter((/** @type {LevelCall} */ call) => call.progress).map((/** @type {LevelCall} */ call) => [call.id, call.progress]));
      const rest = JSON.stringify({ ...data, calls: data.calls.map((/** @type {LevelCall} */ call) => ({ ...call, progress: null })) });
      // Progress alone is no reason to read the session again.
      if (rest !== level) talk.look();
      level = rest;
      break;
    }
    case "resync":
      talk.live = null;
      talk.look();
      return;
    default:
      talk.look();
      return;
  }
  changed();
};

/** @param {string} session */
export const begin = (session) => {
  Object.assign(talk, { session, view: null, tag: "", waits: new Set(), messages: [], calls: new Map(), progress: new Map(), agents: [], live: null, fault: null, isWhole: false, next: null });
  openHere(session);
  stops.push(keep(read));
  const path = () => `${base}/v1/workspaces/${encodeURIComponent(state.workspace?.key ?? "")}/sessions/${encodeURIComponent(session)}/stream`;
  // Begins once it is known whose session it is.
  const start = () => {
    if (talk.session !== session) return;
    if (!state.workspace) {
      setTimeout(start, 100);
      return;
    }
    stops.push(follow((after) => `${path()}?after=${encodeURIComponent(after ?? "now")}`, { frame: (frame) => talk.session === session && hear(frame), state: () => talk.look() }));
  };
  start();
};

export const end = () => {
  forgetFiles();
  for (const stop of stops) stop();
  stops = [];
  openHere("");
  talk.session = "";
  talk.view = null;
  talk.messages = [];
  talk.agents = [];
  talk.live = null;
};
