// An automation, made or changed: when it runs, in words and instants of the server, and what its runs begin with.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { act, all, ask, NoAnswer, Problem } from "../core/api.js";
import { changed, state, tell } from "../core/store.js";
import { atLocal, clock, day, exactly, inZone, instant, localOf, moment, zoneCity, zoneName } from "../core/time.js";
import { t } from "../core/words.js";
import { problem, seen } from "./text.js";
import { zoneFault, zoneField } from "./zone-field.js";

/** @typedef {import("../core/shapes").AutomationShape} Automation */
/** @typedef {import("../core/shapes").PreviewShape} Preview */
/** @typedef {Record<string, string | boolean>} Draft */

/** Milliseconds without typing after which an expression is looked at. */
const PAUSE = 250;
const UNITS = /** @type {const} */ ({ min: 60_000, h: 3_600_000, d: 86_400_000 });
/** Hours, where a missed one may still run for a while. */
const LATE = "6";

const NEW = { name: "", kind: "cron", expression: "0 8 * * 1-5", zone: "", every: "6", unit: "h", at: "", message: "", provider: "", model: "", asks: false, commands: "", overlap: "skip", late: "always", hours: LATE, latest: true, unattended: "", completion: "", profile: "", mode: "" };

const at = {
  /** The automation that is changed; none: a new one. @type {{ data: Automation, tag: string | null } | null} */ one: null,
  key: "",
  /** @type {Draft} */ draft: { ...NEW },
  /** As it was. @type {Draft} */ first: { ...NEW },
  /** @type {Preview | null} */ preview: null,
  /** @type {Problem | null} what is wrong with the expression */ wrong: null,
  /** @type {Problem | null} */ fault: null,
  isSending: false,
  /** @type {any[]} */ providers: [],
};

/** @param {Automation} one @returns {Draft} */
const draftOf = (one) => {
  const { trigger, begins, policies } = one;
  /** @type {Draft} */
  const draft = { ...NEW, name: one.name, kind: trigger.type, message: begins?.message ?? "", provider: begins?.provider ?? "", model: begins?.model ?? "", asks: begins?.require_validation ?? false, commands: (begins?.commands ?? []).join("\n"), overlap: policies.overlap, latest: policies.latest_only, unattended: policies.unattended ?? "", completion: policies.completion ?? "", profile: policies.profile ?? "", mode: policies.mode ?? "" };
  const late = policies.catch_up_ms;
  draft.late = late === null || late === undefined ? "always" : late === 0 ? "never" : "some";
  if (late) draft.hours = String(late / UNITS.h);
  if (trigger.type === "cron") Object.assign(draft, { expression: trigger.expression, zone: trigger.zone });
  if (trigger.type === "once") draft.at = localOf(trigger.at);
  if (trigger.type === "every") {
    const unit = /** @type {keyof typeof UNITS} */ (["d", "h", "min"].find((name) => trigger.interval_ms % UNITS[/** @type {keyof typeof UNITS} */ (name)] === 0) ?? "min");
    Object.assign(draft, { unit, every: String(trigger.interval_ms / UNITS[unit]) });
  }
  return draft;
};

/** Begins with an automation, or anew. @param {{ data: Automation, tag: string | null } | null} one */
export const begin = (one) => {
  const key = one?.data.id ?? "new";
  if (at.key === key) return;
  Object.assign(at, { one, key, preview: null, wrong: null, fault: null, isSending: false });
  at.draft = one ? draftOf(one.data) : { ...NEW, zone: zoneName() };
  at.first = { ...at.draft };
  if (at.draft.kind === "cron") preview();
  all("list_providers", {}).then((found) => {
    at.providers = found;
    changed();
  }, () => {});
};

/** What was typed is gone. */
export const forget = () => {
  at.key = "";
  at.one = null;
};

let due = 0;
let asked = 0;

/** Asks what an expression means, when nobody types any more. */
const preview = () => {
  clearTimeout(due);
  // Its fault stands beside the zone.
  if (zoneFault(String(at.draft.zone))) return Object.assign(at, { preview: null, wrong: null });
  due = window.setTimeout(look, PAUSE);
};

