// Agents: the way from a person to one that asks, and those below a session, each on a line that opens.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { to } from "../core/route.js";
import { count } from "../core/time.js";
import { named, t } from "../core/words.js";
import { seen } from "./text.js";

/** @typedef {import("../core/shapes").ChainShape} Step */
/** @typedef {import("../core/shapes").AgentShape} Agent */

/** The sessions between the person and who asks; what a model wrote stands in quotation marks. @param {Step[]} chain */
export const way = (chain) => html`<ol class="way">${chain.map((step) => html`<li><a href=${to("sessions", step.session)}>${seen(step.agent ?? step.name)}</a>${step.mission ? html` <q>${seen(step.mission)}</q>` : nothing}</li>`)}</ol>`;

/** All that it and those below it read and wrote. @param {Agent} agent */
const tokens = ({ usage }) => usage.input + usage.cache_read + usage.cache_write + usage.output;

/** An agent on a line that opens. @param {Agent} agent */
export const agentLine = (agent) => html`<details class="call agent" data-agent=${agent.session} .style=${`margin-inline-start:${(agent.depth - 1) * 16}px`}>
  <summary><code>${seen(agent.agent)}</code><span class="one-line">${agent.status ? html`<code>${agent.status}</code>` : named("phase", agent.phase)}</span><span class="took">${t("agents.rounds", { n: agent.rounds })} · ${t("agents.tokens-all", { n: count(tokens(agent)) })}</span></summary>
  <div class="call-more"><h4>${t("agents.mission")}</h4><pre tabindex="0">${seen(agent.mission)}</pre>
    <p class="small muted">${t("agents.tokens", { read: count(agent.usage.input + agent.usage.cache_read), written: count(agent.usage.output) })} · <a href=${to("sessions", agent.session)}>${t("agents.open")}</a></p></div></details>`;

/** The agents below a session; nothing where there are none. @param {Agent[]} agents */
export const below = (agents) => (agents.length === 0 ? nothing : html`<section class="box agents"><h3>${t("agents.title", { n: agents.length })}</h3>${agents.map(agentLine)}</section>`);
