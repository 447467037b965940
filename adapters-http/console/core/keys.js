// Keys that are commands: only outside of fields, never with Ctrl, Alt or Meta, and they can be switched off (WCAG 2.1.4).

const OFF = "entracte-keys";

/** @typedef {(key: string, event: KeyboardEvent) => boolean | void} Heard gives whether it took the key */

/** @type {Heard[]} */
const heard = [];
/** When `g` was pressed; it counts for the next key only. */
let pressedG = -Infinity;

export const areOn = () => localStorage.getItem(OFF) !== "off";
/** @param {boolean} on */
export const switchKeys = (on) => localStorage.setItem(OFF, on ? "on" : "off");

/** Whether somebody writes there. @param {EventTarget | null} target */
const isField = (target) =>
  target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);

/** The latest comes first. @param {Heard} listener */
export const onKey = (listener) => {
  heard.unshift(listener);
  return () => {
    const at = heard.indexOf(listener);
    if (at >= 0) heard.splice(at, 1);
  };
};

/** @param {(view: string) => void} jump */
export const listen = (jump) => {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const name = event.key === "Escape" ? "Escape" : event.ctrlKey || event.metaKey ? { Enter: "Ctrl+Enter", k: "Ctrl+K" }[event.key] : undefined;
    if (name) {
      if (heard.some((one) => one(name, event))) event.preventDefault();
      return;
    }
    if (!areOn() || isField(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const view = { i: "inbox", s: "sessions", a: "automations", w: "world", l: "library", ",": "settings" }[event.key];
    if (view && event.timeStamp - pressedG < 1500) {
      pressedG = -Infinity;
      event.preventDefault();
      jump(view);
      return;
    }
    pressedG = event.key === "g" ? event.timeStamp : -Infinity;
    // A button that has the focus keeps its own keys.
    if ((event.key === "Enter" || event.key === " ") && event.target instanceof HTMLElement && event.target.matches("a, button, summary")) return;
    if (heard.some((one) => one(event.key, event))) event.preventDefault();
  });
};
