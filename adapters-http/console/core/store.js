// What is shown, in one place, and one drawing a frame of what changed.

/**
 * @typedef {import("./shapes").MeShape} Me
 * @typedef {import("./shapes").WorkspaceShape} Workspace
 * @typedef {import("./shapes").InboxShape} Item
 * @typedef {import("./shapes").CommandShape} Command
 * @typedef {{ id: number, at: number, kind: "sending" | "ok" | "warn" | "bad", text: string, href?: string }} News
 */

export const state = {
  /** @type {Me | null} */ me: null,
  /** @type {Workspace[]} */ workspaces: [],
  /** @type {Workspace | null} */ workspace: null,
  /** The pages of the inbox that were read, in the order of the list. @type {Item[] | null} */ inbox: null,
  /** Where its next page begins; null after the last. @type {string | null} */ next: null,
  /** How many items are sought, and how many there are whatever is sought. */ total: 0,
  waiting: 0,
  /** How many the person snoozes. */ snoozed: 0,
  /** What waits in the conversation that is open, wherever it stands in the list. @type {Item[]} */ here: [],
  /** Approvals on the cards of servers that stand on no page that was read. @type {Item[]} */ folded: [],
  /** An item that is open and stands on no page that was read. @type {Item | null} */ apart: null,
  /** @type {Map<string, Command>} */ commands: new Map(),
  /** @type {Map<string, string>} */ automations: new Map(),
  /** @type {News[]} */ news: [],
  /** @type {{ kind: "live" | "asking" | "lost" | "restarts", until: number }} */ line: { kind: "asking", until: 0 },
  /** @type {import("./api.js").Problem | null} */ fault: null,
  working: 0,
  now: Date.now(),
};

/** @type {() => void} */
let draw = () => {};
let isDue = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let late;

/** @param {() => void} drawing */
export const drawWith = (drawing) => {
  draw = drawing;
};

/** Milliseconds after which a change is drawn without a frame: where nobody sees the page, and where no frame comes. */
const [UNSEEN, LATE] = [50, 500];

/** Something changed: it is drawn with the next frame, once. */
export const changed = () => {
  if (isDue) return;
  isDue = true;
  const run = () => {
    clearTimeout(late);
    if (!isDue) return;
    isDue = false;
    draw();
  };
  // A tab that is not seen has no frames, and its title counts all the same; nor has one that is covered before its frame.
  late = setTimeout(run, document.hidden ? UNSEEN : LATE);
  if (!document.hidden) requestAnimationFrame(run);
};

/** Draws what is due: whoever answers a form then reads what was typed last. */
export const drawDue = () => {
  if (!isDue) return;
  clearTimeout(late);
  isDue = false;
  draw();
};

/** Draws at once: a click is answered in its own frame. */
export const drawNow = () => draw();

/** @param {string} scope */
export const may = (scope) => {
  const scopes = state.me?.token.scopes ?? [];
  return scopes.includes("admin") || scopes.includes(scope);
};

/** Whether what is about the whole server is for this person: their token reaches every workspace. */
export const isOperator = () => may("admin") && !state.me?.token.workspace;

let numbers = 0;

/**
 * Says what just happened; gives a way to say how it went on.
 * @param {News["kind"]} kind
 * @param {string} text
 * @param {string} [href]
 */
export const tell = (kind, text, href) => {
  /** @type {News} */
  const news = { id: ++numbers, at: Date.now(), kind, text, href };
  state.news = [news, ...state.news].slice(0, 20);
  changed();
  return (/** @type {News["kind"]} */ next, /** @type {string} */ words) => {
    state.news = state.news.map((one) => (one.id === news.id ? { ...one, at: Date.now(), kind: next, text: words } : one));
    changed();
  };
};

/** The items of the list, but for the approvals that stand on the card of the server they wait for. */
export const listed = () => {
  const folded = new Set((state.inbox ?? []).flatMap((item) => (item.kind === "tools" ? item.waiting : [])));
  return (state.inbox ?? []).filter((item) => !folded.has(item.id));
};

/** An item that was read, wherever it is shown. @param {string} id @returns {Item | undefined} */
export const itemOf = (id) => state.inbox?.find((item) => item.id === id) ?? state.here.find((item) => item.id === id) ?? state.folded.find((item) => item.id === id) ?? (state.apart?.id === id ? state.apart : undefined);

/** The approval of a call. @param {string} call @returns {Extract<Item, { kind: "approval" }> | undefined} */
export const itemOfCall = (call) => {
  for (const item of [...(state.inbox ?? []), ...state.here]) if (item.kind === "approval" && item.call === call) return item;
  return undefined;
};

/** Changes an item wherever it is shown; null takes it away. @param {string} id @param {Item | null} next */
export const replaceItem = (id, next) => {
  const change = (/** @type {Item[]} */ items) => items.flatMap((item) => (item.id === id ? (next ? [next] : []) : [item]));
  const before = state.inbox?.length ?? 0;
  state.inbox = change(state.inbox ?? []);
  state.here = change(state.here);
  if (state.apart?.id === id) state.apart = next;
  if (next) return;
  // The server tells how many there are with its next answer; until then one is missing.
  state.waiting = Math.max(0, state.waiting - 1);
  state.total = Math.max(0, state.total - (before - state.inbox.length));
};
