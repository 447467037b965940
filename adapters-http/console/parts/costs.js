// Money: what model calls cost in a period, as a picture over time with its table, and by automation, model and person.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { ask } from "../core/api.js";
import { to } from "../core/route.js";
import { changed, state } from "../core/store.js";
import { atLocal, count, date, dayKey, daysLater } from "../core/time.js";
import { spoken, t } from "../core/words.js";
import { amount } from "./amount.js";
import { chart } from "./chart.js";
import { seen } from "./text.js";
import { isUncertain, uncertainCalls } from "./uncertain-calls.js";

/** @typedef {import("../core/shapes").CostRow} Row */
/** @typedef {import("../core/shapes").CostsShape} Costs */
/** @typedef {{ reports: Record<string, Costs>, uncertain: import("./uncertain-calls.js").UncertainCall[] }} Money */

/** Periods that end today, by their names. */
const PERIODS = ["days-7", "days-30", "month", "year", "all"];
/** What the rows of each table have in common, after the days. */
const TABLES = ["automation", "model", "person"];
/** What the key of an automation among persons begins with. */
const AUTOMATION = "(automation) ";

const at = {
  period: "days-30",
  /** The first and the last day, as `2026-11-22`; empty without a limit. */ from: "",
  until: "",
  /** Counts the changes of the period. */ version: 0,
};

/** The days of a period; the last is open, so that what comes later today counts. */
const bounds = () => {
  const today = dayKey(state.now);
  /** @type {Record<string, string>} */
  const begins = { "days-7": daysLater(today, -6), "days-30": daysLater(today, -29), month: `${today.slice(0, 8)}01`, year: `${today.slice(0, 5)}01-01`, all: "" };
  const from = begins[at.period];
  return from === undefined ? { from: at.from, until: at.until } : { from, until: "" };
};

/** The instant at which a day begins on the clocks of the workspace. @param {string} day */
const beginning = (day) => {
  const ms = atLocal(`${day}T00:00`);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
};

/** All rows of a report, of the whole workspace unless a session is named. @param {string} by @param {string | null} [session] @returns {Promise<Costs>} */
const report = async (by, session = null) => {
  const { from, until } = bounds();
  /** @type {Row[]} */
  const rows = [];
  /** @type {string | null | undefined} */
  let after = null;
  for (;;) {
    const query = { by, session, since: from ? beginning(from) : null, until: until ? beginning(daysLater(until, 1)) : null, limit: 200, after };
    const { data } = await ask("report_costs", { w: state.workspace?.key ?? "" }, { query });
    rows.push(...data.rows);
    after = data.next;
    if (!after) return { ...data, rows };
  }
};

/** The calls of the period whose usage is not known. @param {Costs} days @returns {Promise<Money["uncertain"]>} */
const readUncertain = async (days) => {
  if (!isUncertain(days.total_reservations)) return [];
  const roots = (await report("tree")).rows.filter((row) => row.key && isUncertain(row.reservations));
  const calls = await Promise.all(roots.map((root) => report("attempt", root.key)));
  return calls.flatMap((found, place) => found.rows.filter((row) => isUncertain(row.reservations)).map((row) => ({ session: roots[place]?.key ?? "", row })));
};

/** The reports of the period that is chosen once they are read. @returns {Promise<Money[]>} */
export const readCosts = async () => {
  for (;;) {
    const { version } = at;
    const [days, ...tables] = await Promise.all([report("day"), ...TABLES.map((by) => report(by))]);
    const uncertain = await readUncertain(days);
    if (version === at.version) return [{ reports: Object.fromEntries([days, ...tables].map((one) => [one.by, one])), uncertain }];
  }
};

/** What a row stands for. @param {string} by @param {Row} row */
const title = (by, row) => {
  if (by === "day") return date(row.key);
  const id = by === "automation" ? row.key : row.key.startsWith(AUTOMATION) && by === "person" ? row.key.slice(AUTOMATION.length) : "";
  if (id) return html`<a href=${to("automations", id)}>${seen(row.name ?? id)}</a>${by === "person" ? html` <span class="chip">${t("card.automation")}</span>` : nothing}`;
  return row.key ? seen(row.key) : t(`money.no-${by}`);
};

