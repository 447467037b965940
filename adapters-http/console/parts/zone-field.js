// A field for a time zone: it is sought by any part of its name, and the browser's and the workspace's come first.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { zoneName } from "../core/time.js";
import { t } from "../core/words.js";
import { seen } from "./text.js";

/** Likely zones that a fault names. */
const LIKELY = 3;

/** What is written as abbreviations of zones are. */
const ABBREVIATED = /^[A-Z\d]{2,5}$/u;

/** The zone of this browser. */
export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** @type {string[] | null} */
let known = null;

/** Every zone that this browser knows, the likely ones first. */
const zones = () => {
  known ??= typeof Intl.supportedValuesOf === "function" ? Intl.supportedValuesOf("timeZone") : [];
  return [...new Set([browserZone(), zoneName(), "UTC", ...known])];
};

/** @param {string} zone */
const isZone = (zone) => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
};

/** Zones whose name has these letters, the likely ones first. @param {string} text */
export const zonesLike = (text) => {
  const sought = text.trim().toLowerCase().replaceAll(" ", "_");
  return zones().filter((zone) => zone.toLowerCase().includes(sought));
};

/** What is wrong with what is written; null: it is a zone. @param {string} text */
export const zoneFault = (text) => {
  const written = text.trim();
  if (written === "") return t("zone.missing", { zone: browserZone() });
  // Abbreviations and offsets that a browser takes have no summer time.
  if (isZone(written) && (written === "UTC" || written.includes("/"))) return null;
  // An abbreviation is no part of a name: EST is not Bucharest.
  const likely = ABBREVIATED.test(written) ? [] : zonesLike(written).slice(0, LIKELY);
  return likely.length > 0 ? t("zone.likely", { written, zones: likely.join(", ") }) : t("zone.unknown", { written, zone: browserZone() });
};

/**
 * @param {{ id: string, value: string, put: (value: string) => void, off?: boolean, isQuiet?: boolean }} field
 *   isQuiet: its fault is shown elsewhere
 */
export const zoneField = ({ id, value, put, off = false, isQuiet = false }) => {
  const fault = isQuiet || off ? null : zoneFault(value);
  return html`<input id=${id} required list="${id}-zones" autocomplete="off" spellcheck="false" ?disabled=${off} aria-invalid=${fault ? "true" : "false"} aria-describedby="${id}-says" .value=${live(value)} @input=${(/** @type {Event} */ event) => put(/** @type {HTMLInputElement} */ (event.target).value)}>
    <datalist id="${id}-zones">${zones().map((zone) => html`<option value=${zone} label=${zone === browserZone() ? t("zone.browser") : zone === zoneName() ? t("zone.workspace") : nothing}></option>`)}</datalist>
    <span class=${fault ? "err" : "hint"} id="${id}-says" role="status">${fault ? seen(fault) : t("zone.hint")}</span>`;
};
