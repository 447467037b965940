// The plan that a person approved, and how far each of its steps is.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { named, t } from "../core/words.js";
import { seen } from "./text.js";

/** @typedef {{ id: string, text: string, state: "open" | "doing" | "done" | "skipped", note: string | null }} Step */
/** @typedef {{ digest: string, title: string, steps: Step[], approved_by: string | null }} Plan */

/** The plan that was approved last, and how far it is. @param {Plan | null | undefined} plan */
export const progress = (plan) => {
  if (!plan) return nothing;
  const over = plan.steps.filter((step) => step.state === "done" || step.state === "skipped").length;
  return html`<section class="box plan" aria-label=${t("chat.plan")}><h3>${seen(plan.title)} <span class="small muted">${plan.approved_by ? t("plan.done", { n: over, all: plan.steps.length }) : t("plan.not-approved")}</span></h3>
    <ol class="steps">${plan.steps.map((step) => html`<li class=${step.state}><span>${seen(step.text)}</span> <span class="chip">${named("step", step.state)}</span>${step.note ? html` <span class="small muted">${seen(step.note)}</span>` : nothing}</li>`)}</ol></section>`;
};
