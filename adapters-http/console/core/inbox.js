// What waits, as far as it is shown: pages of the list, how many there are, and the items of the session that is open. What
// happened in a session is read of that session alone; the list is read anew only where nobody knows what changed.

import { ask } from "./api.js";
import { state } from "./store.js";

/** @typedef {import("./store.js").Item} Item */
/** What a round of reading is for: all that may have changed, a look whether anything did, or these sessions. @typedef {{ all: boolean, poll: boolean, sessions: Set<string> }} Reading */

/** Items of a page. */
const PAGE = 50;
/** Items of a page where a person asked for all of them. */
const PAGE_OF_ALL = 200;
/** Sessions that are read one by one; of more the list is read. */
const SESSIONS = 6;
/** Items that are read for a selection at most. */
const MOST = 2000;

/** What is sought, as the server takes it. @type {Record<string, string>} */
let sought = {};
let order = "age";
/** The item that is open; empty: none. */
let open = "";
/** The session whose conversation is open; empty: none. */
let here = "";
/** Values of resources may stand otherwise on cards that were read before. */
let isStale = false;
/** The list is due as a whole. */
let isDue = true;

const w = () => state.workspace?.key ?? "";

/** @typedef {{ items: Item[], marks?: { id: string, version: string }[], next: string | null, total?: number, waiting?: number, snoozed?: number }} Page */

/** The version of each item that was read. @type {Map<string, string>} */
const versions = new Map();

/** @param {import("./api.js").Query} query @returns {Promise<Page>} */
const list = async (query) => {
  /** @type {Page} */
  const page = (await ask("list_inbox", { w: w() }, { query })).data;
  if (page.items.length === 0) return page;
  for (const { id, version } of page.marks ?? []) {
    versions.set(id, version);
    stale.delete(id);
  }
  return page;
};

/** Milliseconds: an approval with less time left is to be decided first. */
const SOON = 86_400_000;

/** What each rank of an item holds. */
export const RANK = { unsettled: 0, answer: 1, expiring: 2, decide: 3, see: 4, off: 5 };

/** Unknown outcomes, then what somebody has to answer, what expires soon, what else is to be decided, what is only to be seen, what is off; as the server ranks it. @param {Item} item */
export const rank = (item) => {
  if (item.kind === "task") return item.question ? RANK.answer : RANK.see;
  if (item.kind === "approval" && Date.parse(item.expires_at) - state.now < SOON) return RANK.expiring;
  return { unsettled: RANK.unsettled, question: RANK.answer, tools: RANK.answer, approval: RANK.decide, parked: RANK.decide, ended: RANK.see, failed: RANK.see, ungranted: RANK.see, off: RANK.off }[item.kind];
};

/** Where an item stands in the list, as the server sorts it. @param {Item} item @returns {string} */
const place = (item) => {
  const group = order === "session" ? `${item.session_name} ${item.session} ` : order === "automation" ? `${item.automation ?? "~"} ` : "";
  return `${group}${rank(item)} ${item.asked_at} ${item.id}`;
};

/** @param {Item} a @param {Item} b */
const compare = (a, b) => {
  const [one, other] = [place(a), place(b)];
  return one < other ? -1 : one > other ? 1 : 0;
};

/** @param {{ total?: number, waiting?: number, snoozed?: number, items: Item[] }} page */
const count = (page) => {
  state.total = page.total ?? page.items.length;
  state.waiting = page.waiting ?? state.total;
  state.snoozed = page.snoozed ?? 0;
};

/** @returns {Promise<void>} */
const readFirst = async () => {
  const asked = sought;
  const page = await list({ ...sought, order, limit: PAGE });
  if (asked !== sought) return readFirst();
  const [last, known] = [page.items.at(-1), new Set(page.items.map((item) => item.id))];
  // Pages below the first one stay: what happens in their sessions is read by itself.
  const below = page.next && last ? (state.inbox ?? []).filter((item) => !known.has(item.id) && compare(item, last) > 0) : [];
  state.inbox = [...page.items, ...below];
  if (below.length === 0) state.next = page.next;
  count(page);
  isStale = false;
  await readFolded();
};

