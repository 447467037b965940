// The palette: pages, sessions, automations and what can be done on this page, sought by name, with the keyboard alone.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { ask, NoAnswer, Problem } from "../core/api.js";
import { areOn, switchKeys } from "../core/keys.js";
import { go, hasData, to } from "../core/route.js";
import { changed, drawNow, may, state } from "../core/store.js";
import { learn, t } from "../core/words.js";
import { openWorkspace, switchTheme } from "./frame.js";
import { seekOnly } from "./inbox-filter.js";
import { openKeys } from "./keys-help.js";
import { savedFilters } from "./saved-filters.js";
import { settingsParts } from "./settings-parts.js";
import { seen } from "./text.js";

/** @typedef {{ id: string, kind: string, label: string, run: () => void }} Entry */

/** Sessions that are sought at most. */
const SESSIONS = 8;
/** Entries that are shown at most. */
const SHOWN = 60;
/** Milliseconds after the last letter, before the server is asked. */
const PAUSE = 150;
/** Characters of the name of a button. */
const NAME = 60;

const at = {
  isOpen: false,
  sought: "",
  chosen: 0,
  /** What can be done on the page below. @type {Entry[]} */ here: [],
  /** The sessions found. @type {Entry[]} */ sessions: [],
};

/** A text as it is compared: without case and accents. @param {string} text */
const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** What a button is called. @param {HTMLElement} button */
const nameOf = (button) => {
  const copy = /** @type {HTMLElement} */ (button.cloneNode(true));
  for (const part of copy.querySelectorAll("kbd, svg, .sr")) part.remove();
  return (button.getAttribute("aria-label") ?? copy.textContent ?? "").trim().replace(/\s+/g, " ");
};

/** The buttons of the page. One that decides or removes something is only given the focus: it is pressed where it stands. */
const actions = () => {
  const buttons = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("main .view :is(button:enabled, a.btn)"))].filter((one) => one.checkVisibility());
  const names = buttons.map(nameOf);
  return buttons.flatMap((button, place) => {
    const label = names[place] ?? "";
    // Of two with one name nobody could tell which is meant.
    if (!label || label.length > NAME || names.indexOf(label) !== names.lastIndexOf(label)) return [];
    const run = () => (button.closest("#decide") || button.matches(".no") ? button.focus() : button.click());
    return [{ id: `here-${place}`, kind: "here", label, run }];
  });
};

/** A place to go to; the hyphens that a narrow name may break at are left out. @param {string} kind @param {string} label @param {...string} parts @returns {Entry} */
const page = (kind, label, ...parts) => ({ id: parts.join("/"), kind, label: label.replaceAll("\u00ad", ""), run: () => go(to(...parts)) });

/** @returns {Entry[]} */
const pages = () => [
  ...["inbox", "sessions", "automations", ...(hasData ? ["world"] : []), "library", "settings"].map((view) => page("page", t(`nav.${view}`), view)),
  page("page", t("tasks.title"), "sessions", "tasks"),
  page("page", t("left.title"), "sessions", "since"),
  ...(may("chat") ? [page("page", t("sessions.new"), "sessions", "new")] : []),
  ...settingsParts().map((part) => page("setting", t(`set.${part}`), "settings", part)),
];

/** @returns {Entry[]} */
const others = () => [
  ...[...state.automations].map(([id, name]) => page("automation", name, "automations", id)),
  ...savedFilters().map(([name, fields]) => ({ id: `f-${name}`, kind: "filter", label: name, run: () => {
    go(to("inbox"));
    seekOnly(fields);
  } })),
  ...state.workspaces.filter((one) => one.key !== state.workspace?.key).map((one) => ({ id: `w-${one.key}`, kind: "workspace", label: one.key, run: () => openWorkspace(one.key) })),
  { id: "theme", kind: "console", label: t("foot.theme"), run: switchTheme },
  { id: "help", kind: "console", label: t("foot.help"), run: openKeys },
  { id: "keys", kind: "console", label: t(areOn() ? "foot.keys-on" : "foot.keys-off"), run: () => {
    switchKeys(!areOn());
    changed();
  } },
];

/** How well an entry fits; less is better. @param {Entry} entry @param {string[]} words */
const distance = (entry, words) => {
  const label = plain(entry.label);
  const kind = plain(t(`palette.of-${entry.kind}`));
  if (!words.every((word) => label.includes(word) || kind.includes(word))) return Infinity;
  const first = words[0] ?? "";
  return label.startsWith(first) ? 0 : label.includes(` ${first}`) ? 1 : label.includes(first) ? 2 : 3;
};

