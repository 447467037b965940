// What lies above every view. It is loaded after the first one, with its own styles.

import { html } from "../vendor/lit-html/lit-html.js";
import { absence } from "./absence.js";
import { watchPresses } from "../core/push.js";
import { keyOfHelp, keysHelp, openKeys } from "./keys-help.js";
import { keyOfPalette, openPalette, palette } from "./palette.js";

export { watchAbsence } from "./absence.js";
export { openKeys, openPalette };

watchPresses();

/** Loads the styles; one that fails leaves what is above a view plain, and usable. */
export const styled = new Promise((done) => {
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = new URL("./overlays.css", import.meta.url).href;
  sheet.onload = sheet.onerror = done;
  document.head.append(sheet);
});

/** The keys of what lies above; gives whether one was taken. @param {string} key */
export const keyOf = (key) => keyOfPalette(key) || keyOfHelp(key);

export const overlays = () => html`${absence()}${keysHelp()}${palette()}`;