/** Approvals on the cards of servers that are read one by one at most. */
const FOLDED = 20;

/** The approvals that stand on the card of their server, wherever they stand in the list. */
const readFolded = async () => {
  const ids = (state.inbox ?? []).flatMap((item) => (item.kind === "tools" ? item.waiting : []));
  const missing = ids.filter((id) => !state.inbox?.some((item) => item.id === id)).slice(0, FOLDED);
  state.folded = (await Promise.all(missing.map(async (id) => (await list({ only_item: id })).items.filter((item) => item.id === id)))).flat();
};

/** Items that are read one by one; where more are missing, all of their session are. */
const ONE_BY_ONE = 3;

/** Items that were read and stand on no page yet. @type {Map<string, Item>} */
const beyond = new Map();

/** Cards that are not as they were read: each is read when it is opened, all of them with the next look. @type {Set<string>} */
const stale = new Set();

/**
 * What waits in a session now. What is as it was read is not sent again.
 * @param {string} session
 * @param {import("./api.js").Query} query
 * @param {Item[]} shown what of the session is shown
 * @param {boolean} isWhole cards are shown whole, not as rows
 * @returns {Promise<[items: Item[], page: Page]>}
 */
const itemsOf = async (session, query, shown, isWhole) => {
  const of = (/** @type {Page} */ page) => page.items.filter((item) => item.session === session);
  const known = new Map([...[...beyond.values()].filter((item) => item.session === session), ...shown].map((item) => [item.id, item]));
  const whole = { ...query, only_session: session, limit: PAGE_OF_ALL };
  const page = await list({ ...whole, brief: true });
  if (!page.marks) return [of(page), page];
  const news = page.marks.filter(({ id, version }) => {
    const item = known.get(id);
    if (!item) return true;
    if (versions.get(id) === version) return false;
    if (isWhole || item.kind !== "approval") return true;
    stale.add(id);
    return false;
  });
  if (news.length > ONE_BY_ONE) return [of(await list(whole)), page];
  for (const { id } of news) for (const item of of(await list({ ...query, only_item: id }))) known.set(id, item);
  return [page.marks.flatMap(({ id }) => known.get(id) ?? []), page];
};

/** @param {string} session */
const readSession = async (session) => {
  const asked = sought;
  const query = { ...sought, order };
  const shown = (state.inbox ?? []).filter((item) => item.session === session);
  const last = state.inbox?.at(-1);
  let [fresh, page] = [/** @type {Item[]} */ ([]), /** @type {Page | null} */ (null)];
  if (shown.length === 0 && state.next && last) {
    // Of a session that stands on no page that was read, its first item tells whether it does now.
    page = await list({ ...query, only_session: session, limit: 1 });
    const first = page.items.find((item) => item.session === session);
    if (first && compare(first, last) < 0) [fresh, page] = await itemsOf(session, query, [first], false);
  } else [fresh, page] = await itemsOf(session, query, shown, false);
  if (asked !== sought || !state.inbox) return;
  const known = new Set(state.inbox.map((item) => item.id));
  // What stands on a page that was not read is there once it is read.
  const listed = fresh.filter((item) => known.has(item.id) || !state.next || !last || compare(item, last) < 0);
  for (const item of fresh) if (!listed.includes(item)) beyond.set(item.id, item);
  state.inbox = [...state.inbox.filter((item) => item.session !== session), ...listed].sort(compare);
  count(page);
};