/** @param {string} by @param {Row[]} rows */
const table = (by, rows) => html`<section class="box"><h3>${t(`money.by-${by}`)}</h3><table class="plain"><thead><tr><th scope="col">${t(`money.${by}`)}</th><th scope="col" class="num">${t("detail.attempts")}</th><th scope="col" class="num">${t("detail.cost")}</th></tr></thead>
  <tbody>${rows.map((row) => html`<tr><th scope="row">${title(by, row)}</th><td class="num">${count(row.attempts)}</td><td class="num">${amount(row.usage)}</td></tr>`)}</tbody></table></section>`;

/** An amount beside the picture, which needs no more digits. @param {number} value */
const rough = (value) => new Intl.NumberFormat(spoken(), { maximumSignificantDigits: 3 }).format(value);

/** The days as a picture; those of unknown cost stand in the table only. @param {Row[]} rows */
const picture = (rows) => {
  const known = rows.filter((row) => row.usage.cost_usd);
  const points = known.map((row) => ({ at: atLocal(`${row.key}T12:00`), value: Number(row.usage.cost_usd) }));
  if (points.length === 0) return html`<p class="pad muted">${t("money.no-picture")}</p>`;
  return chart({ points, field: t("money.by-day"), shape: "bar", unit: "$", levels: null, adds: true, shown: rough });
};

/** @typedef {{ period: string, from: string, until: string }} Period */

/** @param {() => void} reread */
const period = (reread) => {
  const choose = (/** @type {Period} */ part) => {
    Object.assign(at, part, { version: at.version + 1 });
    changed();
    reread();
  };
  const days = bounds();
  const day = (/** @type {"from" | "until"} */ name) => html`<div class="f"><label for="money-${name}">${t(`money.${name}`)}</label><input id="money-${name}" type="date" .value=${live(days[name])} @change=${(/** @type {Event} */ event) => choose(/** @type {Period} */ ({ ...days, period: "own", [name]: /** @type {HTMLInputElement} */ (event.target).value }))}></div>`;
  return html`<section class="box"><div class="form"><div class="f"><label for="money-period">${t("money.period")}</label><select id="money-period" @change=${(/** @type {Event} */ event) => choose({ ...days, period: /** @type {HTMLSelectElement} */ (event.target).value })}>${[...PERIODS, "own"].map((one) => html`<option value=${one} ?selected=${one === at.period}>${t(`money.${one}`)}</option>`)}</select></div>${day("from")}${day("until")}</div></section>`;
};

/** What calls reserve of caps. @param {Costs["total_reservations"]} all */
const reservations = (all) => {
  if (!all) return nothing;
  const part = (/** @type {"reserved" | "uncertain" | "overrun"} */ name) => {
    const { tokens, cost_usd: usd } = all[name];
    return tokens > 0 || usd !== "0" ? html`<li>${t(`money.${name}`, { usd, tokens: count(tokens) })}</li>` : nothing;
  };
  return html`<ul class="small">${part("reserved")}${part("uncertain")}${part("overrun")}</ul>`;
};

/** @param {Money} money @param {{ change: import("./targets.js").Change, reread: () => void }} how */
export const costs = ({ reports, uncertain }, { change, reread }) => {
  const days = /** @type {Costs} */ (reports.day);
  return html`${period(reread)}
    <p role="status"><b class="money-total">${t("money.total", { cost: amount(days.total) })}</b> <span class="small muted">${t("money.calls", { n: days.total_attempts ?? 0 })} · ${seen(days.zone)}</span></p>
    ${reservations(days.total_reservations)}${uncertainCalls(uncertain, change)}
    ${days.sessions_uncounted > 0 ? html`<p class="small">${t("money.uncounted", { n: days.sessions_uncounted })}</p>` : nothing}
    ${days.rows.length === 0 ? html`<p class="empty">${t("set.none-costs")}</p>` : html`<div class="cols"><section class="box"><h3>${t("money.picture")}</h3>${picture(days.rows)}</section>${table("day", [...days.rows].reverse())}</div>
      ${TABLES.map((by) => table(by, reports[by]?.rows ?? []))}`}`;
};
