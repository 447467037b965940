// One model call: what exactly was asked, of what parts it is made, and what is new since the call before it.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { guard } from "../vendor/lit-html/directives/guard.js";
import { all, ask, Problem } from "../core/api.js";
import { lines } from "../core/diff.js";
import { keep } from "../core/feed.js";
import { laidOut } from "../core/json.js";
import { to } from "../core/route.js";
import { changed, state } from "../core/store.js";
import { count, instant, moment } from "../core/time.js";
import { named, t } from "../core/words.js";
import { icon } from "../parts/icons.js";
import { problem, refusalOf, seen, short } from "../parts/text.js";

/** @typedef {import("../core/shapes").PromptShape} Prompt */
/** @typedef {import("../core/shapes").ModelCallShape} ModelCall */

/** Lines that stay on either side of what differs. */
const AROUND = 3;
/** Model calls of a session that are looked through for the one before. */
const MOST = 2000;
const LOOKS = /** @type {const} */ (["changes", "laid-out", "exact"]);

const page = {
  session: "",
  id: "",
  /** @type {Prompt | null} */ prompt: null,
  /** @type {import("../core/shapes").PartsShape | null} */ parts: null,
  /** @type {ModelCall[]} the latest first */ calls: [],
  /** The one before it; undefined until it is known. @type {Prompt | null | undefined} */ before: undefined,
  look: /** @type {typeof LOOKS[number]} */ ("changes"),
  /** @type {Set<number>} runs of lines that are open */ open: new Set(),
  /** @type {Problem | null} */ fault: null,
};
/** @type {(() => void) | null} */
let stop = null;

/** A call does not change, so it is read once. */
const read = async () => {
  const { session, id } = page;
  if (!id || !state.workspace || page.prompt) return;
  const w = state.workspace.key;
  try {
    const [prompt, parts, calls] = await Promise.all([ask("get_model_call", { w, mc: id }), ask("get_model_call_parts", { w, mc: id }), all("list_model_calls", { w, s: session }, {}, MOST)]);
    if (page.id !== id) return;
    Object.assign(page, { prompt: prompt.data, parts: parts.data, calls, fault: null });
    const last = calls[calls.findIndex((one) => one.id === id) + 1];
    const before = last && calls.some((one) => one.id === id) ? (await ask("get_model_call", { w, mc: last.id })).data : null;
    if (page.id === id) page.before = before;
  } catch (error) {
    page.fault = refusalOf(error);
  }
  changed();
};

const facts = () => {
  const one = page.prompt;
  if (!one) return nothing;
  const verdict = { matches: "ok", differs: "danger", not_recorded: "", results_gone: "wait", not_written: "wait" }[one.verdict] ?? "";
  return html`<dl class="meta pad">
    <dt>${t("detail.model")}</dt><dd>${seen(one.model)} <span class="muted">${seen(one.provider)}, ${one.dialect}</span></dd>
    <dt>${t("prompt.at")}</dt><dd title=${instant(one.at)}>${moment(one.at, state.now)}</dd>
    <dt>${t("prompt.attempt")}</dt><dd>${one.attempt}</dd>
    <dt>${t("prompt.bytes")}</dt><dd><span class="chip ${verdict}">${t(`prompt.is-${one.verdict}`)}</span> ${one.digest ? html`<code title=${one.digest}>${short(one.digest)}</code>` : nothing}</dd>
    ${one.sent_by === page.session ? nothing : html`<dt>${t("prompt.sent-by")}</dt><dd><a href=${to("sessions", one.sent_by)}><code>${one.sent_by}</code></a></dd>`}
  </dl>${one.failure ? html`<p class="pad wait">${seen(one.failure)}</p>` : nothing}`;
};

const parts = () => {
  const found = page.parts;
  if (!found) return nothing;
  const most = Math.max(1, ...found.parts.map((one) => one.estimated_tokens));
  const room = found.context_tokens;
  return html`<section class="box"><h3>${t("prompt.parts")}</h3>
    <p class="pad small muted">${room ? t("prompt.tokens-of", { n: count(found.estimated_tokens), room: count(room), percent: Math.round((found.estimated_tokens / room) * 100) }) : t("prompt.tokens", { n: count(found.estimated_tokens) })} ${t("prompt.estimated", { n: found.chars_per_token })}</p>
    <ol class="bars parts">${found.parts.map((one) => html`<li><span class="one-line" title=${one.name}>${named("prompt-part", one.part)} <span class="muted">${seen(one.name)}</span></span><span class="track"><i class="fill model" .style=${`width:${((one.estimated_tokens / most) * 100).toFixed(1)}%`}></i></span><span class="took">${count(one.estimated_tokens)}</span></li>`)}</ol></section>`;
};