const look = async () => {
  const number = ++asked;
  const cron = String(at.draft.expression).trim();
  if (!cron || !state.workspace) return;
  try {
    const { data } = await ask("preview_schedule", { w: state.workspace.key }, { query: { cron, zone: String(at.draft.zone) } });
    if (number === asked) Object.assign(at, { preview: data, wrong: null });
  } catch (error) {
    if (error instanceof Problem && number === asked) Object.assign(at, { preview: null, wrong: error });
    else if (!(error instanceof Problem) && !(error instanceof NoAnswer)) throw error;
  }
  changed();
};

/** @param {string} name @param {string | boolean} value */
const put = (name, value) => {
  at.draft = { ...at.draft, [name]: value };
  if (["expression", "zone", "kind"].includes(name) && at.draft.kind === "cron") preview();
  // Another provider has its own model.
  if (name === "provider") at.draft.model = at.providers.find((one) => one.name === value)?.model ?? "";
  changed();
};

/** @param {string} name @param {(event: any) => string | boolean} [of] */
const typed = (name, of = (event) => event.target.value) => (/** @type {Event} */ event) => put(name, of(event));

const trigger = () => {
  const { draft } = at;
  switch (draft.kind) {
    case "cron":
      return { type: "cron", expression: String(draft.expression).trim(), zone: draft.zone || null };
    case "every":
      return { type: "every", interval_ms: Math.round(Number(draft.every) * UNITS[/** @type {keyof typeof UNITS} */ (draft.unit)]) };
    case "once":
      return { type: "once", at: new Date(atLocal(String(draft.at))).toISOString() };
    default:
      return { type: draft.kind };
  }
};

/** @param {Draft} draft */
const policies = (draft) => ({
  catch_up_ms: draft.late === "always" ? null : draft.late === "never" ? 0 : Math.round(Number(draft.hours) * UNITS.h),
  latest_only: draft.latest,
  overlap: draft.overlap,
  unattended: draft.unattended || null,
  completion: draft.completion || null,
  profile: draft.profile || null,
  mode: draft.mode || null,
});

/** @param {Draft} draft */
const commands = (draft) => String(draft.commands).split(/[\n,]/).map((one) => one.trim()).filter(Boolean);

/** What is sent: of one that is there, what was changed. */
const body = () => {
  const { draft, first } = at;
  /** @type {Record<string, unknown>} */
  const found = {};
  const differs = (/** @type {string[]} */ ...names) => !at.one || names.some((name) => draft[name] !== first[name]);
  if (differs("name")) found.name = String(draft.name).trim();
  if (differs("kind", "expression", "zone", "every", "unit", "at")) found.trigger = trigger();
  if (differs("message")) found.message = draft.message;
  if (differs("provider") && draft.provider) found.provider = draft.provider;
  if (differs("model", "provider") && draft.model) found.model = draft.model;
  if (differs("asks")) found.require_validation = draft.asks;
  // Nothing in the field stands for every command.
  if (at.one ? differs("commands") : draft.commands) found.commands = commands(draft).length > 0 ? commands(draft) : ["*"];
  if (differs("late", "hours", "latest", "overlap", "unattended", "completion", "profile", "mode")) found.policies = policies(draft);
  return found;
};

/** @param {(id: string) => void} done */
const send = async (done) => {
  const { one, draft } = at;
  const name = String(draft.name).trim();
  if (draft.kind === "once" && Number.isNaN(atLocal(String(draft.at)))) return;
  const w = state.workspace?.key ?? "";
  const words = t(one ? "auto.was-changed" : "auto.was-made", { name });
  const say = tell("sending", `${words} ${t("news.sending")}`);
  at.isSending = true;
  at.fault = null;
  changed();
  try {
    const what = body();
    const { data } = one ? await act("change_automation", { w, a: one.data.id }, { body: what, match: one.tag ?? "" }) : await act("create_automation", { w }, { body: what });
    say("ok", `${words} ${t("news.recorded", { at: clock(Date.now()) })}`);
    forget();
    done(data.id);
  } catch (error) {
    if (!(error instanceof Problem) && !(error instanceof NoAnswer)) throw error;
    say("bad", error instanceof Problem ? t("news.refused", { what: name, why: error.title }) : `${words} ${t("news.unknown")}`);
    if (error instanceof Problem) at.fault = error;
  } finally {
    at.isSending = false;
    changed();
  }
};

