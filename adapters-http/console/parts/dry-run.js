// A dry run of an automation: would it work tonight? Played where it changes nothing, and shown here only.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { act, NoAnswer, Problem } from "../core/api.js";
import { to } from "../core/route.js";
import { changed, state } from "../core/store.js";
import { count, instant, inZone, moment, zoneCity } from "../core/time.js";
import { named, t } from "../core/words.js";
import { icon } from "./icons.js";
import { problem, seen } from "./text.js";

/** @typedef {import("../core/shapes").DryRunShape} DryRun */

const at = {
  of: "",
  /** @type {DryRun | null} */ run: null,
  isPlaying: false,
  script: "",
  zone: "UTC",
  /** @type {Problem | null} */ fault: null,
};

/** Nothing of a dry run is kept longer than its automation is open. */
export const forgetDryRun = () => Object.assign(at, { of: "", run: null, isPlaying: false, script: "", fault: null });

/** @param {string} a @param {string} event */
const play = async (a, event) => {
  Object.assign(at, { of: a, run: null, isPlaying: true, fault: null });
  changed();
  try {
    const body = { ...(at.script.trim() ? { script: at.script } : {}), ...(event ? { event } : {}) };
    const { data } = await act("dry_run_automation", { w: state.workspace?.key ?? "", a }, { body });
    if (at.of === a) at.run = data;
  } catch (error) {
    if (!(error instanceof Problem) && !(error instanceof NoAnswer)) throw error;
    if (error instanceof Problem && at.of === a) at.fault = error;
  }
  at.isPlaying = false;
  changed();
};

/** @param {DryRun["calls"][number]} call */
const call = (call) => html`<li><div><code>${seen(call.command)}</code> <span class="chip">${named("command", call.kind)}</span>${call.waits_for_approval ? html` <span class="chip wait">${t("dry.asks")}</span>` : nothing}${call.held_back ? html` <span class="chip">${t("dry.held")}</span>` : html` <span class="chip">${seen(call.state)}</span>`}
  <br><span class="small">${seen(call.says ?? JSON.stringify(call.arguments))}</span>${call.reasons.map((reason) => html`<br><span class="small muted">${seen(reason.text)}</span>`)}</div></li>`;

/** @param {DryRun["commands"][number]} command */
const command = (command) => html`<li><div><code>${seen(command.name)}</code> <span class="chip">${named("command", command.kind)}</span>${command.reasons.map((reason) => html`<br><span class="small muted">${seen(reason.text)}</span>`)}</div></li>`;

/** What a run would come to: its colour, its icon, its words. @param {DryRun} run @returns {[string, string, string]} */
const verdict = (run) => !run.would_work ? ["danger", "cross", "dry.works-not"] : run.findings.some((found) => found.code === "left_out") ? ["warn", "warn", "dry.leaves-out"] : ["ok", "check", "dry.works"];

/** @param {DryRun} run */
const result = (run) => html`<div class="dry" role="status"><p class=${verdict(run)[0]}>${icon(verdict(run)[1])} <b>${t(verdict(run)[2])}</b></p>
  ${run.findings.length > 0 ? html`<ul class="conditions">${run.findings.map((found) => html`<li class=${found.blocks ? "danger" : ""}>${icon(found.blocks ? "cross" : "warn")} ${seen(found.says)}</li>`)}</ul>` : nothing}
  <p class="small muted">${run.plays === "last_run" && run.last_run ? html`${t("dry.plays-last_run")} <a href=${to("sessions", run.last_run)}>${t("auto.open-run")}</a>` : t(`dry.plays-${run.plays}`)}${run.next_at ? html` · ${inZone(at.zone, () => html`<span title=${instant(run.next_at ?? "")}>${t("auto.next-at", { at: `${moment(run.next_at ?? "", state.now)} ${zoneCity()}` })}</span>`)}` : nothing}</p>
  ${run.calls.length > 0 ? html`<h4>${t("dry.calls")}</h4><ul class="lines">${run.calls.map(call)}</ul>` : nothing}
  ${run.request ? html`<details><summary>${t("dry.asked", { n: count(run.request.estimated_tokens) })}${run.request.context_tokens ? ` ${t("dry.of", { n: count(run.request.context_tokens) })}` : ""}</summary><pre class="snippet" tabindex="0">${seen(run.request.message)}</pre></details>` : nothing}
  <details><summary>${t("dry.commands", { n: run.commands.length })}</summary><ul class="lines">${run.commands.map(command)}</ul></details></div>`;

/**
 * The button, and what came of it.
 * @param {{ a: string, event: string, off: boolean, zone: string }} of
 */
export const dryRun = ({ a, event, off, zone }) => {
  at.zone = zone;
  return html`<div class="pad dry-box"><div class="chips"><button class="btn sm" type="button" ?disabled=${off || at.isPlaying} @click=${() => play(a, event)}>${t(at.isPlaying && at.of === a ? "dry.playing" : "dry.play")}</button><span class="small muted">${t("dry.says")}</span></div>
  <details class="small"><summary>${t("dry.script")}</summary><div class="f wide-f"><label for="dry-script">${t("dry.script-says")}</label><textarea id="dry-script" rows="4" spellcheck="false" .value=${at.script} @input=${(/** @type {Event} */ event) => {
    at.script = /** @type {HTMLTextAreaElement} */ (event.target).value;
  }}></textarea></div></details>
  ${at.of === a && at.fault ? problem(at.fault) : nothing}${at.of === a && at.run ? result(at.run) : nothing}</div>`;
};
