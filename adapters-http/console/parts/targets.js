// Where somebody is told that something waits: a topic of ntfy or a webhook, what it is told, and whether it works.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { act, Problem } from "../core/api.js";
import { changed, may, state } from "../core/store.js";
import { instant, moment } from "../core/time.js";
import { named, rich, t } from "../core/words.js";
import { icon } from "./icons.js";
import { seen } from "./text.js";

/** @typedef {import("../core/shapes").TargetShape} Target */
/** @typedef {(words: string, done: () => Promise<unknown>) => Promise<void>} Change */

const KINDS = ["approval.requested", "approval.waits", "question.asked", "outcome.unknown", "call.failed", "run.ended", "task.ended", "occurrence.missed", "rule.expiring"];
const NEW = { name: "", way: "ntfy", place: "", secret: "", quiet: "", gather: "0", isPrivate: false, full: false, links: false };

const at = {
  draft: { ...NEW },
  kinds: new Set(KINDS),
  /** What the last test of each said. @type {Map<string, { taken: boolean, why: string }>} */ tested: new Map(),
  armed: "",
};

const w = () => state.workspace?.key ?? "";

/** @param {Target} one */
const wants = (one) => [one.kinds.length > 0 ? one.kinds.map((kind) => named("notify", kind)).join(", ") : t("target.all"), one.quiet_hours ? t("target.quiet", { hours: one.quiet_hours }) : "", one.gather_seconds > 0 ? t("target.gathers", { n: one.gather_seconds }) : "", one.private ? t("target.f-private") : "", one.full ? t(one.way === "push" ? "push.f-words" : "target.f-full") : "", one.links ? t("target.f-links") : ""].filter(Boolean).join(" · ");

/** @param {Target} one @param {Change} change */
const test = async (one, change) => {
  await change(t("target.was-tested", { name: one.name }), async () => {
    const { data } = await act("test_target", { w: w(), target: one.id }, {});
    at.tested.set(one.id, { taken: data.taken, why: data.why ?? "" });
  });
};

/** @param {Target} one @param {Change} change */
export const target = (one, change) => {
  const tested = at.tested.get(one.id);
  const path = { w: w(), target: one.id };
  const isArmed = at.armed === one.id;
  return html`<li class="wide-line"><div><b>${seen(one.name)}</b> <span class="chip">${named("way", one.way)}</span>${one.disabled ? html` <span class="chip wait">${one.disabled === "410" ? t(one.way === "push" ? "push.gone" : "target.gone") : rich("target.off-by", { by: seen(one.disabled) })}</span>` : nothing}${one.off ? html`<p class="small danger" role="status">${icon("cross")} ${rich("target.off", { why: seen(one.off) })}</p>` : html`<br>`}<code class="small">${seen(one.place)}</code>
    <br><span class="small muted">${wants(one)}</span><br><span class="small muted">${seen(one.person)} · <span title=${instant(one.created_at)}>${t("set.made", { at: moment(one.created_at, state.now) })}</span>${one.secret ? html` · ${t("set.key-from")} <code>${seen(one.secret)}</code>` : nothing}</span>
    ${tested ? html`<p class="small ${tested.taken ? "ok" : "danger"}" role="status">${icon(tested.taken ? "check" : "cross")} ${tested.taken ? t("target.taken") : seen(tested.why)}</p>` : nothing}</div>
    ${may("approve") ? html`<div class="chips"><button class="btn sm" type="button" @click=${() => test(one, change)}>${t("target.test")}</button>
      <button class="btn sm" type="button" @click=${() => change(t(one.disabled ? "target.was-on" : "target.was-off", { name: one.name }), () => act("change_target", path, { body: { enabled: Boolean(one.disabled) } }))}>${t(one.disabled ? "auto.switch-on" : "auto.pause")}</button>
      <button class="btn sm no ${isArmed ? "armed" : ""}" type="button" @click=${() => {
        if (isArmed) return change(t("target.was-removed", { name: one.name }), () => act("remove_target", path, {}));
        at.armed = one.id;
        changed();
      }}>${t(isArmed ? "target.remove-sure" : "target.remove")}</button></div>` : nothing}</li>`;
};

