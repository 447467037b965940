// Buttons in one row that Tab reaches as one: the arrow keys move among them, as in every toolbar.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { changed } from "../core/store.js";
import { kbd } from "./icons.js";

/** @typedef {{ label: string, pressed: boolean, press: () => void, key?: string }} Tool */

/** Which button of each toolbar Tab reaches. @type {Map<string, number>} */
const places = new Map();

/** @param {string} id @param {string} label @param {Tool[]} tools */
export const toolbar = (id, label, tools) => {
  const at = Math.min(places.get(id) ?? 0, tools.length - 1);
  const move = (/** @type {KeyboardEvent} */ event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = (at + by + tools.length) % tools.length;
    places.set(id, next);
    /** @type {HTMLElement | undefined} */ (document.getElementById(id)?.querySelectorAll("button")[next])?.focus();
    changed();
  };
  return html`<div class="tools-row" id=${id} role="toolbar" aria-label=${label} @keydown=${move}>${tools.map((tool, place) => html`<button class="btn sm" type="button" tabindex=${place === at ? "0" : "-1"} aria-pressed=${tool.pressed ? "true" : "false"} @click=${() => {
    places.set(id, place);
    tool.press();
  }}>${tool.label}${tool.key ? kbd(tool.key) : nothing}</button>`)}</div>`;
};
