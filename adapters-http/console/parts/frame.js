// What stands in the rail and below it on a desk, and above the settings on a phone: the workspace, the connection, the theme.

import { html } from "../vendor/lit-html/lit-html.js";
import { to } from "../core/route.js";
import { state } from "../core/store.js";
import { t } from "../core/words.js";

/** Opens another workspace. @param {string} key */
export const openWorkspace = (key) => {
  localStorage.setItem("entracte-workspace", key);
  // Nothing of the one before may stay on the screen.
  location.href = to("inbox");
};

export const workspaceChooser = () =>
  state.workspaces.length > 1
    ? html`<label class="ws"><span class="sr">${t("nav.workspace")}</span><select @change=${(/** @type {Event} */ event) => openWorkspace(/** @type {HTMLSelectElement} */ (event.target).value)}>${state.workspaces.map((one) => html`<option value=${one.key} ?selected=${one.key === state.workspace?.key}>${one.key}</option>`)}</select></label>`
    : html`<p class="ws one" title=${state.workspace?.key ?? ""}>${state.workspace?.key ?? ""}</p>`;

export const connection = () => {
  const { kind, until } = state.line;
  const left = Math.max(1, Math.ceil((until - Date.now()) / 1000));
  return html`<span class="live ${kind}" role="status">${kind === "lost" ? t("line.lost", { n: left }) : t(`line.${kind}`)}</span>`;
};

export const switchTheme = () => {
  const isDark = (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const next = isDark ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("entracte-theme", next);
};
