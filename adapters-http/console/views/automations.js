// Automations: what happened last night, what comes, and each of them.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { act, all, ask, Problem } from "../core/api.js";
import { keep } from "../core/feed.js";
import { go, to } from "../core/route.js";
import { changed, may, state, tell } from "../core/store.js";
import { clock, dayLong, dayKey, exactly, instant, inZone, moment, zoneCity, zoneName } from "../core/time.js";
import { named, rich, t } from "../core/words.js";
import { automationForm, begin, forget } from "../parts/automation-form.js";
import { dryRun, forgetDryRun } from "../parts/dry-run.js";
import { icon } from "../parts/icons.js";
import { instructions, lookAt } from "../parts/instructions.js";
import { failed, faultOf, problem, refusalOf, seen } from "../parts/text.js";
import { timeline } from "../parts/timeline.js";

/** @typedef {import("../core/shapes").AutomationShape} Automation */
/** @typedef {import("../core/shapes").OccurrenceShape} Occurrence */

/** From when until when a span is shown, in hours from now. @type {Record<"night" | "days" | "month", [number, number]>} */
const HOURS = { night: [-14, 18], days: [-48, 24], month: [-600, 120] };

const view = {
  /** @type {Automation[] | null} */ all: null,
  /** @type {Map<string, Occurrence[]>} */ past: new Map(),
  /** @type {Map<string, string[]>} */ coming: new Map(),
  /** @type {keyof typeof HOURS} */ span: "night",
  open: "",
  isEditing: false,
  /** The one that is about to be deleted. */
  armed: "",
  /** What waits in runs, by their session. @type {Map<string, import("../core/store.js").Item>} */ waiting: new Map(),
  /** Beyond these days nothing is read of the history. @type {Map<string, string | null>} */ more: new Map(),
  /** @type {{ data: Automation, tag: string | null } | null} */ one: null,
  event: "",
  /** @type {Problem | null} */ fault: null,
  /** @type {(() => void) | null} */ stop: null,
};

const read = async () => {
  const w = state.workspace?.key;
  if (!w) return;
  try {
    const [automations, waiting] = await Promise.all([all("list_automations", { w }), ask("list_inbox", { w }, { query: { order: "automation", limit: 100 } })]);
    // Of a session, what is unknown comes first, and what is only to be seen last.
    const weight = (/** @type {import("../core/store.js").Item} */ item) => (item.kind === "unsettled" ? 2 : item.kind === "failed" ? 0 : 1);
    view.waiting = new Map(waiting.data.items.toSorted((/** @type {import("../core/store.js").Item} */ a, /** @type {import("../core/store.js").Item} */ b) => weight(a) - weight(b)).map((/** @type {import("../core/store.js").Item} */ item) => [item.session, item]));
    view.all = automations;
    // Each has its own list; more than these are shown without their marks.
    await Promise.all(automations.slice(0, 40).map(async (/** @type {Automation} */ one) => {
      const [past, coming] = await Promise.all([ask("list_occurrences", { w, a: one.id }, { query: { limit: 100 } }), ask("next_occurrences", { w, a: one.id })]);
      view.past.set(one.id, together(past.data.items, view.past.get(one.id) ?? []));
      if (!view.more.has(one.id)) view.more.set(one.id, past.data.next);
      view.coming.set(one.id, coming.data.instants);
    }));
    if (view.open) await readOne();
    view.fault = null;
  } catch (error) {
    view.fault = refusalOf(error);
  }
  changed();
};

/** What was read before stays below what is read anew. @param {Occurrence[]} fresh @param {Occurrence[]} known */
const together = (fresh, known) => {
  const oldest = fresh.at(-1)?.at ?? "";
  const seen = new Set(fresh.map((one) => `${one.at} ${one.cause}`));
  return [...fresh, ...known.filter((one) => one.at <= oldest && !seen.has(`${one.at} ${one.cause}`))];
};

