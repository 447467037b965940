// A server without a workspace: the first person makes one, in their language and on their clocks.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { act, Problem } from "../core/api.js";
import { changed, may } from "../core/store.js";
import { spoken, t } from "../core/words.js";
import { brand } from "./icons.js";
import { faultOf, problem } from "./text.js";

/** The key of the workspace that the command line uses, too. */
export const USUAL_WORKSPACE = "local:main";

/** @type {{ key: string, isSending: boolean, fault: Problem | null }} */
const at = { key: USUAL_WORKSPACE, isSending: false, fault: null };

/** Makes a workspace in the language of this page and on the clocks of this browser. @param {string} w */
export const makeWorkspace = async (w) => {
  const settings = { language: spoken(), zone: Intl.DateTimeFormat().resolvedOptions().timeZone };
  try {
    await act("make_workspace", { w }, { body: { settings } });
  } catch (error) {
    // A command, or another page, made it meanwhile.
    if (!(error instanceof Problem) || error.code !== "conflict") throw error;
  }
};

/** Says on this page why there is no workspace. @param {unknown} error */
export const explain = (error) => {
  at.fault = faultOf(error);
};

/** @param {() => void} done */
export const founding = (done) => {
  const make = async (/** @type {Event} */ event) => {
    event.preventDefault();
    at.isSending = true;
    at.fault = null;
    changed();
    try {
      await makeWorkspace(at.key.trim());
      done();
    } catch (error) {
      explain(error);
    } finally {
      at.isSending = false;
      changed();
    }
  };
  return html`<div class="center login"><form class="box" @submit=${make}><p class="brand">${brand}<span>Entracte</span></p><h2>${t("found.title")}</h2>
    ${may("admin") ? html`<p>${t("found.says")} ${t("found.clocks", { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })}</p><div class="f wide-f"><label for="key">${t("found.key")}</label><input id="key" required .value=${at.key} @input=${(/** @type {Event} */ event) => {
      at.key = /** @type {HTMLInputElement} */ (event.target).value;
    }}><span class="hint">${t("found.key-hint")}</span></div><button class="btn go big" ?disabled=${at.isSending}>${t("found.make")}</button>` : html`<p>${t("found.ask")}</p>`}
    ${at.fault ? problem(at.fault) : nothing}</form></div>`;
};