/** Where the server names a field otherwise. @type {Record<string, string>} */
const PATHS = { expression: "trigger.expression", zone: "trigger.zone", every: "trigger.interval_ms", at: "trigger.at", kind: "trigger", late: "policies.catch_up_ms", hours: "policies.catch_up_ms", overlap: "policies.overlap", unattended: "policies.unattended", completion: "policies.completion", profile: "policies.profile", mode: "policies.mode" };

/** @param {string} name */
const refused = (name) => at.fault?.fields.filter((field) => field.path === (PATHS[name] ?? name)) ?? [];

/** @param {string} name @param {string} label @param {unknown} control @param {unknown} [hint] */
const row = (name, label, control, hint = nothing) => html`<div class="f"><label for="a-${name}">${label}</label>${control}${hint === nothing ? nothing : html`<span class="hint">${hint}</span>`}${refused(name).map((field) => html`<span class="err" role="alert">${seen(field.says)}</span>`)}</div>`;

/** @param {string} name @param {[string, string][]} options */
const choice = (name, options) => html`<select id="a-${name}" @change=${typed(name)}>${options.map(([value, words]) => html`<option value=${value} ?selected=${at.draft[name] === value}>${words}</option>`)}</select>`;

/** @param {string} name @param {string} [more] */
const check = (name, more = "") => html`<label class="check"><input type="checkbox" .checked=${live(Boolean(at.draft[name]))} @change=${typed(name, (event) => event.target.checked)}>${t(`auto.f-${more || name}`)}</label>`;

const cron = () => {
  return html`${row("expression", t("auto.f-cron"), html`<input id="a-expression" class="mono" required spellcheck="false" autocomplete="off" aria-invalid=${at.wrong ? "true" : "false"} aria-describedby="a-means" .value=${live(String(at.draft.expression))} @input=${typed("expression")}>`, t("auto.f-cron-hint"))}
    ${row("zone", t("auto.f-zone"), zoneField({ id: "a-zone", value: String(at.draft.zone), put: (zone) => put("zone", zone) }))}
    <div id="a-means" class="means" role="status">${meaning()}</div>`;
};

/** What the server says of the expression. */
const meaning = () => {
  if (at.wrong) return html`<p class="err danger">${seen(at.wrong.detail || at.wrong.title)}</p>`;
  const { preview } = at;
  if (!preview) return nothing;
  const change = preview.clock_change;
  return html`<p><b>${preview.says}</b></p>
    ${preview.warnings.map((one) => html`<p class="small wait">${seen(one)}</p>`)}
    ${preview.instants.length > 0 ? html`<ol class="insts">${preview.instants.map((one) => inZone(preview.zone, () => html`<li title=${instant(one)}>${moment(one, state.now)} ${zoneCity()}</li>`))}</ol>` : nothing}
    ${preview.fault ? html`<p class="small wait">${seen(preview.fault)}</p>` : nothing}
    ${change ? html`<p class="small muted">${inZone(preview.zone, () => t(change.minutes < 0 ? "auto.clocks-back" : "auto.clocks-forward", { day: day(change.at), at: clock(change.at), n: Math.abs(change.minutes) }))}</p>` : nothing}`;
};

const when = () => {
  switch (at.draft.kind) {
    case "cron":
      return cron();
    case "every":
      return row("every", t("auto.f-every"), html`<span class="with"><input id="a-every" type="number" min="1" required .value=${live(String(at.draft.every))} @input=${typed("every")}><select aria-label=${t("auto.f-unit")} @change=${typed("unit")}>${Object.keys(UNITS).map((unit) => html`<option value=${unit} ?selected=${at.draft.unit === unit}>${t(`auto.unit-${unit}`)}</option>`)}</select></span>`, Number(at.draft.every) > 0 ? t("auto.every", { span: exactly(Number(at.draft.every) * UNITS[/** @type {keyof typeof UNITS} */ (at.draft.unit)]) }) : nothing);
    case "once":
      return row("at", t("auto.f-at"), html`<input id="a-at" type="datetime-local" required .value=${live(String(at.draft.at))} @input=${typed("at")}>`, t("auto.f-at-hint", { zone: zoneName() }));
    default:
      return html`<p class="small muted">${t(`auto.f-${at.draft.kind}-hint`)}</p>`;
  }
};