/** The entries that fit what is sought, the best first. */
const found = () => {
  const words = plain(at.sought).split(/\s+/).filter(Boolean);
  const all = [...at.here, ...pages(), ...at.sessions, ...others()].map((entry) => ({ entry, far: distance(entry, words) }));
  return all.filter(({ far }) => far < Infinity).sort((one, other) => one.far - other.far).map(({ entry }) => entry).slice(0, SHOWN);
};

let due = 0;

/** Asks for the sessions whose name has what is sought. */
const seek = async () => {
  const { sought } = at;
  try {
    const { data } = await ask("list_sessions", { w: state.workspace?.key ?? "" }, { query: { q: sought.trim(), limit: SESSIONS } });
    if (!at.isOpen || at.sought !== sought) return;
    at.sessions = data.items.map((/** @type {{ id: string, name: string }} */ one) => page("session", one.name, "sessions", one.id));
    changed();
  } catch (error) {
    // What is here is sought all the same.
    if (!(error instanceof Problem) && !(error instanceof NoAnswer)) throw error;
  }
};

const dialog = () => /** @type {HTMLDialogElement | null} */ (document.querySelector("dialog.palette"));

export const openPalette = async () => {
  if (at.isOpen) return;
  await learn(["views", "settings"]);
  Object.assign(at, { isOpen: true, sought: "", chosen: 0, here: actions(), sessions: [] });
  drawNow();
  dialog()?.showModal();
};

const close = () => {
  clearTimeout(due);
  // It gives the focus back to what had it.
  dialog()?.close();
  at.isOpen = false;
  drawNow();
};

/** @param {Entry | undefined} entry */
const run = (entry) => {
  if (!entry) return;
  close();
  entry.run();
};

/** @param {Event} event */
const typed = (event) => {
  at.sought = /** @type {HTMLInputElement} */ (event.target).value;
  at.chosen = 0;
  clearTimeout(due);
  if (at.sought.trim()) due = window.setTimeout(seek, PAUSE);
  else at.sessions = [];
  changed();
};

/** @param {KeyboardEvent} event */
const pressed = (event) => {
  if (event.isComposing) return;
  const entries = found();
  if (event.key === "Enter") {
    event.preventDefault();
    run(entries[at.chosen]);
    return;
  }
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by || entries.length === 0) return;
  event.preventDefault();
  at.chosen = (at.chosen + by + entries.length) % entries.length;
  drawNow();
  document.getElementById(`palette-${at.chosen}`)?.scrollIntoView({ block: "nearest" });
};

/** Gives whether a key is the palette's: while it is open, no key decides anything behind it. @param {string} key */
export const keyOfPalette = (key) => {
  if (key === "Ctrl+K") {
    if (at.isOpen) close();
    else openPalette();
    return true;
  }
  if (key === "Escape" && at.isOpen) {
    close();
    return true;
  }
  return at.isOpen;
};

/** What the browser tells after it closed a dialog, by itself too. It comes late: by then another one may be open. @param {Event} event */
const closed = (event) => {
  if (at.isOpen && event.target === dialog()) close();
};

export const palette = () => {
  if (!at.isOpen) return nothing;
  const entries = found();
  return html`<dialog class="palette" aria-label=${t("palette.title")} @close=${closed}>
    <input role="combobox" aria-label=${t("palette.title")} aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list" aria-activedescendant=${entries.length > 0 ? `palette-${at.chosen}` : nothing} autocomplete="off" spellcheck="false" placeholder=${t("palette.hint")} .value=${at.sought} @input=${typed} @keydown=${pressed}>
    <div class="palette-found" tabindex="0"><p class="sr" role="status">${t("palette.n", { n: entries.length })}</p>
      ${entries.length === 0 ? html`<p class="empty">${t("palette.none")}</p>` : nothing}
      <ul id="palette-list" role="listbox" aria-label=${t("palette.found")}>${repeat(entries, (entry) => entry.id, (entry, place) => html`<li id=${`palette-${place}`} role="option" aria-selected=${place === at.chosen ? "true" : "false"} @click=${() => run(entry)}><span>${seen(entry.label)}</span><span class="small muted">${t(`palette.of-${entry.kind}`)}</span></li>`)}</ul></div></dialog>`;
};
