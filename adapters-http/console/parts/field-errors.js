// What is wrong with a field stands beside it, in the language of the page, in every form: the browser says which field, and
// the sentence goes when something else is written.

import { t } from "../core/words.js";

/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Field */

/** @type {WeakMap<Field, HTMLElement>} */
const shown = new WeakMap();
let number = 0;

/** @param {EventTarget | null} target @returns {target is Field} */
const isField = (target) => target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;

/** @param {Field} field */
const sentence = (field) => {
  const { validity } = field;
  const bound = (/** @type {"min" | "max"} */ name) => (field instanceof HTMLInputElement ? field[name] : "");
  if (validity.badInput) return t("field.unreadable");
  if (validity.valueMissing) return t(field.type === "checkbox" ? "field.check" : "field.missing");
  if (validity.typeMismatch) return t(field.type === "url" ? "field.url" : "field.unreadable");
  if (validity.rangeUnderflow) return t("field.least", { n: bound("min") });
  if (validity.rangeOverflow) return t("field.most", { n: bound("max") });
  if (validity.patternMismatch) return t("field.pattern", { pattern: field instanceof HTMLInputElement ? field.pattern : "" });
  return field.validationMessage;
};

/** @param {Field} field */
const clear = (field) => {
  const line = shown.get(field);
  if (!line) return;
  line.remove();
  shown.delete(field);
  field.removeAttribute("aria-invalid");
  const others = (field.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id && id !== line.id);
  if (others.length > 0) field.setAttribute("aria-describedby", others.join(" "));
  else field.removeAttribute("aria-describedby");
};

/** @param {Field} field */
const show = (field) => {
  clear(field);
  const line = document.createElement("span");
  line.className = "err";
  line.id = `field-error-${++number}`;
  line.setAttribute("role", "alert");
  line.textContent = sentence(field);
  // A field beside others in a row has its sentence below the row.
  (field.closest(".with") ?? field).after(line);
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", [field.getAttribute("aria-describedby"), line.id].filter(Boolean).join(" "));
  shown.set(field, line);
};

/** Watches every form of the page. */
export const watchFields = () => {
  let isFirst = true;
  document.addEventListener("invalid", ({ target }) => {
    if (!isField(target)) return;
    show(target);
    // The browser reports all fields of a form at once; the first is where to go on.
    if (isFirst) {
      isFirst = false;
      for (let box = target.closest("details"); box; box = box.parentElement?.closest("details") ?? null) box.open = true;
      target.focus();
      setTimeout(() => (isFirst = true), 0);
    }
  }, { capture: true });
  // Its bubble would say the same a second time.
  document.addEventListener("invalid", (event) => event.preventDefault(), { capture: true });
  document.addEventListener("input", ({ target }) => isField(target) && clear(target), { capture: true });
  document.addEventListener("change", ({ target }) => isField(target) && clear(target), { capture: true });
};
