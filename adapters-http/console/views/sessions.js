// Sessions: the list, and the conversation, the timeline or a prompt of the one that is open.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { ask, NoAnswer, Problem } from "../core/api.js";
import { keep, lookAll } from "../core/feed.js";
import { go, to } from "../core/route.js";
import { changed, may, state } from "../core/store.js";
import { ago, instant } from "../core/time.js";
import { named, t } from "../core/words.js";
import { reveal, windowed } from "../core/window.js";
import { NEW } from "../parts/composer.js";
import { icon, kbd } from "../parts/icons.js";
import { lookForModel, modelOffer } from "../parts/model-offer.js";
import { problem, refusalOf, seen } from "../parts/text.js";
import chat from "./chat.js";

/** @typedef {import("../core/shapes").SessionItem} Session */
/** @typedef {{ kind: "group", name: string } | { kind: "session", session: Session }} Row */

const ROW = 56;
/** Sessions of a page. */
const PAGE = 50;

/** Pages beside the list that are no session. @type {Record<string, () => Promise<{ default: NonNullable<typeof view.detail> }>>} */
const PAGES = { tasks: () => import("../parts/tasks.js"), since: () => import("../parts/since-left.js") };

const view = {
  /** @type {Session[] | null} */ waiting: null,
  /** @type {Session[]} */ rest: [],
  /** @type {string | null} */ next: null,
  isLoading: false,
  sought: "",
  open: "",
  part: "",
  sub: "",
  isNaming: false,
  /** @type {import("../core/api.js").Problem | null} */ fault: null,
  /** @type {(() => void) | null} */ stop: null,
  /** @type {{ draw: () => unknown, enter: (session: string, sub: string) => void, leave: () => void } | null} */ detail: null,
};

/** What is sought: words, and `kind:` `standing:` `phase:` before a word of the server. */
const query = () => {
  /** @type {Record<string, string>} */
  const found = {};
  const words = [];
  for (const word of view.sought.trim().split(/\s+/)) {
    const [, name, value] = /^(kind|standing|phase):(\S+)$/.exec(word) ?? [];
    if (name && value) found[name] = name === "phase" ? value.toUpperCase() : value;
    else if (word) words.push(word);
  }
  return { ...found, q: words.join(" ") };
};

const read = async () => {
  const w = state.workspace?.key;
  if (!w) return;
  const sought = query();
  try {
    const [waiting, first] = await Promise.all([
      ask("list_sessions", { w }, { query: { ...sought, waiting: true, limit: PAGE } }),
      ask("list_sessions", { w }, { query: { ...sought, limit: PAGE } }),
    ]);
    view.waiting = waiting.data.items;
    const known = new Set(first.data.items.map((/** @type {Session} */ one) => one.id));
    // Pages that were read before stay below the first one, which is read anew.
    const older = view.rest.filter((one) => !known.has(one.id)).filter((one) => first.data.next && one.last_activity <= first.data.items.at(-1)?.last_activity);
    view.rest = [...first.data.items, ...older];
    if (older.length === 0) view.next = first.data.next;
    view.fault = null;
  } catch (error) {
    view.fault = refusalOf(error);
  }
  changed();
};

const more = async () => {
  const w = state.workspace?.key;
  if (!view.next || view.isLoading || !w) return;
  view.isLoading = true;
  try {
    const { data } = await ask("list_sessions", { w }, { query: { ...query(), limit: 200, after: view.next } });
    const known = new Set(view.rest.map((one) => one.id));
    view.rest = [...view.rest, ...data.items.filter((/** @type {Session} */ one) => !known.has(one.id))];
    view.next = data.next;
  } catch (error) {
    if (!(error instanceof NoAnswer) && !(error instanceof Problem)) throw error;
    if (error instanceof Problem) view.next = null;
  } finally {
    view.isLoading = false;
    changed();
  }
};

/** Whether something is done in it just now. @param {Session} one */
const works = (one) => one.standing === "queued" || (one.standing === "active" && one.phase !== "IDLE");

