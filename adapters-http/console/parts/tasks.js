// Long tasks: those of the workspace, and one with all that its service reported.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { act, ask, Problem } from "../core/api.js";
import { keep } from "../core/feed.js";
import { to } from "../core/route.js";
import { changed, may, state, tell } from "../core/store.js";
import { ago, clock, instant, moment } from "../core/time.js";
import { named, t } from "../core/words.js";
import { icon } from "./icons.js";
import { failed, problem, refusalOf, seen } from "./text.js";

/** @typedef {import("../core/shapes").TaskLineShape} Line */
/** @typedef {import("../core/shapes").TaskShape} Task */

/** Tasks of a page. */
const PAGE = 100;

const page = {
  /** The task that is open; empty: all of them. */ id: "",
  /** @type {Line[] | null} */ all: null,
  /** @type {string | null} */ next: null,
  /** @type {Task | null} */ open: null,
  isArmed: false,
  /** @type {Problem | null} */ fault: null,
};
/** @type {(() => void) | null} */
let stop = null;

const w = () => state.workspace?.key ?? "";

const read = async () => {
  if (!w()) return;
  const { id } = page;
  try {
    if (id) {
      const { data } = await ask("get_task", { w: w(), task: id });
      if (page.id === id) page.open = data;
    } else {
      const { data } = await ask("list_tasks", { w: w() }, { query: { limit: PAGE } });
      Object.assign(page, { all: data.items, next: data.next });
    }
    page.fault = null;
  } catch (error) {
    page.fault = refusalOf(error);
  }
  changed();
};

const more = async () => {
  const { data } = await ask("list_tasks", { w: w() }, { query: { limit: PAGE, after: page.next } });
  Object.assign(page, { all: [...(page.all ?? []), ...data.items], next: data.next });
  changed();
};

const cancel = async () => {
  const { open } = page;
  if (!open) return;
  if (!page.isArmed) {
    page.isArmed = true;
    changed();
    return;
  }
  page.isArmed = false;
  const words = t("tasks.did-cancel", { what: open.command });
  const say = tell("sending", `${words} ${t("news.sending")}`);
  try {
    await act("cancel_task", { w: w(), task: open.id }, {});
    say("ok", `${words} ${t("news.recorded", { at: clock(Date.now()) })}`);
    await read();
  } catch (error) {
    page.fault = failed(say, words, open.command, error);
    changed();
  }
};

/** @type {Record<string, string>} */
const TONES = { completed: "ok", failed: "danger", expired: "danger", running: "accent", dispatched: "accent" };

/** @param {Line} one */
const stateChip = (one) => html`<span class="chip ${TONES[one.state] ?? ""}">${named("task-state", one.state)}</span>`;

/** @param {Line} one */
const line = (one) => html`<li><div><b><a href=${to("sessions", "tasks", one.id)}>${seen(one.command)}</a></b> ${stateChip(one)}${one.asks ? html` <span class="chip wait">${t("tasknotice.asks")}</span>` : nothing}${one.progress ? html`<br>${seen(one.progress.text)}` : nothing}
  <br><span class="small muted"><span title=${instant(one.created_at)}>${ago(one.created_at, state.now)}</span> · <a href=${to("sessions", one.session)}>${t("tasks.session")}</a>${one.deadline && !one.completed_at ? html` · ${t("tasks.deadline")} <span title=${instant(one.deadline)}>${moment(one.deadline, state.now)}</span>` : nothing}</span></div></li>`;

const list = () => {
  const all = page.all ?? [];
  if (all.length === 0) return html`<p class="empty">${t("tasks.none")}</p>`;
  const groups = /** @type {const} */ ([["tasks.open", all.filter((one) => !one.completed_at)], ["tasks.ended", all.filter((one) => one.completed_at)]]);
  return html`${groups.map(([name, tasks]) => (tasks.length > 0 ? html`<section class="box"><h3>${t(name)}</h3><ul class="lines">${tasks.map(line)}</ul></section>` : nothing))}
    ${page.next ? html`<button class="btn sm more-rows" type="button" @click=${more}>${t("inbox.more", { n: PAGE })}</button>` : nothing}`;
};

/** @param {string} name @param {string | null | undefined} at */
const time = (name, at) => (at ? html`<dt>${t(`tasks.${name}`)}</dt><dd><time datetime=${at} title=${instant(at)}>${moment(at, state.now)}</time></dd>` : nothing);

