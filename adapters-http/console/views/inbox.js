// What waits for a person: the list, and the card that is open.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { go, to } from "../core/route.js";
import { changed, listed, state } from "../core/store.js";
import { ago, dayKey, instant, span } from "../core/time.js";
import { t } from "../core/words.js";
import { card, isReadable, pressed } from "../parts/card.js";
import { appears, desk, isDeaf, learn, mayBeSelected, onLeave, onReplace, refusal, send } from "../parts/desk.js";
import { icon, kbd } from "../parts/icons.js";
import { news } from "../parts/news.js";
import { seen } from "../parts/text.js";
import { pressedOn, title, waiting } from "../parts/waiting.js";

/** @typedef {import("../core/shapes").InboxShape} Item */

const view = {
  order: "age",
  open: "",
  /** The item that is open, also after it left the list. @type {Item | null} */ kept: null,
  isSelecting: false,
  /** @type {Set<string>} */ selected: new Set(),
  reason: "",
  refusing: false,
};

const HOUR = 3_600_000;

/** @param {Item} item */
const group = (item) => {
  if (view.order === "session") return item.session_name;
  if (view.order === "automation") return item.automation ? (state.automations.get(item.automation) ?? item.automation) : t("inbox.no-automation");
  const [asked, now] = [Date.parse(item.asked_at), state.now];
  if (item.kind === "approval" && Date.parse(item.expires_at) - now < 24 * HOUR) return t("inbox.expires-today");
  if (now - asked < HOUR) return t("inbox.now");
  return dayKey(asked) === dayKey(now) || now - asked < 16 * HOUR ? t("inbox.last-night") : t("inbox.earlier");
};

