// Small drawings of one stroke. They say nothing that words beside them do not say.

import { html, nothing } from "../vendor/lit-html/lit-html.js";

/** @type {Record<string, string>} */
const PATHS = {
  inbox: "M2 9l2-6h8l2 6v4H2zM2 9h3.5l1 2h3l1-2H14",
  chat: "M2.500 3h11v8H7l-3 2.600V11H2.500z",
  clock: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.600V8l2.400 1.600",
  world: "M2.500 2.500h4.600v4.600H2.500zM8.900 2.500h4.600v4.600H8.900zM2.500 8.900h4.600v4.600H2.500zM8.900 8.900h4.600v4.600H8.900z",
  pages: "M4 1.500h5.500L13 5v9.500H4zM9.500 1.500V5H13M6 8h5M6 11h5",
  settings: "M2 4.500h6M12 4.500h2M2 11.500h2M8 11.500h6M10 2.700a1.800 1.800 0 1 0 0 3.600 1.800 1.800 0 0 0 0-3.600zM6 9.700a1.800 1.800 0 1 0 0 3.600 1.800 1.800 0 0 0 0-3.600z",
  approval: "M8 2v5M5 9.500 8 7l3 2.500M3 14v-3.500a1 1 0 0 1 1-1h8a1 1 0 0 1 1 1V14z",
  question: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.300 6.200c.2-2.300 3.600-2 3.400.1-.1 1.200-1.700 1.200-1.700 2.500M8 11.200v.1",
  unsettled: "M8 1.800 14.200 8 8 14.200 1.800 8zM8 5v3.500M8 10.800v.1",
  off: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.800 5.800l4.400 4.400M10.200 5.800l-4.400 4.400",
  failed: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.800 5.800l4.400 4.400M10.200 5.800l-4.400 4.400",
  ended: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.800 5.800l4.400 4.400M10.200 5.800l-4.400 4.400",
  task: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.600V8l2.400 1.600",
  ungranted: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.600V8l2.400 1.600",
  tools: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5 8h6M8 5v6",
  parked: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.500 5.500v5M9.500 5.500v5",
  check: "m3 8.500 3.200 3.200L13 4.800",
  cross: "m4 4 8 8M12 4l-8 8",
  pen: "M3 13l.6-2.800L11 2.800l2.200 2.200-7.400 7.400z",
  always: "M8 8C6.400 5.600 5 5 4 5a3 3 0 0 0 0 6c1 0 2.400-.6 4-3s3-3 4-3a3 3 0 0 1 0 6c-1 0-2.400-.6-4-3z",
  out: "M9 3h4v4M13 3 7.500 8.500M11 9.500V13H3V5h3.500",
  back: "M10 3 5 8l5 5",
  search: "M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9zM10.500 10.500l3 3",
  ring: "M8 3.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9z",
  warn: "M8 2 14.500 13.500H1.500zM8 6.500v3M8 11.500v.1",
  skip: "M3 4l5 4-5 4zM9 4v8",
  plus: "M8 3v10M3 8h10",
};

/**
 * @param {string} name
 * @param {string} [more] a class
 */
export const icon = (name, more = "") =>
  name === "dot"
    ? html`<svg class="i ${more}" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="4.500" fill="currentColor"></circle></svg>`
    : html`<svg class="i ${more}" viewBox="0 0 16 16" aria-hidden="true"><path d=${PATHS[name] ?? ""}></path></svg>`;

/** The picture beside the name. */
export const brand = html`<svg class="brand-mark" viewBox="0 0 20 20" aria-hidden="true"><path class="bar" d="M1.500 2h17"></path><path class="curtain" d="M2.500 3.500C7.500 6 8 12 5.500 18h-3zM17.500 3.500C12.500 6 12 12 14.500 18h3z"></path></svg>`;

/** A key, as it stands on a button. @param {string} key */
export const kbd = (key) => (key ? html`<kbd aria-hidden="true">${key}</kbd>` : nothing);
