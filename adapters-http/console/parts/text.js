// Words of models, tools and files: quoted, whole, and with what cannot be seen shown.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { NoAnswer, Problem } from "../core/api.js";
import { mixed, parts } from "../core/visible.js";
import { t } from "../core/words.js";

/** A text with its hidden characters as marks. @param {string} text */
export const seen = (text) => parts(text).map((part) => (part.code ? html`<mark title=${t("mark.hidden", { code: part.code })}>${part.code}</mark>` : part.text));

/** What is to be said of a text whose looks deceive. @param {string} text */
export const caution = (text) => {
  const words = mixed(text);
  const hidden = parts(text).some((part) => part.code);
  if (!hidden && words.length === 0) return nothing;
  return html`<span class="small wait caution">${hidden ? t("mark.sentence") : nothing} ${words.length > 0 ? html`${t("mark.mixed")} ${words.map((word) => html`<code>${word}</code> `)}` : nothing}</span>`;
};

/** Whether a text has what a person may overlook. @param {string} text */
export const deceives = (text) => mixed(text).length > 0 || parts(text).some((part) => part.code);

/** @param {import("../core/api.js").Problem} problem */
export const problem = (problem) => html`<div class="box bad" role="alert">
  <h3>${problem.title}</h3>
  <p class="pad">${seen(problem.detail)}</p>
  ${problem.fields.length > 0 ? html`<ul class="pad">${problem.fields.map((field) => html`<li><code>${field.path}</code> ${seen(field.says)}</li>`)}</ul>` : nothing}
  ${problem.request ? html`<p class="pad small muted">${t("problem.request")} <code>${problem.request}</code></p>` : nothing}
</div>`;

/** What is wrong with a request, to be shown: also that no answer came, and nobody knows whether it did. @param {unknown} error */
export const faultOf = (error) => {
  if (error instanceof Problem) return error;
  if (error instanceof NoAnswer) return new Problem(0, { title: t("login.no-answer"), detail: t("news.unknown") });
  throw error;
};

/** What the server refused, to be shown in place of a page. What may pass is thrown: whoever reads asks again. @param {unknown} error */
export const refusalOf = (error) => {
  if (error instanceof Problem && error.status < 500) return error;
  throw error;
};

/**
 * Says how a request that was announced came to nothing, or that nobody knows; gives what is wrong with it.
 * @param {(kind: import("../core/store.js").News["kind"], text: string) => void} say
 * @param {string} words what it was announced by
 * @param {string} what what it is about
 * @param {unknown} error
 */
export const failed = (say, words, what, error) => {
  const fault = faultOf(error);
  if (error instanceof NoAnswer) say("warn", `${words} ${t("news.unknown")}`);
  else say("bad", t("news.refused", { what, why: fault.title }));
  return fault;
};

/** A digest, short; the whole one is its title. @param {string | null | undefined} digest */
export const short = (digest) => (digest && digest.length > 12 ? `${digest.slice(0, 4)}…${digest.slice(-4)}` : (digest ?? ""));

/** SHA-256 of a text, where the browser can: beyond this machine only over TLS. @param {string} text */
export const digestOf = async (text) => {
  if (!globalThis.crypto?.subtle) return "";
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
};