/** @returns {Row[]} */
const rows = () => {
  const waits = new Set((view.waiting ?? []).map((one) => one.id));
  const others = view.rest.filter((one) => !waits.has(one.id) && one.kind !== "seed");
  /** @type {[string, Session[]][]} */
  const groups = [
    [t("sessions.wait"), view.waiting ?? []],
    [t("sessions.at-work"), others.filter(works)],
    [t("sessions.rest"), others.filter((one) => !works(one))],
  ];
  return groups.filter(([, all]) => all.length > 0).flatMap(([name, all]) => [/** @type {Row} */ ({ kind: "group", name }), ...all.map((session) => /** @type {Row} */ ({ kind: "session", session }))]);
};

/** @param {Session} one */
export const says = (one) => {
  if (one.standing === "ended") return `${named("standing", "ended")}${one.end_reason ? `: ${named("end", one.end_reason)}` : ""}`;
  if (one.waiting || works(one)) return one.standing === "queued" ? named("standing", "queued") : named("phase", one.phase);
  return one.standing === "active" ? named("phase", "IDLE") : named("standing", one.standing);
};

/** @param {Session} one */
const drawing = (one) => {
  if (one.waiting) return icon(one.phase === "WAITING_COMMUNICATION_RESPONSE" ? "question" : "approval", one.phase === "WAITING_COMMUNICATION_RESPONSE" ? "accent" : "wait");
  if (works(one)) return icon("dot", "accent");
  if (one.standing === "ended") return icon(one.end_reason === "COMPLETED" ? "check" : "ended", one.end_reason === "COMPLETED" ? "ok" : "danger");
  return icon(one.standing === "parked" ? "parked" : one.kind === "chat" ? "chat" : "ring");
};

/** @param {Row} row */
const line = (row) =>
  row.kind === "group"
    ? html`<div class="grp row-head" role="listitem"><h3>${row.name}</h3></div>`
    : html`<div role="listitem" class="fixed"><a class="it" href=${to("sessions", row.session.id)} data-id=${row.session.id} aria-current=${view.open === row.session.id ? "true" : nothing}>
        ${drawing(row.session)}<b>${seen(row.session.name)}</b><span class="when" title=${instant(row.session.last_activity)}>${ago(row.session.last_activity, state.now)}</span>
        <span class="sub">${named("session-kind", row.session.kind)} · ${says(row.session)}</span></a></div>`;

let due = 0;

/** @param {Event} event */
const seek = (event) => {
  view.sought = /** @type {HTMLInputElement} */ (event.target).value;
  clearTimeout(due);
  due = window.setTimeout(() => {
    view.rest = [];
    view.next = null;
    read().catch(() => {});
  }, 200);
  changed();
};

/** Puts the cursor into the composer, once the new session is read. @param {number} times */
const focusWhenThere = (times) => {
  const field = document.getElementById("message");
  if (field) field.focus();
  else if (times > 0) setTimeout(() => focusWhenThere(times - 1), 60);
};

const newChat = () => {
  go(to("sessions", NEW));
  focusWhenThere(50);
};

/** The new chat takes the place of the page on which it was begun. @param {string} session */
const made = (session) => {
  if (view.open !== NEW) return;
  go(to("sessions", session), { replace: true });
  focusWhenThere(50);
  lookAll();
};

