// What waits for a person: the list, and the card that is open.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { guard } from "../vendor/lit-html/directives/guard.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { look } from "../core/feed.js";
import { isGone, more, openItem as readOpen, RANK, rank } from "../core/inbox.js";
import { go, to } from "../core/route.js";
import { changed, itemOf, listed, state } from "../core/store.js";
import { ago, dayKey, instant, span } from "../core/time.js";
import { spoken, t } from "../core/words.js";
import { card, pressed } from "../parts/card.js";
import { appears, desk, isDeaf, learn, onLeave, onReplace } from "../parts/desk.js";
import { icon } from "../parts/icons.js";
import { apply, filter, filterLabel, filterPanel, isFiltered, noneFound, orderBy, searchField, toggleFilter, toggleSnoozed } from "../parts/inbox-filter.js";
import { news } from "../parts/news.js";
import { selection, selectionBar, toggle, toggleSelecting, toggleTo, whyNot } from "../parts/selection.js";
import { seen } from "../parts/text.js";
import { toolbar } from "../parts/toolbar.js";
import { canTriage, closeTriage, openTriage, triageBar, triageWords } from "../parts/triage.js";
import { pressedOn, title, waiting } from "../parts/waiting.js";

/** @typedef {import("../core/shapes").InboxShape} Item */

const view = {
  open: "",
  /** Where what is open stands in the list, or stood. */ index: 0,
  /** The item that is open, also after it left the list. @type {Item | null} */ kept: null,
};

const HOUR = 3_600_000;

/** Pixels above the end of the list from which on the next page is read. */
const NEAR = 400;

/** @param {Item} item */
const group = (item) => {
  if (filter.order === "session") return item.session_name;
  if (filter.order === "automation") return item.automation ? (state.automations.get(item.automation) ?? item.automation) : t("inbox.no-automation");
  const place = rank(item);
  if (place < RANK.expiring) return t("inbox.first");
  if (place === RANK.expiring) return t("inbox.expires-today");
  if (place > RANK.decide) return t("inbox.to-see");
  const [asked, now] = [Date.parse(item.asked_at), state.now];
  if (now - asked < HOUR) return t("inbox.now");
  return dayKey(asked) === dayKey(now) || now - asked < 16 * HOUR ? t("inbox.last-night") : t("inbox.earlier");
};

/** The items in their groups, and equal runs that failed in one row. */
const grouped = () => {
  const ranks = [t("inbox.first"), t("inbox.expires-today"), t("inbox.earlier"), t("inbox.last-night"), t("inbox.now"), t("inbox.to-see")];
  /** @type {Map<string, { item: Item, more: Item[] }[]>} */
  const groups = new Map();
  /** @type {Map<string, { item: Item, more: Item[] }>} */
  const folds = new Map();
  // In the order of the server.
  for (const item of listed()) {
    const fold = item.kind === "ended" ? `${item.automation ?? item.session}|${item.why}|${item.end_reason}` : "";
    const known = fold && folds.get(fold);
    if (known) {
      known.more.push(item);
      continue;
    }
    const row = { item, more: [] };
    if (fold) folds.set(fold, row);
    const name = group(item);
    const rows = groups.get(name);
    if (rows) rows.push(row);
    else groups.set(name, [row]);
  }
  const entries = [...groups.entries()];
  return filter.order === "age" ? entries.sort(([a], [b]) => ranks.indexOf(a) - ranks.indexOf(b)) : entries;
};

const flat = () => grouped().flatMap(([, rows]) => rows.map((row) => row.item));

/** @param {Item} item */
const tone = (item) => ({ approval: item.kind === "approval" && item.destructive ? "danger" : "wait", question: "accent", unsettled: "unknown", parked: "wait", ended: "danger", failed: "danger", task: "danger", off: "danger", ungranted: "wait", tools: "wait" })[item.kind];

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

/** The row that Tab reaches; the others are reached from it. @param {Item[]} items */
const currentOf = (items) => (items.some((item) => item.id === view.open) ? view.open : (items[0]?.id ?? ""));
/** It, in what is drawn now. */
let current = "";

/** A row is drawn again only where something of it changed: there may be a thousand. @param {{ item: Item, more: Item[] }} row */
const drawnOnce = (row) => {
  const { item } = row;
  return guard([item, differing(item), row.more.length, view.open === item.id, current === item.id, selection.isOn, selection.chosen.has(item.id), desk(item.id).sent, desk(item.id).isBroken, state.now, state.automations, spoken()], () => line(row));
};

