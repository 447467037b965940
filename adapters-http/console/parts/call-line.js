// A call as one line, which opens: its arguments, its decision, its result.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { members, plain, pretty } from "../core/json.js";
import { instant, took } from "../core/time.js";
import { named, t } from "../core/words.js";
import { icon } from "./icons.js";
import { seen } from "./text.js";

/** @typedef {import("../core/shapes").CallShape} Call */

const DONE = new Set(["succeeded", "cached", "duplicate", "accepted"]);
const OPEN = new Set(["proposed", "waiting_decision", "approved", "started", "delayed"]);

/** @param {Call} call */
const drawing = (call) => {
  if (DONE.has(call.state)) return icon("check", "ok");
  if (call.state === "started") return icon("dot", "accent");
  if (call.state === "waiting_decision") return icon("approval", "wait");
  if (OPEN.has(call.state)) return icon("ring");
  if (call.state === "unknown") return icon("unsettled", "unknown");
  return icon("cross", "danger");
};

/** Its arguments in a few words. @param {Call} call */
const briefly = (call) => (members(call.arguments_text) ?? []).map(([name, value]) => `${name}: ${plain(value).replace(/\s+/g, " ")}`).join(", ").slice(0, 160);

/** @typedef {{ text: string, percent: number | null }} Progress what a running call says of itself */

/** @param {Call} call @param {Progress | null | undefined} progress */
const status = (call, progress) => {
  if (DONE.has(call.state)) return seen(briefly(call));
  if (call.state !== "started" || !progress) return named("call", call.state);
  const part = progress.percent === null ? "" : `${progress.percent}\u202f%`;
  return html`<span class="call-progress">${seen([part, progress.text].filter(Boolean).join(" · "))}</span>`;
};

/** @param {Call} call @param {Progress} [progress] */
export const callLine = (call, progress) => html`<details class="call" data-call=${call.id}>
  <summary>${drawing(call)}<code>${seen(call.command)}</code><span class="one-line">${status(call, progress)}</span><span class="took">${call.started_at && call.finished_at ? took(Date.parse(call.finished_at) - Date.parse(call.started_at)) : nothing}</span></summary>
  <div class="call-more">
    <h4>${t("call.arguments")}</h4><pre tabindex="0">${seen(pretty(call.arguments_text))}</pre>
    ${call.proposed ? html`<h4>${t("call.proposed")}</h4><pre tabindex="0">${seen(pretty(JSON.stringify(call.proposed)))}</pre>` : nothing}
    ${call.decision ? html`<p class="small muted">${named("decision", call.decision)}${call.decided_by ? html` · ${seen(call.decided_by)}` : nothing}</p>` : nothing}
    ${(call.comments ?? []).map((comment) => html`<p class="small" data-comment>${t("call.comment", { by: comment.by })} ${seen(comment.text)} <span class="muted">${instant(comment.at)}</span></p>`)}
    ${call.content ? html`<h4>${t("call.result")}</h4><pre tabindex="0">${seen(call.content)}</pre>` : nothing}
    <p class="small muted">${named("call", call.state)} · ${t("call.attempts", { n: call.attempt })} · ${instant(call.requested_at)} · <code>${call.id}</code></p>
  </div></details>`;