const list = () => {
  const all = rows();
  return html`<section class="list" aria-label=${t("nav.sessions")}>
    <div class="head"><div class="row"><h2 class="vt">${t("nav.sessions")}</h2><button class="btn sm" type="button" ?disabled=${!may("chat")} @click=${newChat}>${icon("plus")}${t("sessions.new")}${kbd("n")}</button></div>
    <label class="srch">${icon("search")}<span class="sr">${t("sessions.search")}</span><input id="seek" type="search" placeholder=${t("sessions.search-hint")} .value=${view.sought} @input=${seek}></label>
    <a class="small" href=${to("sessions", "tasks")} aria-current=${view.open === "tasks" ? "page" : nothing}>${t("tasks.title")}</a></div>
    ${view.fault ? problem(view.fault) : nothing}
    ${view.waiting === null ? html`<div class="skeleton" aria-hidden="true">${[1, 2, 3, 4].map(() => html`<div></div>`)}</div>` : all.length === 0 ? html`<p class="empty">${view.sought ? t("sessions.none-found") : t("sessions.none")}</p>` : windowed("sessions", { rows: all, height: ROW, label: t("nav.sessions"), key: (row) => (row.kind === "group" ? `g-${row.name}` : row.session.id), row: line, near: more })}
  </section>`;
};

/** @param {number} by */
const move = (by) => {
  const all = rows();
  const sessions = all.flatMap((row, at) => (row.kind === "session" ? [{ at, session: row.session }] : []));
  const now = sessions.findIndex((one) => one.session.id === view.open);
  const next = sessions[Math.max(0, Math.min(sessions.length - 1, now + by))];
  if (!next) return;
  reveal("sessions", next.at, ROW);
  go(to("sessions", next.session.id), { replace: Boolean(view.open) });
  setTimeout(() => /** @type {HTMLElement | null} */ (document.querySelector(`.it[data-id="${CSS.escape(next.session.id)}"]`))?.focus(), 40);
};

/** Where no model would answer a new chat: how one is set up. */
const offered = () => {
  const offer = modelOffer(() => focusWhenThere(50));
  return offer && html`<section class="pane" aria-label=${t("chat.label")}><div class="top"><a class="btn bare back" href=${to("sessions")} aria-label=${t("nav.sessions")}>${icon("back")}</a><div class="top-words"><h2 class="st">${t("sessions.new")}</h2></div></div><div class="scroll" tabindex="0" role="region" aria-label=${t("model.title")}>${offer}</div></section>`;
};

const pane = () => {
  if (!view.open) return html`<section class="pane empty-pane" aria-label=${t("chat.label")}><p class="empty">${t("sessions.choose")}</p></section>`;
  if (view.open === NEW) return offered() ?? chat.beginning(made);
  if (view.part || PAGES[view.open]) return view.detail ? view.detail.draw() : nothing;
  return chat.draw();
};

export default {
  /** @param {import("../core/route.js").Place} place */
  enter: (place) => {
    view.stop ??= keep(read, { seldom: true });
    const [session = "", part = "", sub = ""] = place.parts;
    if (session !== view.open || part !== view.part || sub !== view.sub) {
      view.detail?.leave();
      view.detail = null;
      view.part = part;
      view.sub = sub;
      view.open = session;
      const page = PAGES[session];
      if (page || part) {
        chat.leave();
        (page ? page() : part === "prompt" && sub ? import("./prompt.js") : import("./detail.js")).then((loaded) => {
          if (view.open !== session || view.part !== part || view.sub !== sub) return;
          view.detail = loaded.default;
          loaded.default.enter(session, page ? part : sub);
          changed();
        });
      }
    }
    if (session === NEW) {
      chat.leave();
      lookForModel();
    } else if (!part && !PAGES[session]) chat.enter(session);
  },
  leave: () => {
    view.stop?.();
    view.stop = null;
    view.open = "";
    view.part = "";
    view.detail?.leave();
    chat.leave();
  },
  isOpen: () => view.open !== "",
  draw: () => html`<div class="view split sessions">${list()}${pane()}</div>`,
  /** @param {string} key @param {KeyboardEvent} event */
  key: (key, event) => {
    if (key === "j" || key === "k") {
      move(key === "j" ? 1 : -1);
      return true;
    }
    if (key === "/") {
      document.getElementById("seek")?.focus();
      return true;
    }
    if (key === "n" && may("chat")) {
      newChat();
      return true;
    }
    return view.open && view.open !== NEW && !view.part && !PAGES[view.open] ? chat.key(key, event) : false;
  },
};
