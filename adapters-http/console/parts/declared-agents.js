// The agents that sessions may call: what each is for, which commands it may ask for, its limits, what it reads first.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { t } from "../core/words.js";
import { seen } from "./text.js";

/** @param {import("../core/shapes").DeclaredAgentShape} one */
export const declaredAgent = ({ name, declaration, instructions, unmatched, version }) => {
  const { description, provider, model, commands = [], limits = {} } = declaration;
  return html`<li><div><b><code>${seen(name)}</code></b>${version ? nothing : html` <span class="chip wait">${t("agent.not-used")}</span>`}${description ? html`<br>${seen(description)}` : nothing}
    <dl class="meta"><dt>${t("agent.commands")}</dt><dd>${commands.length > 0 ? commands.map((/** @type {string} */ one) => html`<code>${seen(one)}</code> `) : t("agent.no-commands")}</dd>
      ${provider || model ? html`<dt>${t("agent.provider")}</dt><dd>${[provider, model].filter(Boolean).map((one) => html`<code>${seen(one)}</code> `)}</dd>` : nothing}
      ${Object.keys(limits).length > 0 ? html`<dt>${t("agent.limits")}</dt><dd>${Object.entries(limits).map(([limit, value]) => html`<code>${seen(limit)} = ${seen(JSON.stringify(value))}</code> `)}</dd>` : nothing}</dl>
    ${unmatched?.length ? html`<p class="small wait">${t("agent.unmatched")} ${unmatched.map((one) => html`<code>${seen(one)}</code> `)}</p>` : nothing}
    ${instructions ? html`<details><summary>${t("agent.reads")}</summary><pre class="told" tabindex="0">${seen(instructions)}</pre></details>` : nothing}
    <details><summary>${t("agent.declaration")}</summary><pre class="told" tabindex="0">${seen(JSON.stringify(declaration, null, 2))}</pre></details></div></li>`;
};
