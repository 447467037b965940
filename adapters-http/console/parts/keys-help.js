// The keys, listed at `?`: those of the inbox are those of the terminal's inbox and of its chat.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { areOn } from "../core/keys.js";
import { changed } from "../core/store.js";
import { t } from "../core/words.js";

let isOpen = false;
/** @type {HTMLElement | null} what had the focus */
let before = null;

/** Keys, and what each does. @type {[string, [string[], string][]][]} */
const GROUPS = [
  ["item", [[["a"], "approve"], [["r"], "reject"], [["e"], "edit"], [["i"], "instead"], [["A"], "always"], [["z"], "snooze"], [["o"], "assign"], [["s"], "seen"], [["h"], "happened"], [["n"], "not"], [["w"], "why"], [["1", "9"], "option"]]],
  ["list", [[["j"], "next"], [["k"], "back"], [["x"], "select"], [["X"], "range"], [["/"], "seek"], [["Esc"], "leave"]]],
  ["go", [[["g", "i"], "inbox"], [["g", "s"], "sessions"], [["g", "a"], "automations"], [["g", "l"], "library"], [["g", ","], "settings"], [["Ctrl", "K"], "palette"], [["Ctrl", "↵"], "send"], [["?"], "help"]]],
];

export const closeKeys = () => {
  if (!isOpen) return false;
  isOpen = false;
  changed();
  before?.focus();
  return true;
};

/** Focuses the list once it is drawn. */
const focus = () => {
  const list = /** @type {HTMLElement | null} */ (document.querySelector(".keys-help"));
  if (list) list.focus();
  else if (isOpen) requestAnimationFrame(focus);
};

export const openKeys = () => {
  before = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  isOpen = true;
  changed();
  focus();
};

/** The keys of the list itself; gives whether one was taken. @param {string} key */
export const keyOfHelp = (key) => {
  if (key === "?") {
    if (!closeKeys()) openKeys();
    return true;
  }
  // While the list is open, no key decides anything behind it.
  if (key === "Escape") return closeKeys();
  return isOpen;
};

export const keysHelp = () =>
  isOpen
    ? html`<section class="box keys-help" role="dialog" aria-modal="false" aria-labelledby="keys-title" tabindex="-1">
    <div class="row pad"><h2 id="keys-title" class="name">${t("keys.title")}</h2><button class="btn sm bare" type="button" @click=${closeKeys}>${t("keys.close")}</button></div>
    ${areOn() ? nothing : html`<p class="pad wait">${t("keys.are-off")}</p>`}
    <div class="cols3">${GROUPS.map(([group, keys]) => html`<div><h3 class="pad">${t(`keys.of-${group}`)}</h3><dl class="meta pad">${keys.map(([names, what]) => html`<dt>${names.map((name) => html`<kbd>${name}</kbd> `)}</dt><dd>${t(`keys.${what}`)}</dd>`)}</dl></div>`)}</div>
    <p class="pad small muted">${t("keys.same")}</p></section>`
    : nothing;