const policyFields = () => html`<details class="more-fields"><summary>${t("auto.f-policies")}</summary><div class="form">
  ${row("overlap", t("auto.overlap"), choice("overlap", [["skip", t("overlap.skip")], ["queue", t("overlap.queue")]]))}
  ${row("late", t("auto.catch-up"), choice("late", [["always", t("auto.always-late")], ["some", t("auto.some-late")], ["never", t("auto.never-late")]]))}
  ${at.draft.late === "some" ? row("hours", t("auto.f-hours"), html`<input id="a-hours" type="number" min="0.1" step="any" required .value=${live(String(at.draft.hours))} @input=${typed("hours")}>`) : nothing}
  ${check("latest")}
  ${row("unattended", t("auto.unattended"), choice("unattended", [["", t("auto.f-as-workspace")], ["park", t("unattended.park")], ["refuse", t("unattended.refuse")], ["allow", t("unattended.allow")]]))}
  ${row("completion", t("auto.f-completion"), choice("completion", [["", t("auto.f-as-workspace")], ["trust", t("completion.trust")], ["ask_once", t("completion.ask_once")]]))}
  ${row("profile", t("auto.f-profile"), choice("profile", [["", t("auto.f-as-workspace")], ["autonomous", t("profile.autonomous")], ["strict", t("profile.strict")]]))}
  ${row("mode", t("detail.mode"), choice("mode", [["", t("auto.f-as-workspace")], ["free", t("mode.free")], ["plan", t("mode.plan")]]))}
  ${row("commands", t("detail.commands"), html`<textarea id="a-commands" class="mono" rows="2" spellcheck="false" .value=${live(String(at.draft.commands))} @input=${typed("commands")}></textarea>`, t("auto.f-commands-hint"))}
</div></details>`;

/** @param {{ done: (id: string) => void, back: string }} how */
export const automationForm = ({ done, back }) => {
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    send(done);
  };
  return html`<form class="box automation-form" @submit=${submit}><div class="row pad"><h3 class="name">${t(at.one ? "auto.change" : "auto.new")}</h3><a class="btn sm bare" href=${back}>${t("card.back")}</a></div>
    <div class="form">
      ${row("name", t("auto.f-name"), html`<input id="a-name" required maxlength="200" autocomplete="off" .value=${live(String(at.draft.name))} @input=${typed("name")}>`)}
      ${row("kind", t("auto.when"), choice("kind", [["cron", t("auto.kind-cron")], ["every", t("auto.kind-every")], ["once", t("auto.kind-once")], ["manual", t("auto.manual")], ["event", t("auto.event")]]))}
      ${when()}
      ${row("message", t("auto.message"), html`<textarea id="a-message" rows="4" required .value=${live(String(at.draft.message))} @input=${typed("message")}></textarea>`, t("auto.f-message-hint"))}
      ${row("provider", t("detail.provider"), html`<select id="a-provider" @change=${typed("provider")}><option value="" ?selected=${!at.draft.provider}>${t("auto.f-default")}</option>${at.providers.map((one) => html`<option value=${one.name} ?selected=${one.name === at.draft.provider}>${seen(one.name)}</option>`)}</select>`)}
      ${row("model", t("detail.model"), html`<input id="a-model" autocomplete="off" .value=${live(String(at.draft.model))} @input=${typed("model")}>`, t("auto.f-model-hint"))}
      ${check("asks")}
      ${policyFields()}
      ${at.fault ? problem(at.fault) : nothing}
      <div><button class="btn go" ?disabled=${at.isSending || (at.draft.kind === "cron" && Boolean(at.wrong || zoneFault(String(at.draft.zone))))}>${at.isSending ? t("sent.short") : t(at.one ? "set.save" : "auto.make")}</button></div>
    </div></form>`;
};