/** @param {Item} item */
const box = (item) => {
  const why = whyNot(item);
  const pick = (/** @type {MouseEvent} */ event) => {
    if (event.shiftKey) toggleTo(flat(), item);
    else toggle(item);
  };
  return html`<input type="checkbox" tabindex=${item.id === current ? "0" : "-1"} title=${why || nothing} aria-label=${t("inbox.select-this", { what: title(item) })} .checked=${live(selection.chosen.has(item.id))} ?disabled=${why !== ""} @click=${pick}>`;
};

/** Characters of an argument in a row; a longer one is cut in its middle, where it differs least. */
const SHOWN = 28;

/** @param {string} text */
const cutMiddle = (text) => {
  const letters = [...text];
  return letters.length <= SHOWN ? text : `${letters.slice(0, SHOWN / 2).join("")}…${letters.slice(1 - SHOWN / 2).join("")}`;
};

/** The arguments in which the approvals of each command differ. @type {{ of: unknown, names: Map<string, Set<string>> }} */
let varying = { of: null, names: new Map() };

/** They are compared once for a list, however many rows it has. */
const differences = () => {
  if (varying.of === state.inbox) return varying.names;
  varying = { of: state.inbox, names: new Map() };
  /** @type {Map<string, Map<string, string>>} */
  const first = new Map();
  for (const item of state.inbox ?? []) {
    if (item.kind !== "approval") continue;
    const written = new Map(Object.entries(item.arguments ?? {}).map(([name, value]) => [name, JSON.stringify(value)]));
    const known = first.get(item.command);
    if (!known) {
      first.set(item.command, written);
      varying.names.set(item.command, new Set());
      continue;
    }
    for (const name of new Set([...known.keys(), ...written.keys()])) if (known.get(name) !== written.get(name)) varying.names.get(item.command)?.add(name);
  }
  return varying.names;
};

/** What an approval does not have in common with those of its command that wait beside it. @param {Item} item */
const differing = (item) => {
  if (item.kind !== "approval") return null;
  const names = differences().get(item.command) ?? new Set();
  const values = Object.entries(item.arguments ?? {}).filter(([name]) => names.has(name));
  return values.map(([name, value]) => `${name}: ${cutMiddle(plain(value))}`).join(", ") || null;
};

/** An argument as it is read: a text without its quotation marks. @param {unknown} value */
const plain = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/** @param {{ item: Item, more: Item[] }} row */
const told = ({ item, more }) => {
  const at = desk(item.id);
  const isOpen = view.open === item.id;
  const sub = [item.automation ? state.automations.get(item.automation) : null, item.kind === "tools" ? (item.waiting.length > 0 ? t("toolsitem.waiting", { n: item.waiting.length }) : null) : item.session_name, more.length > 0 ? t("inbox.times", { n: more.length + 1 }) : null, item.kind === "approval" ? item.command : null, differing(item), ...triageWords(item)];
  const why = selection.isOn ? whyNot(item) : "";
  return html`<li class=${selection.isOn ? "with-box" : ""}>${selection.isOn ? box(item) : nothing}<a class="it" href=${to("inbox", item.id)} data-id=${item.id} tabindex=${item.id === current ? "0" : "-1"} aria-current=${isOpen ? "true" : nothing}>
    ${icon(item.kind, tone(item))}<b><span class="sr">${t(`kind.${item.kind}`)}: </span>${seen(title(item))}</b>${at.sent ? html`<span class="when">${t("sent.short")}</span>` : age(item)}
    <span class="sub">${why ? html`${why} · ` : nothing}${seen(sub.filter(Boolean).join(" · "))}</span></a></li>`;
};

/** Reads the next page; one that fails is read by the next press. */
const showMore = () => more().then(changed, () => {});

/** @param {Event} event */
const scrolled = (event) => {
  const at = /** @type {HTMLElement} */ (event.currentTarget);
  if (at.scrollHeight - at.scrollTop - at.clientHeight < NEAR) showMore();
};

const heading = () => {
  const [n, found] = [state.waiting, state.total];
  if (state.inbox === null) return t("inbox.title");
  if (isFiltered()) return t("inbox.n-found", { n: found, all: n });
  return n === 0 ? t("inbox.none") : t("inbox.n-wait", { n });
};

const rows = () => {
  if (state.inbox === null) return skeleton();
  const items = listed();
  current = currentOf(items);
  if (items.length === 0) return isFiltered() ? noneFound() : html`<p class="empty">${t("inbox.empty")}</p>`;
  return html`${repeat(grouped(), ([name]) => name, ([name, rows]) => html`<h3 class="grp">${seen(name)}</h3><ul>${repeat(rows, (row) => row.item.id, drawnOnce)}</ul>`)}
    ${state.next ? html`<button class="btn sm more-rows" type="button" tabindex="-1" @click=${showMore}>${t("inbox.more", { n: Math.max(1, state.total - items.length) })}</button>` : nothing}`;
};