/** @param {import("../core/diff.js").Run} run @param {number} at @param {number} of */
const drawRun = (run, at, of) => {
  if (run.kind === "del") return html`<del>${seen(`${run.lines.join("\n")}\n`)}</del>`;
  if (run.kind === "ins") return html`<ins>${seen(`${run.lines.join("\n")}\n`)}</ins>`;
  const [top, bottom] = [at === 0 ? 0 : AROUND, at === of - 1 ? 0 : AROUND];
  const hidden = run.lines.length - top - bottom;
  if (hidden <= 2 || page.open.has(at)) return seen(`${run.lines.join("\n")}\n`);
  return html`${top ? seen(`${run.lines.slice(0, top).join("\n")}\n`) : nothing}<button type="button" class="hidden-lines" @click=${() => {
    page.open = new Set([...page.open, at]);
    changed();
  }}>${t("prompt.hidden", { n: hidden })}</button>${bottom ? seen(`${run.lines.slice(-bottom).join("\n")}\n`) : nothing}`;
};

const changes = () => {
  const { prompt, before } = page;
  if (before === undefined || !prompt) return html`<p class="pad muted">${t("loading")}</p>`;
  if (before === null) return html`<p class="pad muted">${t("prompt.first")}</p>`;
  if (before.body === null || before.body === undefined) return html`<p class="pad muted">${t("prompt.before-unknown")}</p>`;
  return guard([prompt.id, page.open], () => {
    const runs = lines(laidOut(before.body ?? ""), laidOut(prompt.body ?? ""));
    if (runs.every((run) => run.kind === "same")) return html`<p class="pad muted">${t("prompt.same")}</p>`;
    return html`<pre class="request" tabindex="0">${runs.map((run, at) => drawRun(run, at, runs.length))}</pre>`;
  });
};

const body = () => {
  const one = page.prompt;
  if (!one || one.body === null || one.body === undefined) return nothing;
  const text = one.body;
  const shown = () => {
    switch (page.look) {
      case "exact":
        return guard([one.id], () => html`<pre class="request" tabindex="0">${seen(text)}</pre>`);
      case "laid-out":
        return guard([one.id], () => html`<pre class="request" tabindex="0">${seen(laidOut(text))}</pre>`);
      default:
        return changes();
    }
  };
  return html`<section class="box"><div class="row pad"><h3>${t("prompt.request")}</h3><span class="seg" role="group" aria-label=${t("prompt.look")}>${LOOKS.map((look) => html`<button type="button" aria-pressed=${page.look === look ? "true" : "false"} @click=${() => {
    page.look = look;
    changed();
  }}>${t(`prompt.${look}`)}</button>`)}</span></div>
    <p class="pad small muted">${t(`prompt.${page.look}-says`)}</p>${shown()}</section>`;
};

/** The calls beside it. */
const beside = () => {
  const at = page.calls.findIndex((one) => one.id === page.id);
  if (at < 0) return nothing;
  const link = (/** @type {ModelCall | undefined} */ one, /** @type {string} */ words) => (one ? html`<a class="btn sm" href=${to("sessions", page.session, "prompt", one.id)}>${words}</a>` : nothing);
  return html`${link(page.calls[at + 1], t("prompt.before"))}${link(page.calls[at - 1], t("prompt.next"))}`;
};

export default {
  /** @param {string} session @param {string} id */
  enter: (session, id) => {
    if (page.id === id && stop) return;
    Object.assign(page, { session, id, prompt: null, parts: null, before: undefined, open: new Set(), fault: null });
    stop?.();
    stop = keep(read);
  },
  leave: () => {
    stop?.();
    stop = null;
    page.id = "";
  },
  draw: () => html`<section class="pane">
    <div class="top"><a class="btn bare sm" href=${to("sessions", page.session, "detail")}>${icon("back")}${t("chat.detail")}</a><div class="top-words"><h2 class="st">${page.prompt ? t("prompt.title", { n: page.prompt.round }) : "…"}</h2></div><div class="chips top-acts">${beside()}</div></div>
    <div class="scroll" tabindex="0" role="region" aria-label=${t("prompt.request")}>${page.fault ? problem(page.fault) : nothing}
      ${page.prompt ? html`<div class="cols"><section class="box"><h3>${t("detail.facts")}</h3>${facts()}</section>${parts()}</div>${body()}` : html`<p class="sr" role="status">${t("loading")}</p>`}</div></section>`,
};