/** What waits in the conversation that is open, also what the person snoozes: a conversation never stands still without its reason. */
const readHere = async () => {
  const session = here;
  if (!session) return;
  const [items, page] = await itemsOf(session, {}, state.here, true);
  const snoozed = page.snoozed ? (await itemsOf(session, { snoozed: "true" }, state.here, true))[0] : [];
  const known = new Set(items.map((item) => item.id));
  if (here === session) state.here = [...items, ...snoozed.filter((item) => !known.has(item.id))];
};

/** The item that is open, where no page has it, or where what its card shows may have changed. */
const readOpen = async () => {
  const id = open;
  const listed = state.inbox?.some((item) => item.id === id);
  if (!id || (listed && !isStale && !stale.has(id))) return;
  const page = await list({ only_item: id });
  if (open !== id) return;
  const found = page.items.find((item) => item.id === id) ?? null;
  if (listed && found) state.inbox = (state.inbox ?? []).map((item) => (item.id === id ? found : item));
  else state.apart = found;
  checked = id;
};

/** The open item that was looked for. */
let checked = "";

/** Whether it is known that an item waits no more. @param {string} id */
export const isGone = (id) => Boolean(state.inbox) && state.apart?.id !== id && checked === id;

/** @param {Reading} reading */
export const read = async (reading) => {
  if (!w()) return;
  const whole = isDue || reading.all || !state.inbox || reading.sessions.size > SESSIONS;
  // One that fails is due again.
  isDue = true;
  if (whole || (reading.poll && stale.size > 0)) await Promise.all([readFirst(), readHere()]);
  else {
    if (reading.poll) await look();
    await Promise.all([...reading.sessions].map(readSession));
    if (reading.sessions.has(here) || reading.poll) await readHere();
  }
  isDue = false;
  await readOpen();
};

/** Whether there are as many as before; where not, the list is read. */
const look = async () => {
  const page = await list({ ...sought, order, limit: 1 });
  if ((page.waiting ?? page.items.length) !== state.waiting || (page.total ?? page.items.length) !== state.total || (page.snoozed ?? 0) !== state.snoozed) await readFirst();
};

let isLoading = false;

/** Reads the next page. @param {number} [limit] */
export const more = async (limit = PAGE) => {
  if (isLoading || !state.next || !state.inbox) return;
  isLoading = true;
  try {
    const asked = sought;
    const page = await list({ ...sought, order, limit, after: state.next });
    if (asked !== sought || !state.inbox) return;
    const known = new Set(page.items.map((item) => item.id));
    state.inbox = [...state.inbox.filter((item) => !known.has(item.id)), ...page.items].sort(compare);
    state.next = page.next;
    count({ total: state.total, waiting: state.waiting, snoozed: state.snoozed, ...page });
  } finally {
    isLoading = false;
  }
};

/** Reads all pages of what is sought; false where there are more than may be selected. */
export const readAll = async () => {
  if (!state.inbox) await readFirst();
  while (state.next && (state.inbox?.length ?? 0) < MOST) {
    const before = state.next;
    await more(PAGE_OF_ALL);
    if (state.next === before) return false;
  }
  return !state.next;
};

/** Seeks something else, or in another order. @param {Record<string, string>} wanted @param {string} by */
export const seek = (wanted, by) => {
  sought = { ...wanted };
  order = by;
  state.next = null;
  state.inbox = null;
  beyond.clear();
  isDue = true;
};

/** @param {string} id */
export const openItem = (id) => {
  open = id;
  checked = "";
  if (state.apart?.id !== id) state.apart = null;
};

/** @param {string} session */
export const openHere = (session) => {
  here = session;
  state.here = [];
};

/** A resource changed: cards that show its values are read again when they are opened. */
export const age = () => {
  isStale = true;
};

/** Forgets the items of the workspace. The search stays: its fields stay too, and were restored before the workspace was known. */
export const forget = () => {
  Object.assign(state, { inbox: null, next: null, total: 0, waiting: 0, snoozed: 0, here: [], folded: [], apart: null });
  beyond.clear();
  isDue = true;
};
