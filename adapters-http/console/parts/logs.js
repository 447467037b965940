// The log of the server: its latest lines, by level and by words, and what is written now.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { ask } from "../core/api.js";
import { changed, state } from "../core/store.js";
import { instant, moment } from "../core/time.js";
import { named, t } from "../core/words.js";
import { icon } from "./icons.js";
import { seen } from "./text.js";

/** @typedef {import("../core/shapes").ProcessLogLineShape} Line */

const LEVELS = ["error", "warn", "info", "debug", "trace"];
const TONES = /** @type {Record<string, string>} */ ({ error: "danger", warn: "wait" });
/** Lines that the page keeps. */
const MOST = 1000;
/** Milliseconds between two looks while it follows. */
const EVERY = 2000;

const at = {
  level: "trace", text: "", follows: true,
  /** What is searched for: what was typed when it was sent. */ sought: "",
  isShown: false,
  /** @type {Line[]} */ lines: [],
  latest: 0, isCut: false,
  /** @type {ReturnType<typeof setTimeout> | undefined} */ timer: undefined,
  /** Counts what is asked: an answer to an earlier question is not shown. */ asked: 0,
};

/** @param {number} after */
const read = async (after) => {
  const asked = ++at.asked;
  const { data } = await ask("read_log", {}, { query: { level: at.level, text: at.sought, after, limit: MOST } });
  if (asked !== at.asked) return;
  // A server that began anew counts from 1.
  const isAnew = data.latest < after;
  at.lines = [...(after > 0 && !isAnew ? at.lines : []), ...data.lines].slice(-MOST);
  at.isCut = after > 0 && !isAnew ? at.isCut || data.is_cut : data.is_cut;
  at.latest = isAnew ? 0 : data.latest;
};

const follow = () => {
  clearTimeout(at.timer);
  // Left while it was asked.
  if (!at.isShown) return;
  at.timer = setTimeout(async () => {
    if (at.follows && document.visibilityState === "visible") {
      try {
        await read(at.latest);
        changed();
      } catch (error) {
        // What may pass is asked again.
        if (error instanceof TypeError) throw error;
      }
    }
    follow();
  }, EVERY);
};

/** Reads it from the beginning, and goes on. Gives one item, which is all of it. */
export const readLogs = async () => {
  at.isShown = true;
  await read(0);
  follow();
  return [at];
};

/** Ends what follows the log. */
export const endLogs = () => {
  at.isShown = false;
  clearTimeout(at.timer);
  at.asked += 1;
};

/** Asks anew; what does not come now comes with the next look. */
const anew = () => read(0).then(changed, () => {});

/** @param {Line} line */
const row = (line) => html`<li class="wide-line"><div><span class="small muted" title=${instant(line.at)}>${moment(line.at, state.now)}</span> <span class="chip ${TONES[line.level] ?? ""}">${named("log", line.level)}</span> <code class="small muted">${seen(line.target)}</code><br>${seen(line.text)}</div></li>`;

export const logs = () => html`<form class="box form pad" role="search" @submit=${(/** @type {Event} */ event) => {
  event.preventDefault();
  at.sought = at.text;
  anew();
}}><div class="f"><label for="log-level">${t("log.level")}</label><select id="log-level" @change=${(/** @type {any} */ event) => {
  at.level = event.target.value;
  anew();
}}>${LEVELS.map((level) => html`<option value=${level} ?selected=${level === at.level}>${level === "trace" ? t("log.all") : t("log.from", { level: named("log", level) })}</option>`)}</select></div>
  <div class="f"><label for="log-text">${t("log.search")}</label><input id="log-text" type="search" autocomplete="off" .value=${live(at.text)} @input=${(/** @type {any} */ event) => {
    at.text = event.target.value;
  }}></div>
  <label class="check"><input id="log-follow" type="checkbox" .checked=${live(at.follows)} @change=${(/** @type {any} */ event) => {
    at.follows = event.target.checked;
  }}>${t("log.follow")}</label><div><button class="btn">${t("log.find")}</button></div></form>
  ${at.isCut ? html`<p class="small muted">${icon("warn", "wait")} ${t("log.cut")}</p>` : nothing}
  ${at.lines.length === 0 ? html`<p class="empty">${t("log.none")}</p>` : html`<section class="box"><ul class="lines log" aria-label=${t("set.logs")}>${at.lines.toReversed().map(row)}</ul></section>`}
  <p class="small muted">${t("log.not-all")}</p>`;