/** The next page of what each automation did, as far back as the span goes. */
const older = async () => {
  const w = state.workspace?.key ?? "";
  const since = state.now + HOURS[view.span][0] * 3_600_000;
  await Promise.all([...view.more].map(async ([a, after]) => {
    const known = view.past.get(a) ?? [];
    if (!after || Date.parse(known.at(-1)?.at ?? "") < since) return;
    const { data } = await ask("list_occurrences", { w, a }, { query: { limit: 200, after } });
    view.past.set(a, [...known, ...data.items]);
    view.more.set(a, data.next);
  }));
  changed();
};

/** Whether there is more of the span than was read. */
const hasOlder = () => [...view.more].some(([a, after]) => after && Date.parse(view.past.get(a)?.at(-1)?.at ?? "") >= state.now + HOURS[view.span][0] * 3_600_000);

const readOne = async () => {
  const { open } = view;
  if (!open || open === "new" || !state.workspace) return;
  try {
    const found = await ask("get_automation", { w: state.workspace.key, a: open });
    if (view.open !== open) return;
    view.one = found;
    await lookAt("automation", open);
  } catch (error) {
    view.fault = refusalOf(error);
  }
};

/** How an occurrence stands: `ran`, `wait`, `unknown`, `fail`, `skip`. @param {Occurrence} one */
export const became = (one) => {
  if (one.outcome !== "ran") return "skip";
  // Nobody knows whether it failed.
  if (view.waiting.get(one.session ?? "")?.kind === "unsettled") return "unknown";
  if (one.standing === "ended") return one.end_reason === "COMPLETED" ? "ran" : "fail";
  if (one.standing === "parked") return "wait";
  const item = view.waiting.get(one.session ?? "");
  // One that is open and has no slot waits, whatever for.
  return (item && item.kind !== "failed") || one.standing === "open" ? "wait" : "works";
};

const TONES = { ran: "ok", wait: "wait", fail: "danger", skip: "", unknown: "unknown", works: "accent" };

/** The zone of an automation's times. @param {Automation | undefined} one */
const zoneOf = (one) => (one?.trigger.type === "cron" ? one.trigger.zone : zoneName());

/** An instant of an automation on the clocks of its zone, which is named. @param {Automation | undefined} one @param {string} at */
const own = (one, at) => inZone(zoneOf(one), () => html`<time datetime=${at} title=${instant(at)}>${moment(at, state.now)} ${zoneCity()}</time>`);

/** @param {Automation} one */
const whenOf = (one) => {
  const trigger = one.trigger;
  switch (trigger.type) {
    case "cron":
      return `${trigger.expression} (${trigger.zone})`;
    case "every":
      return t("auto.every", { span: exactly(trigger.interval_ms) });
    case "once":
      return `${moment(trigger.at, state.now)} ${zoneCity()}`;
    default:
      return t(`auto.${trigger.type}`);
  }
};

const history = () => {
  const [from] = HOURS[view.span];
  const since = state.now + from * 3_600_000;
  return [...view.past.values()].flat().filter((one) => Date.parse(one.at) >= since).sort((a, b) => b.at.localeCompare(a.at));
};

/** @param {Automation} one @param {unknown} body @param {string} words */
const change = async (one, body, words) => {
  const w = state.workspace?.key ?? "";
  const say = tell("sending", `${words} ${t("news.sending")}`);
  try {
    // What is changed is what was read last.
    const { tag } = view.one?.data.id === one.id && view.one.tag ? view.one : await ask("get_automation", { w, a: one.id });
    await act("change_automation", { w, a: one.id }, { body, match: tag ?? "" });
    say("ok", `${words} ${t("news.recorded", { at: clock(Date.now()) })}`);
    await read();
  } catch (error) {
    view.fault = failed(say, words, one.name, error);
    changed();
  }
};

/** @param {Automation} one */
const run = async (one) => {
  try {
    const { data } = await act("run_automation", { w: state.workspace?.key ?? "", a: one.id }, { body: one.trigger.type === "event" && view.event ? { event: view.event } : {} });
    go(to("sessions", data.session));
  } catch (error) {
    view.fault = faultOf(error);
    changed();
  }
};