/** The items in their groups, and equal runs that failed in one row. */
const grouped = () => {
  const ranks = [t("inbox.expires-today"), t("inbox.earlier"), t("inbox.last-night"), t("inbox.now")];
  /** @type {Map<string, { item: Item, more: Item[] }[]>} */
  const groups = new Map();
  /** @type {Map<string, { item: Item, more: Item[] }>} */
  const folds = new Map();
  const items = listed().sort((a, b) => a.asked_at.localeCompare(b.asked_at) || a.id.localeCompare(b.id));
  for (const item of items) {
    const fold = item.kind === "ended" ? `${item.automation ?? item.session}|${item.why}|${item.end_reason}` : "";
    const known = fold && folds.get(fold);
    if (known) {
      known.more.push(item);
      continue;
    }
    const row = { item, more: [] };
    if (fold) folds.set(fold, row);
    const name = group(item);
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  const entries = [...groups.entries()];
  return view.order === "age" ? entries.sort(([a], [b]) => ranks.indexOf(a) - ranks.indexOf(b)) : entries;
};

const flat = () => grouped().flatMap(([, rows]) => rows.map((row) => row.item));

/** @param {Item} item */
const tone = (item) => ({ approval: item.kind === "approval" && item.destructive ? "danger" : "wait", question: "accent", unsettled: "unknown", parked: "wait", ended: "danger", task: "danger", off: "danger", ungranted: "wait", tools: "wait" })[item.kind];

/** @param {Item} item */
const age = (item) => {
  if (item.kind === "approval") {
    const left = Date.parse(item.expires_at) - state.now;
    if (left <= 0) return html`<span class="when danger">${t("inbox.expired")}</span>`;
    if (left < 24 * HOUR) return html`<span class="when wait"><b title=${instant(item.expires_at)}>${t("inbox.left", { span: span(left) })}</b></span>`;
  }
  return html`<span class="when" title=${instant(item.asked_at)}>${ago(item.asked_at, state.now)}</span>`;
};

/** A row. One that cannot be drawn says so, and the others stand as they do. @param {{ item: Item, more: Item[] }} row */
const line = (row) => {
  try {
    return told(row);
  } catch {
    const { id } = row.item;
    return html`<li><a class="it" href=${to("inbox", id)} data-id=${id} aria-current=${view.open === id ? "true" : nothing}>${icon("warn", "wait")}<b>${t("card.broken")}</b><span></span><span class="sub">${id}</span></a></li>`;
  }
};

/** @param {{ item: Item, more: Item[] }} row */
const told = ({ item, more }) => {
  const at = desk(item.id);
  const isOpen = view.open === item.id;
  const sub = [item.automation ? state.automations.get(item.automation) : null, item.kind === "tools" ? (item.waiting.length > 0 ? t("toolsitem.waiting", { n: item.waiting.length }) : null) : item.session_name, more.length > 0 ? t("inbox.times", { n: more.length + 1 }) : null, item.kind === "approval" ? item.command : null];
  const box = view.isSelecting
    ? html`<input type="checkbox" aria-label=${t("inbox.select-this", { what: title(item) })} .checked=${live(view.selected.has(item.id))} ?disabled=${!selectable(item)} @change=${() => select(item)}>`
    : nothing;
  return html`<li class=${view.isSelecting ? "with-box" : ""}>${box}<a class="it" href=${to("inbox", item.id)} data-id=${item.id} aria-current=${isOpen ? "true" : nothing}>
    ${icon(item.kind, tone(item))}<b><span class="sr">${t(`kind.${item.kind}`)}: </span>${seen(title(item))}</b>${at.sent ? html`<span class="when">${t("sent.short")}</span>` : age(item)}
    <span class="sub">${seen(sub.filter(Boolean).join(" · "))}</span></a></li>`;
};

/** @param {Item} item */
const selectable = (item) => {
  if (!mayBeSelected(item) || desk(item.id).sent) return false;
  const first = state.inbox?.find((one) => view.selected.has(one.id));
  return !first || (first.kind === "approval" && item.kind === "approval" && first.command === item.command);
};

/** @param {Item} item */
const select = (item) => {
  if (view.selected.has(item.id)) view.selected.delete(item.id);
  else if (item.kind === "approval" && selectable(item) && isReadable(item)) view.selected.add(item.id);
  view.isSelecting = true;
  changed();
};

/** @param {"approved" | "rejected"} verb */
const decideSelected = (verb) => {
  const reason = view.reason.trim();
  const text = verb === "approved" ? `{"decision":"approve"}` : JSON.stringify({ decision: "reject", ...(reason ? { reason } : {}) });
  for (const item of state.inbox ?? []) {
    if (view.selected.has(item.id) && item.kind === "approval" && mayBeSelected(item) && isReadable(item)) send(item, text, verb);
  }
  view.selected.clear();
  view.isSelecting = false;
  view.refusing = false;
  view.reason = "";
  changed();
};

const selection = () => {
  const n = view.selected.size;
  const off = n === 0 || refusal() !== "";
  return html`<div class="selection" role="group" aria-label=${t("inbox.selection")}>
    <p class="small muted">${n === 0 ? t("inbox.select-how") : t("inbox.selected", { n })}</p>
    ${view.refusing ? html`<label class="small" for="bulk-reason">${t("card.reason")}</label><input id="bulk-reason" .value=${view.reason} @input=${(/** @type {Event} */ event) => {
      view.reason = /** @type {HTMLInputElement} */ (event.target).value;
    }}>` : nothing}
    <div class="chips">${view.refusing ? nothing : html`<button class="btn go sm" type="button" ?disabled=${off} @click=${() => decideSelected("approved")}>${t("inbox.approve-n", { n })}</button>`}
    <button class="btn no sm" type="button" ?disabled=${off} @click=${() => {
      if (view.refusing) decideSelected("rejected");
      else view.refusing = true;
      changed();
    }}>${t(view.refusing ? "inbox.reject-n-now" : "inbox.reject-n", { n })}</button>
    <button class="btn bare sm" type="button" @click=${toggleSelecting}>${t("card.back")}</button></div>
  </div>`;
};

const toggleSelecting = () => {
  view.isSelecting = !view.isSelecting;
  view.selected.clear();
  view.refusing = false;
  changed();
};

/** @param {string} order */
const orderBy = (order) => () => {
  view.order = order;
  changed();
};

const list = () => {
  const n = listed().length;
  return html`<section class="list" aria-label=${t("inbox.label")}>
    <div class="head">
      <div class="row"><h2 class="vt">${state.inbox === null ? t("inbox.title") : n === 0 ? t("inbox.none") : t("inbox.n-wait", { n })}</h2>
      ${n > 0 ? html`<button class="btn sm bare" type="button" aria-pressed=${view.isSelecting ? "true" : "false"} @click=${toggleSelecting}>${t("inbox.select")}${kbd("x")}</button>` : nothing}</div>
      <div class="seg" role="group" aria-label=${t("inbox.order")}>${["age", "session", "automation"].map((order) => html`<button type="button" aria-pressed=${view.order === order ? "true" : "false"} @click=${orderBy(order)}>${t(`inbox.by-${order}`)}</button>`)}</div>
    </div>
    <div class="items" id="items" tabindex="-1">${state.inbox === null ? skeleton() : n === 0 ? html`<p class="empty">${t("inbox.empty")}</p>` : grouped().map(([name, rows]) => html`<h3 class="grp">${seen(name)}</h3><ul>${repeat(rows, (row) => row.item.id, line)}</ul>`)}</div>
    ${view.isSelecting ? selection() : nothing}${news()}
  </section>`;
};

const skeleton = () => html`<div class="skeleton" aria-hidden="true">${[1, 2, 3, 4].map(() => html`<div></div>`)}</div><p class="sr" role="status">${t("loading")}</p>`;

const pane = () => {
  const shown = state.inbox?.find((item) => item.id === view.open) ?? view.kept;
  if (!shown) return html`<section class="pane empty-pane" aria-label=${t("inbox.card")}><p class="empty">${view.open && state.inbox ? t("inbox.gone") : state.inbox?.length ? t("inbox.choose") : t("inbox.empty-long")}</p></section>`;
  const [body, buttons] = shown.kind === "approval" ? card(shown) : waiting(shown);
  return html`<section class="pane" aria-label=${t("inbox.card")}>
    <div class="scroll" tabindex="-1"><a class="btn bare back" href=${to("inbox")}>${icon("back")}${t("inbox.title")}</a>
    ${body}</div>
    ${buttons}
  </section>`;
};

/** @param {string} id */
const openItem = (id) => {
  if (view.open === id) return;
  view.open = id;
  view.kept = null;
  if (id) {
    appears(id);
    document.querySelector(".pane .scroll")?.scrollTo(0, 0);
  }
};

/** Keeps what is open where it is: it moves only when a person moves it. */
const keepOpen = () => {
  const found = state.inbox?.find((item) => item.id === view.open);
  if (found) {
    view.kept = found;
    return;
  }
  if (!state.inbox || view.kept?.id !== view.open) return;
  const at = desk(view.open);
  if (at.own || at.gone || at.sent) return;
  if (view.kept.kind === "approval") learn(view.kept);
  else at.gone = { kind: "warn", text: t("gone.ended", { what: title(view.kept) }) };
};

const isNarrow = () => matchMedia("(max-width: 760px)").matches;

/** @param {number} by */
const move = (by) => {
  const items = flat();
  const at = items.findIndex((item) => item.id === view.open);
  const next = items[at < 0 ? (by > 0 ? 0 : items.length - 1) : Math.max(0, Math.min(items.length - 1, at + by))] ?? items[0];
  if (!next) return;
  go(to("inbox", next.id), { replace: Boolean(view.open) });
  setTimeout(() => /** @type {HTMLElement | null} */ (document.querySelector(`.it[data-id="${CSS.escape(next.id)}"]`))?.focus(), 30);
};

onLeave((id) => {
  if (view.open !== id || state.inbox === null) return;
  const items = flat();
  const at = items.findIndex((item) => item.id === id);
  const next = items[at + 1] ?? items[at - 1];
  // On a phone the list comes back; on a wide screen the next one, and the focus goes with it.
  setTimeout(() => {
    if (view.open !== id || !desk(id).own) return;
    if (isNarrow() || !next) go(to("inbox"), { replace: true });
    else {
      go(to("inbox", next.id), { replace: true });
      setTimeout(() => /** @type {HTMLElement | null} */ (document.querySelector(`.it[data-id="${CSS.escape(next.id)}"]`))?.focus(), 30);
    }
  }, 0);
});

onReplace((old, next) => {
  if (view.open === old) {
    view.open = next;
    view.kept = null;
    go(to("inbox", next), { replace: true });
  }
});

export default {
  /** @param {import("../core/route.js").Place} place */
  enter: (place) => openItem(place.parts[0] ?? ""),
  leave: () => openItem(""),
  isOpen: () => view.open !== "",
  draw: () => {
    if (!view.open && state.inbox?.length && !isNarrow()) {
      const first = flat()[0];
      if (first) {
        openItem(first.id);
        history.replaceState(null, "", to("inbox", first.id));
      }
    }
    keepOpen();
    return html`<div class="view split inbox">${list()}${pane()}</div>`;
  },
  /** @param {string} key @param {KeyboardEvent} event */
  key: (key, event) => {
    if (key === "j" || key === "k") {
      move(key === "j" ? 1 : -1);
      return true;
    }
    const shown = state.inbox?.find((item) => item.id === view.open);
    if (key === "x" && shown) {
      select(shown);
      return true;
    }
    if (key === "?") {
      const why = /** @type {HTMLElement | null} */ (document.querySelector("#why"));
      why?.scrollIntoView({ block: "center" });
      why?.focus();
      return Boolean(why);
    }
    if (!shown || event.repeat || ("aerA123456789".includes(key) && isDeaf(shown.id))) return false;
    return shown.kind === "approval" ? pressed(key, shown) : pressedOn(key, shown);
  },
};