const tools = () => [
  { label: filterLabel(), pressed: filter.isOpen, press: toggleFilter },
  { label: t("inbox.select"), key: "x", pressed: selection.isOn, press: toggleSelecting },
  ...(state.snoozed > 0 || filter.snoozed ? [{ label: t("inbox.snoozed", { n: state.snoozed }), pressed: Boolean(filter.snoozed), press: toggleSnoozed }] : []),
  ...["age", "session", "automation"].map((order) => ({ label: t(`inbox.by-${order}`), pressed: filter.order === order, press: orderBy(order) })),
];

const list = () => html`<section class="list" aria-label=${t("inbox.label")}>
    <div class="head">
      <div class="row"><h2 class="vt"><span role="status">${heading()}</span></h2></div>
      ${searchField()}
      ${toolbar("inbox-tools", t("inbox.tools"), tools())}
      ${filterPanel()}
    </div>
    <div class="items" id="items" tabindex="-1" @scroll=${scrolled}>${rows()}</div>
    ${selection.isOn ? selectionBar() : nothing}${news()}
  </section>`;

const skeleton = () => html`<div class="skeleton" aria-hidden="true">${[1, 2, 3, 4].map(() => html`<div></div>`)}</div><p class="sr" role="status">${t("loading")}</p>`;

const pane = () => {
  const shown = itemOf(view.open) ?? view.kept;
  if (!shown) return html`<section class="pane empty-pane" aria-label=${t("inbox.card")}>${view.open && !isGone(view.open) ? skeleton() : html`<p class="empty">${view.open ? t("inbox.gone") : state.inbox?.length ? t("inbox.choose") : isFiltered() ? t("filter.none") : t("inbox.empty-long")}</p>`}</section>`;
  const [body, buttons] = shown.kind === "approval" ? card(shown) : waiting(shown);
  // Nothing is done with a card that cannot be drawn.
  const more = shown.kind === "approval" && buttons === nothing ? nothing : triageBar(shown);
  return html`<section class="pane" aria-label=${t("inbox.card")}>
    <div class="scroll" tabindex="-1"><a class="btn bare back" href=${to("inbox")}>${icon("back")}${t("inbox.title")}</a>
    ${body}</div>
    <div class="deciding" id="decide" tabindex="-1">${buttons}${more}</div>
  </section>`;
};

/** @param {string} id */
const openItem = (id) => {
  if (view.open === id) return;
  closeTriage();
  view.open = id;
  view.kept = null;
  readOpen(id);
  if (id) {
    look();
    appears(id);
    document.querySelector(".pane .scroll")?.scrollTo(0, 0);
  }
};

/** Keeps what is open where it is: it moves only when a person moves it. */
const keepOpen = () => {
  const found = itemOf(view.open);
  if (found) {
    view.kept = found;
    const index = flat().findIndex((item) => item.id === found.id);
    if (index >= 0) view.index = index;
    return;
  }
  if (!isGone(view.open) || view.kept?.id !== view.open) return;
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
  // What left the list gave its place to the one below it.
  const wanted = at >= 0 ? at + by : view.kept ? view.index + Math.min(by, 0) : by > 0 ? 0 : items.length - 1;
  const next = items[Math.max(0, Math.min(items.length - 1, wanted))];
  if (at + by >= items.length - 5) showMore();
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

/** What is sought from the last time was asked for. */
let isSought = false;

export default {
  /** @param {import("../core/route.js").Place} place */
  enter: (place) => {
    if (!isSought) apply();
    isSought = true;
    openItem(place.parts[0] ?? "");
  },
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
    const isInList = event.target instanceof Element && Boolean(event.target.closest("#items"));
    if (key === "j" || key === "k" || (isInList && (key === "ArrowDown" || key === "ArrowUp"))) {
      move(key === "j" || key === "ArrowDown" ? 1 : -1);
      return true;
    }
    if (key === "/") {
      document.getElementById("seek")?.focus();
      return true;
    }
    const shown = itemOf(view.open);
    if (shown && (key === "x" || key === "X")) {
      if (key === "X") toggleTo(flat(), shown);
      else toggle(shown);
      return true;
    }
    if (key === "Escape" && closeTriage()) return true;
    if (shown && (key === "z" || key === "o") && canTriage(shown)) {
      openTriage(key === "z" ? "snooze" : "assign", [shown]);
      return true;
    }
    if (key === "w") {
      const why = /** @type {HTMLElement | null} */ (document.querySelector("#why"));
      why?.scrollIntoView({ block: "center" });
      why?.focus();
      return Boolean(why);
    }
    if (!shown || event.repeat || ("aerAshn123456789".includes(key) && isDeaf(shown.id))) return false;
    return shown.kind === "approval" ? pressed(key, shown) : pressedOn(key, shown);
  },
};
