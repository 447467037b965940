// A plan on its card: what a person approves before a session acts.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { members } from "../core/json.js";
import { seen } from "./text.js";

/** What is shown of a command that proposes a plan: its steps as a list, in the words that a yes is given for. @param {{ command: string, arguments_text: string }} card */
export const proposed = (card) => {
  if (card.command !== "plan.propose") return nothing;
  const steps = JSON.parse(new Map(members(card.arguments_text) ?? []).get("steps") ?? "[]");
  if (!Array.isArray(steps)) return nothing;
  return html`<ol class="steps">${steps.map((/** @type {{ text?: unknown }} */ step) => html`<li>${seen(String(step?.text ?? ""))}</li>`)}</ol>`;
};
