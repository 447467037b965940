// What happened while somebody was away: what failed, ended and was decided, as far as the server tells when.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { all, ask, Problem } from "../core/api.js";
import { to } from "../core/route.js";
import { changed, state } from "../core/store.js";
import { instant, moment } from "../core/time.js";
import { learn, named, t } from "../core/words.js";
import { hasFailed, leftAt, movedSince, putAway } from "./absence.js";
import { icon } from "./icons.js";
import { faultOf, problem, seen } from "./text.js";

/** @typedef {import("../core/shapes").SessionItem} Session */
/** @typedef {import("../core/shapes").CallShape} Call */

/** Sessions whose calls are looked through, the latest first. */
const LOOKED = 20;
/** What people decide on a call. */
const DECIDED = new Set(["approved", "edited", "rejected"]);

const page = {
  isRead: false,
  /** The calls are being looked through. */ isLooking: false,
  /** @type {{ failed: Session[], ended: Session[], moved: Session[] }} */ sessions: { failed: [], ended: [], moved: [] },
  /** @type {{ call: Call, session: Session, at: string }[]} */ decided: [],
  /** @type {import("../core/shapes").OccurrenceShape[]} */ skipped: [],
  /** @type {import("../core/shapes").TaskLineShape[]} */ tasks: [],
  /** Sessions whose calls were not looked through. */ left: 0,
  /** @type {Problem | null} */ fault: null,
};

const w = () => state.workspace?.key ?? "";

/** What people decided in a session since. @param {Session} session */
const decidedIn = async (session) => {
  const { data } = await ask("list_calls", { w: w(), s: session.id }, { query: { limit: 100 } });
  return data.items.flatMap((/** @type {Call} */ call) => {
    const at = call.started_at ?? call.finished_at;
    return call.decided_by && DECIDED.has(call.decision ?? "") && at && Date.parse(at) >= leftAt() ? [{ call, session, at }] : [];
  });
};

const read = async () => {
  if (!w()) {
    setTimeout(read, 150);
    return;
  }
  const since = new Date(leftAt()).toISOString();
  try {
    const [sessions, occurrences, tasks] = await Promise.all([movedSince(), all("list_all_occurrences", { w: w() }, { since }, 200), ask("list_tasks", { w: w() }, { query: { limit: 100 } }), learn(["page"])]);
    Object.assign(page, { isRead: true, isLooking: true, fault: null, sessions, decided: [] });
    page.skipped = occurrences.filter((one) => one.outcome !== "ran");
    page.tasks = tasks.data.items.filter((/** @type {{ completed_at?: string | null }} */ one) => one.completed_at && Date.parse(one.completed_at) >= leftAt());
    changed();
    const looked = sessions.all.slice(0, LOOKED);
    page.decided = (await Promise.all(looked.map(decidedIn))).flat().sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
    Object.assign(page, { isLooking: false, left: sessions.all.length - looked.length });
  } catch (error) {
    page.fault = faultOf(error);
  }
  changed();
};

/** @param {string} at */
const when = (at) => html`<span class="small muted" title=${instant(at)}>${moment(at, state.now)}</span>`;

/** @param {Session} one */
const session = (one) => html`<li><div><a href=${to("sessions", one.id)}>${seen(one.name)}</a> ${one.end_reason ? html`<span class="chip ${hasFailed(one) ? "danger" : one.end_reason === "COMPLETED" ? "ok" : ""}">${named("end", one.end_reason)}</span>` : html`<span class="chip">${one.waiting ? t("sessions.wait") : named("phase", one.phase)}</span>`} ${when(one.last_activity)}</div></li>`;

/** @param {typeof page.decided[number]} one */
const decision = ({ call, session: where, at }) => html`<li><div><code>${seen(call.command)}</code> <span class="chip ${call.decision === "rejected" ? "" : "ok"}">${named("decision", call.decision)}</span> ${seen(call.decided_by ?? "")} ${when(at)}<br><span class="small muted"><a href=${to("sessions", where.id)}>${seen(where.name)}</a></span></div></li>`;

/** @param {typeof page.skipped[number]} one */
const skip = (one) => html`<li><div><a href=${to("automations", one.automation)}>${seen(one.name ?? one.automation)}</a> ${named("skipped", one.outcome)} ${when(one.at)}</div></li>`;

/** @param {typeof page.tasks[number]} one */
const task = (one) => html`<li><div><a href=${to("sessions", "tasks", one.id)}><code>${seen(one.command)}</code></a> <span class="chip">${named("task-state", one.state)}</span> ${when(one.completed_at ?? one.created_at)}</div></li>`;

/** @template T @param {string} name @param {T[]} items @param {(item: T) => unknown} draw */
const group = (name, items, draw) => (items.length > 0 ? html`<section class="box"><h3>${t(`left.${name}`)} (${items.length})</h3><ul class="lines">${items.map(draw)}</ul></section>` : nothing);

const body = () => {
  if (page.fault) return problem(page.fault);
  if (!page.isRead) return html`<p class="sr" role="status">${t("loading")}</p>`;
  const { failed, ended, moved } = page.sessions;
  const isNothing = !page.isLooking && [failed, ended, moved, page.decided, page.skipped, page.tasks].every((items) => items.length === 0);
  return html`<header><h2>${t("left.title")}</h2><p class="muted" title=${instant(leftAt())}>${t("left.says", { at: moment(leftAt(), state.now) })}</p></header>
    ${isNothing ? html`<p class="empty">${t("left.nothing")}</p>` : nothing}
    ${group("failed", failed, session)}${group("skipped", page.skipped, skip)}${group("decided", page.decided, decision)}
    ${page.isLooking ? html`<p class="small muted" role="status">${t("loading")}</p>` : nothing}${page.left > 0 ? html`<p class="small muted">${t("left.not-looked", { n: page.left })}</p>` : nothing}
    ${group("ended", ended, session)}${group("tasks", page.tasks, task)}${group("moved", moved, session)}`;
};

export default {
  enter: () => {
    Object.assign(page, { isRead: false, isLooking: false, fault: null });
    putAway();
    read();
  },
  leave: () => {},
  draw: () => html`<section class="pane"><div class="scroll" tabindex="0" role="region" aria-label=${t("sessions.since")}><a class="btn bare back" href=${to("sessions")}>${icon("back")}${t("nav.sessions")}</a><div class="card">${body()}</div></div></section>`,
};