/** @param {string} name @param {import("../core/shapes").TaskResultShape | null | undefined} result */
const ending = (name, result) => (result ? html`<section class="box"><h3>${t(`tasks.${name}`)}: ${named("task-state", result.outcome)}</h3><pre class="pad" tabindex="0">${seen(result.content)}</pre></section>` : nothing);

/** What a person has to know of it first. @param {Task} one */
const remarks = (one) => {
  const item = state.inbox?.find((known) => known.kind === "task" && known.task === one.id);
  return [
    one.asks && item ? html`${t("tasks.asks")} <a href=${to("inbox", item.id)}>${t("tasks.answer")}</a>` : null,
    one.extra_time && one.deadline ? t("tasks.last-time", { at: moment(one.deadline, state.now) }) : null,
    one.contradicted > 0 ? t("tasks.contradicted", { n: one.contradicted }) : null,
    one.completed_at && !one.delivered ? t("tasks.undelivered") : null,
    one.cancelled ? `${t("tasks.cancelled")}${one.cancel && !one.cancel.confirmed ? ` ${t("tasks.unconfirmed")}` : ""}` : null,
  ].filter(Boolean);
};

/** @param {Task} one */
const whole = (one) => html`<header><div class="chips">${stateChip(one)}</div><h2>${seen(one.command)}</h2><p class="target"><code>${one.id}</code></p></header>
  ${remarks(one).map((text) => html`<p class="line warn">${icon("warn")}<span>${text}</span></p>`)}
  ${one.progress && !one.completed_at ? html`<section class="box"><h3>${t("tasks.progress")}</h3><p class="pad">${seen(one.progress.text)} <span class="small muted" title=${instant(one.progress.at)}>${moment(one.progress.at, state.now)}</span></p></section>` : nothing}
  ${ending("result", one.result)}${ending("late", one.late_result)}
  <section class="box"><dl class="meta pad"><dt>${t("tasks.session")}</dt><dd><a href=${to("sessions", one.session)}><code>${one.session}</code></a></dd>
    ${time("made", one.created_at)}${time("taken", one.dispatched_at)}${time("next", one.next_poll)}${time("deadline", one.deadline)}${time("over", one.completed_at)}
    ${one.remote ? html`<dt>${t("tasks.remote")}</dt><dd><code>${seen(one.remote)}</code></dd>` : nothing}<dt>${t("tasks.gateway")}</dt><dd>${one.gateway}</dd></dl></section>
  ${one.arrivals.length > 0 ? html`<section class="box"><h3>${t("tasks.arrivals")}</h3><ul class="lines">${one.arrivals.map((arrival) => html`<li><div>${named("verdict", arrival.verdict)} <span class="small muted" title=${instant(arrival.at)}>${moment(arrival.at, state.now)}</span></div></li>`)}</ul></section>` : nothing}
  ${one.completed_at || one.cancelled || !may("chat") ? nothing : html`<div class="chips"><button class="btn sm no ${page.isArmed ? "armed" : ""}" type="button" @click=${cancel}>${t(page.isArmed ? "tasks.cancel-sure" : "tasks.cancel")}</button></div>`}`;

const body = () => {
  if (page.fault) return problem(page.fault);
  if (page.id) return page.open ? whole(page.open) : html`<p class="sr" role="status">${t("loading")}</p>`;
  return html`<header><h2>${t("tasks.title")}</h2><p class="muted">${t("tasks.says")}</p></header>${page.all ? list() : html`<p class="sr" role="status">${t("loading")}</p>`}`;
};

export default {
  /** @param {string} _ @param {string} id the task; empty: all of them */
  enter: (_, id) => {
    Object.assign(page, { id, open: null, isArmed: false, fault: null });
    stop = keep(read, { seldom: true });
  },
  leave: () => {
    stop?.();
    stop = null;
  },
  draw: () => html`<section class="pane"><div class="scroll" tabindex="0" role="region" aria-label=${t("tasks.title")}><a class="btn bare back" href=${page.id ? to("sessions", "tasks") : to("sessions")}>${icon("back")}${page.id ? t("tasks.all") : t("nav.sessions")}</a>
    ${page.id ? html`<p class="hide-s small"><a href=${to("sessions", "tasks")}>${t("tasks.all")}</a></p>` : nothing}<div class="card">${body()}</div></div></section>`,
};
