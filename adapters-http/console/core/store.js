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
  /** @type {Item[] | null} */ inbox: null,
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

/** @param {() => void} drawing */
export const drawWith = (drawing) => {
  draw = drawing;
};

/** Something changed: it is drawn with the next frame, once. */
export const changed = () => {
  if (isDue) return;
  isDue = true;
  const run = () => {
    isDue = false;
    draw();
  };
  // A tab that is not seen has no frames, and its title counts all the same.
  if (document.hidden) setTimeout(run, 50);
  else requestAnimationFrame(run);
};

/** Draws at once: a click is answered in its own frame. */
export const drawNow = () => draw();

/** @param {string} scope */
export const may = (scope) => {
  const scopes = state.me?.token.scopes ?? [];
  return scopes.includes("admin") || scopes.includes(scope);
};

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

/** All that waits, but for the approvals that stand on the card of the server they wait for. */
export const listed = () => {
  const folded = new Set((state.inbox ?? []).flatMap((item) => (item.kind === "tools" ? item.waiting : [])));
  return (state.inbox ?? []).filter((item) => !folded.has(item.id));
};
