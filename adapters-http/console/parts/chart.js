// Numbers over time, as a drawing of our own: a line, bars of each day, or points on a scale.

import { html, nothing, svg } from "../vendor/lit-html/lit-html.js";
import { atLocal, count, date, dayKey } from "../core/time.js";
import { t } from "../core/words.js";

/** @typedef {{ at: number, value: number }} Point */
/** @typedef {{ points: Point[], field: string, shape: string, unit: string, levels: [number, number] | null, adds: boolean, shown?: (value: number) => string }} Chart */

/** The drawing's own measures; it grows with its box. On a phone it is drawn narrower, so that its words stay readable. */
const [WIDE, NARROW, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [640, 340, 220, 52, 10, 26, 34];
/** Steps of a scale that are written beside it. */
const STEPS_MAX = 12;

/** The marks of an axis: round numbers that hold both ends. @param {number} least @param {number} most */
export const ticks = (least, most) => {
  const span = most - least || Math.abs(most) || 1;
  const rough = span / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? power * 10;
  const from = Math.floor(least / step) * step;
  const found = [];
  for (let at = 0; at < 12; at += 1) {
    const value = Number((from + at * step).toPrecision(12));
    found.push(value);
    if (value >= most) break;
  }
  return found;
};

/** One value a day: what is counted is added up, the rest is its mean. @param {Point[]} points @param {boolean} adds @returns {Point[]} */
export const byDay = (points, adds) => {
  /** @type {Map<string, number[]>} */
  const days = new Map();
  for (const point of points) days.set(dayKey(point.at), [...(days.get(dayKey(point.at)) ?? []), point.value]);
  return [...days].map(([day, values]) => {
    const sum = values.reduce((all, one) => all + one, 0);
    return { at: atLocal(`${day}T12:00`), value: adds ? sum : sum / values.length };
  });
};

/** @param {Chart} how */
export const chart = ({ points, field, shape, unit, levels, adds, shown: words = count }) => {
  const WIDTH = matchMedia("(max-width: 760px)").matches ? NARROW : WIDE;
  const isBar = shape === "bar";
  const shown = isBar ? byDay(points, adds) : points;
  if (shown.length === 0) return nothing;
  const values = shown.map((point) => point.value);
  const isScale = shape === "scale" && levels !== null;
  const low = isScale ? levels[0] : isBar ? Math.min(0, ...values) : Math.min(...values);
  const high = isScale ? levels[1] : isBar ? Math.max(0, ...values) : Math.max(...values);
  const marks = isScale && high - low <= STEPS_MAX ? Array.from({ length: high - low + 1 }, (_, at) => low + at) : ticks(low, high);
  const [bottom, top] = [marks[0] ?? 0, marks.at(-1) ?? 1];
  const [first, last] = [shown[0]?.at ?? 0, shown.at(-1)?.at ?? 0];
  const wide = WIDTH - LEFT - RIGHT;
  // Bars at the ends keep their width.
  const gap = isBar ? wide / (2 * Math.max(1, (last - first) / 86_400_000 + 1)) : 6;
  const x = (/** @type {number} */ at) => (last === first ? LEFT + wide / 2 : LEFT + gap + ((at - first) / (last - first)) * (wide - 2 * gap));
  const y = (/** @type {number} */ value) => HEIGHT - BOTTOM - ((value - bottom) / Math.max(1e-9, top - bottom)) * (HEIGHT - TOP - BOTTOM);
  const bar = Math.max(1.5, Math.min(26, gap * 1.5));
  const line = shown.map((point, at) => `${at === 0 ? "M" : "L"}${x(point.at).toFixed(1)} ${y(point.value).toFixed(1)}`).join("");
  const day = (/** @type {number} */ at) => date(dayKey(at));
  const said = (/** @type {Point} */ point) => `${day(point.at)}: ${words(point.value)}${unit ? ` ${unit}` : ""}`;
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${t("world.chart", { field, n: shown.length, least: words(Math.min(...values)), most: words(Math.max(...values)) })}>
    ${marks.map((mark) => svg`<path class="grid" d="M${LEFT} ${y(mark).toFixed(1)}H${WIDTH - RIGHT}"></path><text x=${LEFT - 6} y=${(y(mark) + 4).toFixed(1)} text-anchor="end">${words(mark)}</text>`)}
    ${isBar ? shown.map((point) => svg`<rect class="mark" x=${(x(point.at) - bar / 2).toFixed(1)} y=${Math.min(y(point.value), y(0)).toFixed(1)} width=${bar.toFixed(1)} height=${Math.max(1, Math.abs(y(0) - y(point.value))).toFixed(1)}><title>${said(point)}</title></rect>`) : nothing}
    ${!isBar && shape === "line" ? svg`<path class="curve" d=${line}></path>` : nothing}
    ${isBar ? nothing : shown.length > 400 ? nothing : shown.map((point) => svg`<circle class="mark" cx=${x(point.at).toFixed(1)} cy=${y(point.value).toFixed(1)} r=${isScale ? 5 : 3}><title>${said(point)}</title></circle>`)}
    <path class="axis" d="M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}"></path>
    <text x=${LEFT} y=${HEIGHT - 12}>${day(first)}</text>${last === first ? nothing : svg`<text x=${WIDTH - RIGHT} y=${HEIGHT - 12} text-anchor="end">${day(last)}</text>`}
    ${unit ? svg`<text x=${LEFT} y="12">${unit}</text>` : nothing}
  </svg>`;
};
