// What just happened: what this person decided and whether it is recorded, and what left the list and why.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { state } from "../core/store.js";
import { t } from "../core/words.js";
import { icon } from "./icons.js";
import { seen } from "./text.js";

const ICON = { sending: "ring", ok: "check", warn: "warn", bad: "cross" };

export const news = () => html`<div class="news ${state.news.length > 0 ? "some" : ""}" role="log" aria-label=${t("news.label")} tabindex=${state.news.length > 2 ? "0" : nothing}>
  ${repeat(state.news.slice(0, 6), (one) => one.id, (one) => html`<p class="note ${one.kind}">${icon(ICON[one.kind])}<span>${seen(one.text)}</span></p>`)}
</div>`;
