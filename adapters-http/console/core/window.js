// Long lists of rows of one height: only those that are seen are there, and a spacer stands for the others.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { ref } from "../vendor/lit-html/directives/ref.js";
import { changed } from "./store.js";

/** Rows beyond the edge that are there too. */
const SPARE = 8;

/**
 * @template T
 * @typedef {{ rows: T[], height: number, key: (row: T, at: number) => string, row: (row: T, at: number) => unknown,
 *   label: string, near?: () => void, head?: unknown }} List
 */

/** Where each list stands, by its name. @type {Map<string, { top: number, height: number, element: Element | null }>} */
const places = new Map();

/**
 * @template T
 * @param {string} name
 * @param {List<T>} list
 */
export const windowed = (name, list) => {
  const place = places.get(name) ?? { top: 0, height: 800, element: null };
  places.set(name, place);
  const { rows, height } = list;
  const first = Math.max(0, Math.min(Math.floor(place.top / height), rows.length) - SPARE);
  const last = Math.min(rows.length, Math.ceil((place.top + place.height) / height) + SPARE);
  if (last + SPARE >= rows.length) list.near?.();
  const scrolled = (/** @type {Event} */ event) => {
    const element = /** @type {Element} */ (event.currentTarget);
    place.top = element.scrollTop;
    place.height = element.clientHeight;
    changed();
  };
  const mounted = (/** @type {Element | undefined} */ element) => {
    if (!element || place.element === element) return;
    place.element = element;
    if (place.top > 0) element.scrollTop = place.top;
    if (element.clientHeight > 0 && element.clientHeight !== place.height) {
      place.height = element.clientHeight;
      changed();
    }
  };
  return html`<div class="rows" @scroll=${scrolled} ${ref(mounted)} tabindex="-1" role="list" aria-label=${list.label}>
    <div class="spacer" .style=${`height:${rows.length * height}px`}>
      <div class="shown" .style=${`transform:translateY(${first * height}px)`}>
        ${repeat(
          rows.slice(first, last),
          (row, at) => list.key(row, first + at),
          (row, at) => list.row(row, first + at),
        )}
      </div>
    </div>
    ${list.head ?? nothing}
  </div>`;
};

/** Scrolls a list so that one of its rows is seen. @param {string} name @param {number} at @param {number} height */
export const reveal = (name, at, height) => {
  const place = places.get(name);
  if (!place?.element) return;
  const top = at * height;
  if (top < place.element.scrollTop) place.element.scrollTop = top;
  else if (top + height > place.element.scrollTop + place.element.clientHeight) {
    place.element.scrollTop = top + height - place.element.clientHeight;
  }
};
