// The form of a schema, loaded when somebody edits the first thing: the first view does not need it.

import { changed } from "../core/store.js";

/** @typedef {typeof import("./schema-form.js")} Editor */

/** @type {Editor | null} */
let loaded = null;

/** The form, once it is there. */
export const editor = () => loaded;

/** @returns {Promise<Editor>} */
export const loadEditor = async () => {
  if (loaded) return loaded;
  loaded = await import("./schema-form.js");
  changed();
  return loaded;
};