/** @param {keyof typeof NEW} name @param {(event: any) => string | boolean} [of] */
const typed = (name, of = (event) => event.target.value) => (/** @type {Event} */ event) => {
  at.draft = { ...at.draft, [name]: of(event) };
  changed();
};

/** @param {"isPrivate" | "full" | "links"} name @param {string} words @param {boolean} [off] */
const check = (name, words, off = false) => html`<label class="check"><input type="checkbox" ?disabled=${off} .checked=${live(at.draft[name])} @change=${typed(name, (event) => event.target.checked)}>${words}</label>`;

/** @param {Change} change */
export const newTarget = (change) => {
  if (!may("approve")) return nothing;
  const { draft } = at;
  const add = (/** @type {Event} */ event) => {
    event.preventDefault();
    change(t("target.was-added", { name: draft.name }), async () => {
      const body = {
        name: draft.name.trim(), [draft.way]: draft.place.trim(), secret_env: draft.secret.trim() || null,
        wants: { kinds: at.kinds.size === KINDS.length ? [] : [...at.kinds], quiet_hours: draft.quiet.trim() || null, gather_seconds: Number(draft.gather) || 0, private: draft.isPrivate, full: draft.isPrivate && draft.full, links: draft.isPrivate && draft.links },
      };
      await act("add_target", { w: w() }, { body });
      at.draft = { ...NEW };
      at.kinds = new Set(KINDS);
    }).catch((error) => {
      if (!(error instanceof Problem)) throw error;
    });
  };
  return html`<form class="box" @submit=${add}><h3>${t("target.new")}</h3><div class="form">
    <div class="f"><label for="n-name">${t("set.token-name")}</label><input id="n-name" required maxlength="100" autocomplete="off" .value=${live(draft.name)} @input=${typed("name")}></div>
    <div class="f"><label for="n-way">${t("target.way")}</label><select id="n-way" @change=${typed("way")}>${["ntfy", "webhook"].map((way) => html`<option value=${way} ?selected=${way === draft.way}>${named("way", way)}</option>`)}</select></div>
    <div class="f"><label for="n-place">${t("target.place")}</label><input id="n-place" type="url" required autocomplete="off" spellcheck="false" .value=${live(draft.place)} @input=${typed("place")}><span class="hint">${t(`target.place-${draft.way}`)}</span></div>
    <div class="f"><label for="n-secret">${t("target.secret")}</label><input id="n-secret" autocomplete="off" spellcheck="false" placeholder="ENTRACTE_NOTIFY_…" .value=${live(draft.secret)} @input=${typed("secret")}><span class="hint">${t("target.secret-hint")}</span></div>
    <fieldset class="f wide-f"><legend>${t("target.told")}</legend><div class="chips">${KINDS.map((kind) => html`<label class="check"><input type="checkbox" .checked=${live(at.kinds.has(kind))} @change=${() => {
      if (!at.kinds.delete(kind)) at.kinds.add(kind);
      changed();
    }}>${named("notify", kind)}</label>`)}</div></fieldset>
    <div class="f"><label for="n-quiet">${t("target.quiet-hours")}</label><input id="n-quiet" placeholder="22:00-07:00" autocomplete="off" .value=${live(draft.quiet)} @input=${typed("quiet")}></div>
    <div class="f"><label for="n-gather">${t("target.gather")}</label><input id="n-gather" type="number" min="0" max="86400" .value=${live(draft.gather)} @input=${typed("gather")}><span class="hint">${t("target.gather-hint")}</span></div>
    <div class="chips">${check("isPrivate", t("target.f-private"))}${check("full", t("target.f-full"), !draft.isPrivate)}${check("links", t("target.f-links"), !draft.isPrivate)}</div>
    <p class="small muted">${t("target.private-hint")}</p>
    <div><button class="btn go">${t("target.add")}</button></div></div></form>`;
};
