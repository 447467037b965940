// Runs on real hours, labelled on the clocks of the zone: an hour that is repeated stands twice, one that is missing is a
// line.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { to } from "../core/route.js";
import { clock, day, dayKey, hour, instant, inZone, zoneName } from "../core/time.js";
import { t } from "../core/words.js";
import { seen } from "./text.js";

/**
 * @typedef {{ at: number, kind: string, session: string | null, words: string }} Mark
 * @typedef {{ id: string, name: string, when: string, marks: Mark[], coming: number[], zone: string }} Row
 * @typedef {{ from: number, until: number, now: number }} Span
 */

const HOUR = 3_600_000;

const MINUTE = 60_000;

/** @type {{ zone: string, format: Intl.DateTimeFormat, found: Map<string, { at: number, by: number }[]> } | null} */
let kept = null;

/** What is kept of the zone: its clocks are asked often. */
const zone = () => {
  if (kept?.zone !== zoneName()) {
    kept = { zone: zoneName(), format: new Intl.DateTimeFormat("en", { timeZone: zoneName(), hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" }), found: new Map() };
  }
  return kept;
};

/** Minutes that the zone's clocks are before UTC at an instant. @param {number} at */
const offset = (at) => {
  const parts = zone().format.formatToParts(at);
  const get = (/** @type {string} */ type) => Number(parts.find((part) => part.type === type)?.value ?? 0);
  return (Date.UTC(get("year"), get("month") - 1, get("day"), get("hour"), get("minute")) - Math.floor(at / MINUTE) * MINUTE) / MINUTE;
};

/** The minute in which the clocks change, between an instant before and one after. @param {number} before @param {number} after */
const moment = (before, after) => {
  const was = offset(before);
  let [low, high] = [before, after];
  while (high - low > MINUTE) {
    const middle = Math.floor((low + high) / 2 / MINUTE) * MINUTE;
    if (offset(middle) === was) low = middle;
    else high = middle;
  }
  return high;
};

/** The changes of the clocks between two instants: when, and by how many minutes. @param {number} from @param {number} until */
export const changes = (from, until) => {
  const [first, last] = [Math.floor(from / HOUR) * HOUR, Math.ceil(until / HOUR) * HOUR];
  const key = `${first} ${last}`;
  const known = zone().found.get(key);
  if (known) return known;
  const found = [];
  for (let at = first; at < last; at += 6 * HOUR) {
    const next = Math.min(at + 6 * HOUR, last);
    const by = offset(next) - offset(at);
    if (by !== 0) found.push({ at: moment(at, next), by });
  }
  zone().found.set(key, found);
  return found;
};

/** @param {Span} span @param {number} at */
const left = ({ from, until }, at) => `${Math.max(0, Math.min(100, ((at - from) / (until - from)) * 100)).toFixed(3)}%`;

/** @param {Span} span */
const axis = (span) => {
  const hours = (span.until - span.from) / HOUR;
  const step = hours <= 40 ? 1 : hours <= 100 ? 6 : 24;
  const labels = [];
  let today = "";
  for (let at = Math.ceil(span.from / HOUR) * HOUR; at <= span.until - HOUR / 2; at += HOUR) {
    const key = dayKey(at);
    if (key !== today) {
      if (step < 24 || Number(key.slice(8)) % 3 === 1) labels.push(html`<span class="day" .style=${`left:${left(span, at)}`}>${day(at)}</span>`);
      today = key;
    }
    if (step < 24 && Number(hour(at)) % step === 0) labels.push(html`<span .style=${`left:${left(span, at)}`}>${hour(at)}</span>`);
  }
  return labels;
};

/** @param {Span} span @param {{ at: number, by: number }[]} all */
const clocks = (span, all) => all.map(({ at, by }) => (by < 0 ? html`<i class="dst" .style=${`left:${left(span, at)};width:${((-by * 60_000) / (span.until - span.from)) * 100}%`}></i>` : html`<i class="dst gap" .style=${`left:${left(span, at)}`}></i>`));

/** @param {Span} span @param {Mark} mark */
const drawMark = (span, mark) => html`<a class="m ${mark.kind}" href=${mark.session ? to("sessions", mark.session) : nothing} .style=${`left:${left(span, mark.at)}`} title=${mark.words}><span class="sr">${mark.words}</span></a>`;

/** @param {Row[]} rows @param {Span} span */
export const timeline = (rows, span) => {
  const changed = changes(span.from, span.until);
  const inside = (/** @type {number} */ at) => at >= span.from && at <= span.until;
  return html`<figure class="box tl" tabindex="0" aria-label=${t("tl.label", { from: instant(span.from), until: instant(span.until) })}>
    <div class="grid"><div class="nm axn">${zoneName()}<br>${t("tl.now", { at: clock(span.now) })}</div><div class="ax">${clocks(span, changed)}${axis(span)}</div>
    ${rows.map((row) => {
      const marks = row.marks.filter((mark) => inside(mark.at));
      // Many marks stand closer than a finger is wide: they become ticks.
      const dense = marks.length + row.coming.filter(inside).length > 30;
      const waits = marks.find((mark) => mark.kind === "wait");
      return html`<div class="nm"><a href=${to("automations", row.id)}>${seen(row.name)}</a> <span class="small muted">${seen(row.when)}</span></div>
        <div class="ln ${dense ? "dense" : ""}">${clocks(span, changed)}<i class="now-line" .style=${`left:${left(span, span.now)}`}></i>
        ${waits ? html`<i class="bar-wait" .style=${`left:${left(span, waits.at)};width:${((span.now - waits.at) / (span.until - span.from)) * 100}%`}></i>` : nothing}
        ${marks.map((mark) => drawMark(span, mark))}${row.coming.filter(inside).map((at) => html`<i class="m next" .style=${`left:${left(span, at)}`} title=${inZone(row.zone, () => instant(at))}></i>`)}</div>`;
    })}</div>
    <figcaption class="key">${["ran", "wait", "unknown", "fail", "skip", "next"].map((kind) => html`<span><i class="m ${kind}"></i>${t(`auto.${kind}`)}</span>`)}
    ${changed.map(({ at, by }) => html`<span class="wait">${t(by < 0 ? "tl.back" : "tl.forward", { at: clock(at), day: day(at), n: Math.abs(by) })}</span>`)}</figcaption></figure>`;
};