/** The first press asks, the second deletes. @param {Automation} one */
const remove = async (one) => {
  if (view.armed !== one.id) {
    view.armed = one.id;
    return changed();
  }
  view.armed = "";
  const w = state.workspace?.key ?? "";
  const words = t("auto.was-deleted", { name: one.name });
  const say = tell("sending", `${words} ${t("news.sending")}`);
  try {
    const tag = view.one?.data.id === one.id ? view.one.tag : null;
    await act("delete_automation", { w, a: one.id }, { match: tag ?? "" });
    say("ok", `${words} ${t("news.recorded", { at: clock(Date.now()) })}`);
    view.past.delete(one.id);
    view.coming.delete(one.id);
    go(to("automations"));
    await read();
  } catch (error) {
    view.fault = failed(say, words, one.name, error);
    changed();
  }
};

const figures = () => {
  const all = history();
  const n = (/** @type {string} */ kind) => all.filter((one) => became(one) === kind).length;
  return html`<span class="chips">${/** @type {const} */ (["ran", "works", "wait", "unknown", "fail", "skip"]).filter((kind) => n(kind) > 0).map((kind) => html`<span class="chip ${TONES[kind]}">${t(`auto.n-${kind}`, { n: n(kind) })}</span>`)}</span>`;
};

const header = () => html`<div class="hrow"><h2 class="vt">${t("auto.title")}</h2>${figures()}
  <span class="seg end" role="group" aria-label=${t("auto.span")}>${/** @type {const} */ (["night", "days", "month"]).map((name) => html`<button type="button" aria-pressed=${view.span === name ? "true" : "false"} @click=${() => {
    view.span = name;
    changed();
  }}>${t(`auto.${name}`)}</button>`)}</span>
  ${may("chat") ? html`<a class="btn sm go" href=${to("automations", "new")}>${icon("plus")}${t("auto.new")}</a>` : nothing}</div>`;

/** Why an occurrence was skipped: the run that waits is named. @param {Occurrence} one */
const skipped = (one) => {
  const run = one.blocked_by;
  if (!run) return named("skipped", one.outcome);
  const item = view.waiting.get(run.session);
  const link = html`<a href=${item ? to("inbox", item.id) : to("sessions", run.session)}>${t("skipped.run")}</a>`;
  return rich(run.waits_for ? `skipped.behind-${run.waits_for}` : "skipped.behind", { run: link });
};

/** @param {{ one: Occurrence, first: Occurrence, count: number }} row */
const past = ({ one, first, count }) => {
  const kind = became(one);
  const automation = view.all?.find((known) => known.id === one.automation);
  const name = state.automations.get(one.automation) ?? one.automation;
  const why = kind === "skip" ? skipped(one) : kind === "fail" ? named("end", one.end_reason) : "";
  const item = view.waiting.get(one.session ?? "");
  return html`<li>${inZone(zoneOf(automation), () => html`<time datetime=${one.at} title=${instant(one.at)}>${clock(one.at)} <span class="muted">${zoneCity()}</span></time>`)}<span class="chip ${TONES[kind]}">${t(`auto.${kind}`)}</span><span><a href=${to("automations", one.automation)}><b>${seen(name)}</b></a>${why ? html`: ${why}` : nothing}${count > 1 ? html` · ${rich("auto.times", { n: String(count), at: inZone(zoneOf(automation), () => clock(first.at)) })}` : nothing}${one.cause === "scheduled" ? "" : ` · ${named("cause", one.cause)}`} ${one.session ? html`<a href=${to("sessions", one.session)}>${t("auto.open-run")}</a>` : nothing} ${item ? html`<a href=${to("inbox", item.id)}>${t("auto.decide")}</a>` : nothing}</span></li>`;
};

