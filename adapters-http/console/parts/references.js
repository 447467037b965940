// What a message refers to: zones, tools, and a time on the workspace's calendar. It is read before the model is called.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { all, ask, NoAnswer, Problem } from "../core/api.js";
import { hasData } from "../core/route.js";
import { changed, may, state } from "../core/store.js";
import { date, dayKey, daysLater } from "../core/time.js";
import { t } from "../core/words.js";
import { icon } from "./icons.js";
import { seen } from "./text.js";

/** @typedef {{ kind: "zone" | "tool", id: string, name: string, period: string, from: string, until: string }} Reference */

/** As the server names them; `between` is two days that a person gives. */
const PERIODS = ["", "0_DAY", "-1_DAY", "0_WEEK", "-1_WEEK", "0_MONTH", "-1_MONTH", "0_YEAR", "-1_YEAR", "between"];

const known = {
  workspace: "",
  /** @type {{ id: string, name: string }[]} */ zones: [],
  /** @type {{ id: string, name: string, parent?: string | null }[]} */ tools: [],
  /** The weekday that a week begins with; 0: Sunday. */ week: 1,
  isLoading: false,
};

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** Reads what there is to refer to, when somebody is about to. */
const load = async () => {
  const w = state.workspace?.key ?? "";
  if (known.isLoading || !w) return;
  known.isLoading = true;
  try {
    const [zones, tools, settings] = await Promise.all([all("list_zones", { w }), all("list_tools", { w }), ask("get_settings", { w })]);
    const start = settings.data.settings.find((/** @type {{ key: string }} */ one) => one.key === "week_start")?.value;
    Object.assign(known, { workspace: w, zones, tools, week: Math.max(0, WEEKDAYS.indexOf(start ?? "monday")) });
  } catch (error) {
    if (!(error instanceof Problem) && !(error instanceof NoAnswer)) throw error;
  } finally {
    known.isLoading = false;
    changed();
  }
};

/**
 * The first day of a period and the last one, on the calendar.
 * @param {string} period `-1_WEEK`
 * @param {string} today `2026-11-22`
 * @param {number} week the weekday that a week begins with; 0: Sunday
 * @returns {[string, string] | null}
 */
export const daysOf = (period, today, week) => {
  const [, offset, unit] = /^(-?\d+)_([A-Z]+)$/.exec(period) ?? [];
  if (!unit) return null;
  const by = Number(offset);
  const [year = 0, month = 1] = today.split("-").map(Number);
  const first = (/** @type {number} */ y, /** @type {number} */ m) => new Date(Date.UTC(y, m - 1, 1, 12)).toISOString().slice(0, 10);
  switch (unit) {
    case "DAY":
      return [daysLater(today, by), daysLater(today, by)];
    case "WEEK": {
      const since = (new Date(`${today}T12:00:00Z`).getUTCDay() - week + 7) % 7;
      const begin = daysLater(today, by * 7 - since);
      return [begin, daysLater(begin, 6)];
    }
    case "MONTH":
      return [first(year, month + by), daysLater(first(year, month + by + 1), -1)];
    case "YEAR":
      return [first(year + by, 1), daysLater(first(year + by + 1, 1), -1)];
    default:
      return null;
  }
};

/** What is sent of it. @param {Reference} one */
export const written = (one) => {
  if (one.kind === "zone") return { type: "POINTER", target: "zone", id: one.id };
  if (one.period === "between") {
    if (!one.from || !one.until) return { type: "USE", id: one.id };
    return { type: "USE", id: one.id, period: { from: one.from, until: daysLater(one.until, 1) } };
  }
  return { type: "USE", id: one.id, ...(one.period ? { period: one.period } : {}) };
};

/** @param {Reference} one @param {() => void} keep */
const when = (one, keep) => {
  if (one.kind === "zone") return nothing;
  const put = (/** @type {Partial<Reference>} */ part) => {
    Object.assign(one, part);
    keep();
    changed();
  };
  const days = daysOf(one.period, dayKey(state.now), known.week);
  return html`<select aria-label=${t("refer.period-of", { name: one.name })} @change=${(/** @type {Event} */ event) => put({ period: /** @type {HTMLSelectElement} */ (event.target).value })}>${PERIODS.map((period) => html`<option value=${period} ?selected=${period === one.period}>${t(`refer.p${period}`)}</option>`)}</select>
    ${days ? html`<span class="small">${days[0] === days[1] ? date(days[0]) : t("refer.days", { from: date(days[0]), until: date(days[1]) })}</span>` : nothing}
    ${one.period === "between" ? html`<input type="date" aria-label=${t("refer.from")} .value=${one.from} @change=${(/** @type {Event} */ event) => put({ from: /** @type {HTMLInputElement} */ (event.target).value })}><input type="date" aria-label=${t("refer.until")} .value=${one.until} min=${one.from} @change=${(/** @type {Event} */ event) => put({ until: /** @type {HTMLInputElement} */ (event.target).value })}>` : nothing}`;
};

/**
 * The references of a message, each with its time, and what adds one.
 * @param {Reference[]} all
 * @param {() => void} keep called when they changed
 */
export const references = (all, keep) => {
  if (!hasData || (!may("read") && !may("admin"))) return nothing;
  const add = (/** @type {"zone" | "tool"} */ kind) => (/** @type {Event} */ event) => {
    const select = /** @type {HTMLSelectElement} */ (event.target);
    const found = (kind === "zone" ? known.zones : known.tools).find((one) => one.id === select.value);
    select.value = "";
    if (!found || all.some((one) => one.id === found.id)) return;
    all.push({ kind, id: found.id, name: found.name, period: "", from: "", until: "" });
    keep();
    changed();
  };
  const chooser = (/** @type {"zone" | "tool"} */ kind) => html`<select class="add-ref" aria-label=${t(`refer.add-${kind}`)} @focus=${load} @pointerenter=${load} @change=${add(kind)}><option value="">+ ${t(`refer.${kind}`)}</option>${(kind === "zone" ? known.zones : known.tools).map((one) => html`<option value=${one.id}>${kind === "tool" ? `${known.zones.find((zone) => zone.id === /** @type {{ parent?: string }} */ (one).parent)?.name ?? ""} / ` : ""}${one.name}</option>`)}</select>`;
  return html`<div class="refs">${all.map((one) => html`<span class="chip accent ref">${icon("world")}<span>${seen(one.name)}</span>${when(one, keep)}<button type="button" class="drop" aria-label=${t("refer.drop", { name: one.name })} @click=${() => {
    all.splice(all.indexOf(one), 1);
    keep();
    changed();
  }}>${icon("cross")}</button></span>`)}${chooser("zone")}${chooser("tool")}</div>`;
};
