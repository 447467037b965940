// What the process works with, and how it is: every setting with where it comes from, and what a look at it finds.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { t } from "../core/words.js";
import { icon } from "./icons.js";
import { seen } from "./text.js";

const GRADES = /** @type {Record<string, [string, string]>} */ ({ ok: ["check", "ok"], warn: ["warn", "wait"], fail: ["cross", "danger"] });

/** @param {{ checks: { check: string, grade: string, says: string, fix?: string | null }[], settings: { key: string, value: string, origin: string }[] }} found */
export const server = (found) => html`<section class="box"><h3>${t("server.health")}</h3><ul class="lines">${found.checks.map((one) => {
  const [drawing, tone] = GRADES[one.grade] ?? ["ring", ""];
  return html`<li><div>${icon(drawing ?? "", tone ?? "")} <b>${seen(one.check)}</b><br><span class="small ${one.grade === "ok" ? "muted" : tone}">${seen(one.says)}</span>${one.fix ? html`<br><code class="small">${seen(one.fix)}</code>` : nothing}</div></li>`;
})}</ul></section>
  <section class="box"><h3>${t("server.config")}</h3><table class="plain stacked"><thead><tr><th scope="col">${t("server.key")}</th><th scope="col">${t("server.value")}</th><th scope="col">${t("server.origin")}</th></tr></thead>
    <tbody>${found.settings.map((one) => html`<tr><th scope="row"><code>${seen(one.key)}</code></th><td><code>${seen(one.value)}</code></td><td class="muted">${seen(one.origin)}</td></tr>`)}</tbody></table></section>`;