/** Skips for the same reason, one after the other, are one row. @param {Occurrence[]} all the latest first */
const folded = (all) => {
  /** @type {{ one: Occurrence, first: Occurrence, count: number }[]} */
  const rows = [];
  for (const one of all) {
    // Those of other automations may stand between them.
    const last = rows.findLast((row) => row.one.automation === one.automation);
    if (last && one.outcome !== "ran" && last.one.outcome === one.outcome && last.one.blocked_by?.session === one.blocked_by?.session) {
      last.first = one;
      last.count += 1;
    } else rows.push({ one, first: one, count: 1 });
  }
  return rows;
};

const historyBox = () => {
  /** @type {Map<string, Occurrence[]>} */
  const days = new Map();
  for (const one of history().slice(0, 200)) days.set(dayKey(one.at), [...(days.get(dayKey(one.at)) ?? []), one]);
  if (days.size === 0) return html`<section class="box"><h3>${t("auto.history")}</h3><p class="pad muted">${t("auto.no-history")}</p></section>`;
  return html`<div class="days">${[...days.values()].map((all) => html`<section class="box"><h3>${dayLong(all[0]?.at ?? "")}</h3><ul class="hist">${folded(all).map(past)}</ul></section>`)}${hasOlder() ? html`<div><button class="btn sm" type="button" @click=${() => older().catch(() => {})}>${t("auto.older")}</button></div>` : nothing}</div>`;
};

const detail = () => {
  const one = view.one?.data;
  if (!view.open) return allBox();
  const done = (/** @type {string} */ id) => {
    view.one = null;
    go(to("automations", id), { replace: true });
    read().catch(() => {});
  };
  if (view.open === "new") {
    begin(null);
    return automationForm({ done, back: to("automations") });
  }
  if (!one || one.id !== view.open) return html`<section class="box"><p class="pad muted">${t("loading")}</p></section>`;
  if (view.isEditing && view.one) {
    begin(view.one);
    return automationForm({ done, back: to("automations", one.id) });
  }
  const coming = view.coming.get(one.id) ?? [];
  const off = !may("chat");
  return html`<section class="box one"><div class="row pad"><h3 class="name">${seen(one.name)}</h3><a class="btn sm bare" href=${to("automations")}>${t("auto.all")}</a></div>
    ${one.attention ? html`<p class="line warn">${icon("warn")}<span>${seen(one.attention)}</span></p>` : nothing}
    <dl class="meta pad"><dt>${t("auto.when")}</dt><dd><code>${seen(whenOf(one))}</code></dd>
      <dt>${t("auto.state")}</dt><dd>${named("auto-state", one.state)}</dd>
      ${one.begins ? html`<dt>${t("auto.message")}</dt><dd class="pre">${seen(one.begins.message)}</dd><dt>${t("detail.model")}</dt><dd>${seen(one.begins.model)} <span class="muted">${seen(one.begins.provider)}</span></dd>
      <dt>${t("auto.unattended")}</dt><dd>${named("unattended", one.policies.unattended ?? "park")}</dd>` : nothing}
      <dt>${t("auto.overlap")}</dt><dd>${named("overlap", one.policies.overlap)}</dd>
      <dt>${t("auto.catch-up")}</dt><dd>${one.policies.catch_up_ms === null || one.policies.catch_up_ms === undefined ? t("auto.always-late") : one.policies.catch_up_ms === 0 ? t("auto.never-late") : t("auto.late", { span: exactly(one.policies.catch_up_ms) })}</dd></dl>
    ${coming.length > 0 ? html`<h3 class="pad">${t("auto.coming")}</h3><ul class="insts">${coming.slice(0, 10).map((at) => html`<li>${own(one, at)}</li>`)}</ul>` : nothing}
    ${one.trigger.type === "event" ? html`<div class="f wide-f pad"><label for="event">${t("auto.event-text")}</label><textarea id="event" rows="2" .value=${view.event} @input=${(/** @type {Event} */ event) => {
      view.event = /** @type {HTMLTextAreaElement} */ (event.target).value;
    }}></textarea></div>` : nothing}
    <div class="chips pad"><button class="btn sm" type="button" ?disabled=${off} @click=${() => run(one)}>${t("auto.run-now")}</button>
      <button class="btn sm" type="button" ?disabled=${off} @click=${() => change(one, { enabled: one.state === "off" }, t(one.state === "off" ? "auto.was-on" : "auto.was-off", { name: one.name }))}>${t(one.state === "off" ? "auto.switch-on" : "auto.pause")}</button>
      ${off ? nothing : html`<a class="btn sm" href=${to("automations", one.id, "edit")}>${icon("pen")}${t("auto.change")}</a>
      <button class="btn sm no ${view.armed === one.id ? "armed" : ""}" type="button" @click=${() => remove(one)}>${view.armed === one.id ? t("auto.delete-what", { name: one.name }) : t("auto.delete")}</button>`}</div>
    ${dryRun({ a: one.id, event: one.trigger.type === "event" ? view.event : "", off, zone: zoneOf(one) })}
    ${view.armed === one.id ? html`<p class="pad small wait" role="status">${t("auto.delete-says")}</p>` : nothing}
    <h3 class="pad">${t("set.instructions")}</h3><div class="pad">${instructions()}</div></section>`;
};

