// When this person was here last, in this browser, and what moved since: one line, until it was looked at or put away.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { all, NoAnswer, Problem } from "../core/api.js";
import { to } from "../core/route.js";
import { changed, state } from "../core/store.js";
import { instant, moment } from "../core/time.js";
import { t } from "../core/words.js";
import { icon } from "./icons.js";

/** @typedef {import("../core/shapes").SessionItem} Session */

/** Milliseconds without a key or a press after which somebody was away. */
const AWAY = 30 * 60_000;
/** Milliseconds between two notes that somebody is here. */
const NOTED = 10_000;
/** Milliseconds until it is counted again, where no answer came. */
const AGAIN = 10_000;
/** Milliseconds that are looked back where nobody was away. */
const DAY = 24 * 3_600_000;
/** Sessions that are counted at most. */
const MOST = 400;
/** How a session ends that did not come to its end as it should. */
const FAILED = new Set(["ERROR", "TIMEOUT", "LIMIT_REACHED"]);

/** @type {{ ended: number, failed: number, moved: number } | null} */
let counted = null;
let notedAt = 0;

/** @param {"seen" | "left" | "unread"} what */
const place = (what) => `entracte-${what}:${state.workspace?.key ?? ""}`;

/** The instant since which somebody wants to know what happened. */
export const leftAt = () => Number(localStorage.getItem(place("left"))) || Date.now() - DAY;

/** @param {Session} one */
export const hasFailed = (one) => one.standing === "ended" && FAILED.has(one.end_reason ?? "");

/** The sessions in which something happened since, by what became of them; those of agents belong to the ones above them. */
export const movedSince = async () => {
  const since = new Date(leftAt()).toISOString();
  /** @type {Session[]} */
  const sessions = (await all("list_sessions", { w: state.workspace?.key ?? "" }, { since }, MOST)).filter((one) => one.kind === "chat" || one.kind === "automation");
  const isEnded = (/** @type {Session} */ one) => one.standing === "ended";
  return { all: sessions, failed: sessions.filter(hasFailed), ended: sessions.filter((one) => isEnded(one) && !hasFailed(one)), moved: sessions.filter((one) => !isEnded(one)) };
};

const count = async () => {
  if (counted || !localStorage.getItem(place("unread"))) return;
  try {
    const { failed, ended, moved } = await movedSince();
    counted = { failed: failed.length, ended: ended.length, moved: moved.length };
    changed();
  } catch (error) {
    if (!(error instanceof Problem) && !(error instanceof NoAnswer)) throw error;
    setTimeout(count, AGAIN);
  }
};

/** Somebody is here: where they were away, it is counted what moved meanwhile. */
const note = () => {
  const now = Date.now();
  if (!state.workspace || now - notedAt < NOTED) return;
  notedAt = now;
  const seen = Number(localStorage.getItem(place("seen")));
  localStorage.setItem(place("seen"), String(now));
  if (seen && now - seen >= AWAY) {
    localStorage.setItem(place("left"), String(seen));
    localStorage.setItem(place("unread"), "yes");
    counted = null;
  }
  // Also where the page was loaded anew before anybody looked.
  count();
};

/** Notes from now on when somebody is here. */
export const watchAbsence = () => {
  note();
  for (const event of ["keydown", "pointerdown"]) addEventListener(event, note, { passive: true, capture: true });
};

/** It was looked at, or is not wanted. */
export const putAway = () => {
  counted = null;
  localStorage.removeItem(place("unread"));
  changed();
};

export const absence = () => {
  if (!counted || counted.failed + counted.ended + counted.moved === 0) return nothing;
  const at = leftAt();
  const parts = /** @type {const} */ (["failed", "ended", "moved"]).filter((name) => counted?.[name]).map((name) => t(`left.n-${name}`, { n: counted?.[name] }));
  return html`<div class="left-note"><span role="status"><span title=${instant(at)}>${t("left.since", { at: moment(at, state.now) })}</span> ${parts.join(", ")}. <a href=${to("sessions", "since")} @click=${putAway}>${t("left.look")}</a></span><button class="btn sm bare" type="button" aria-label=${t("left.away")} title=${t("left.away")} @click=${putAway}>${icon("cross")}</button></div>`;
};