const allBox = () => html`<section class="box"><h3>${t("auto.all")}</h3><ul class="all">${(view.all ?? []).map((one) => html`<li><a href=${to("automations", one.id)}>${seen(one.name)}</a> <span class="small muted">${seen(whenOf(one))} · ${named("auto-state", one.state)}${one.next_at ? html` · ${rich("auto.next-at", { at: own(one, one.next_at) })}` : nothing}</span></li>`)}</ul></section>`;

export default {
  /** @param {import("../core/route.js").Place} place */
  enter: (place) => {
    view.stop ??= keep(read, { seldom: true });
    const [open = "", part = ""] = place.parts;
    const isEditing = part === "edit";
    if (!isEditing && open !== "new") forget();
    // The one that is changed is the one that was read last.
    if (isEditing && !view.isEditing) view.one = null;
    if (open !== view.open || isEditing !== view.isEditing) {
      view.open = open;
      view.isEditing = isEditing;
      view.armed = "";
      view.one = null;
      view.fault = null;
      forgetDryRun();
      readOne().then(changed, () => {});
    }
  },
  leave: () => {
    view.stop?.();
    view.stop = null;
    view.open = "";
    view.isEditing = false;
    forget();
    forgetDryRun();
  },
  draw: () => {
    if (view.all === null) return html`<div class="view page"><p class="sr" role="status">${t("loading")}</p></div>`;
    if (view.all.length === 0) return html`<div class="view page" tabindex="0" role="region" aria-label=${t("nav.automations")}><div class="hrow"><h2 class="vt">${t("nav.automations")}</h2>${may("chat") && !view.open ? html`<a class="btn sm go end" href=${to("automations", "new")}>${icon("plus")}${t("auto.new")}</a>` : nothing}</div>${view.open === "new" ? detail() : html`<p class="empty">${t("auto.none")}</p>`}</div>`;
    const [from, until] = HOURS[view.span];
    const rows = view.all.map((one) => ({ id: one.id, name: one.name, zone: zoneOf(one), when: whenOf(one), marks: (view.past.get(one.id) ?? []).map((past) => ({ at: Date.parse(past.at), kind: became(past), session: past.session ?? null, words: `${t(`auto.${became(past)}`)}, ${inZone(zoneOf(one), () => instant(past.at))}` })), coming: (view.coming.get(one.id) ?? []).map((at) => Date.parse(at)) }));
    return html`<div class="view page" tabindex="0" role="region" aria-label=${t("nav.automations")}>${header()}${view.fault ? problem(view.fault) : nothing}
      ${timeline(rows, { from: state.now + from * 3_600_000, until: state.now + until * 3_600_000, now: state.now })}
      <div class="cols ${view.open ? "opened" : ""}">${historyBox()}${detail()}</div></div>`;
  },
};
