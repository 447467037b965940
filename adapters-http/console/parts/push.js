// Notifications on this device: through the push service of its browser.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { act } from "../core/api.js";
import { obstacle, subscription, targetHere, turnOff, turnOn } from "../core/push.js";
import { changed, may, state } from "../core/store.js";
import { t } from "../core/words.js";
import { icon } from "./icons.js";

/** @typedef {import("../core/shapes").TargetShape} Target */
/** @typedef {(words: string, done: () => Promise<unknown>) => Promise<void>} Change */

const at = {
  /** What is typed as its name; null: the usual one. @type {string | null} */ name: null,
  withWords: false,
  /** Its person said no when the browser asked. */ isDenied: false,
  /** Whether this browser has a subscription; null: it is not known yet. @type {boolean | null} */ isSubscribed: null,
};

const w = () => state.workspace?.key ?? "";

/** What a device is called, as far as its browser tells. */
const device = () => {
  const agent = navigator.userAgent;
  const found = [[/iPhone/, "iPhone"], [/iPad/, "iPad"], [/Android/, "Android"], [/Windows/, "Windows"], [/Mac OS/, "Mac"], [/Linux/, "Linux"]].find(([is]) => /** @type {RegExp} */ (is).test(agent));
  return String(found?.[1] ?? t("push.device"));
};

/** Looks at what this browser has; its answer draws anew. */
const look = async () => {
  const had = at.isSubscribed;
  at.isSubscribed = (await subscription()) !== null;
  if (had !== at.isSubscribed) changed();
};

/** A name that no other target has. @param {Target[]} targets */
const usualName = (targets) => {
  const first = `${state.me?.token.person.name ?? ""}: ${device()}`.slice(0, 50);
  const names = new Set(targets.map((one) => one.name));
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? first : `${first} ${n}`;
    if (!names.has(name)) return name;
  }
};

/** @param {Target} here @param {Change} change */
const on = (here, change) => html`<p class="pad" role="status">${icon("check", "ok")} ${t("push.is-on")}</p>
  <div class="pad form"><label class="check"><input type="checkbox" .checked=${live(here.full)} @change=${(/** @type {any} */ event) => change(t("push.was-worded"), () => act("change_target", { w: w(), target: here.id }, { body: { wants: { full: event.target.checked } } }))}>${t("push.with-words")}</label>
    <p class="hint">${t("push.with-words-says")}</p>
    <div class="chips"><button class="btn no" type="button" @click=${() => change(t("push.was-off"), async () => {
      await turnOff();
      await look();
    })}>${t("push.off")}</button></div></div>`;

/** @param {Target[]} targets @param {Change} change */
const off = (targets, change) => {
  const usual = usualName(targets);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    change(t("push.was-on"), async () => {
      at.isDenied = !(await turnOn((at.name ?? usual).trim() || usual, at.withWords));
      at.name = null;
      await look();
    });
  };
  return html`<form class="pad form" @submit=${submit}>
    <div class="f"><label for="push-name">${t("push.name")}</label><input id="push-name" maxlength="60" autocomplete="off" .value=${live(at.name ?? usual)} @input=${(/** @type {any} */ event) => {
      at.name = event.target.value;
    }}></div>
    <label class="check"><input id="push-words" type="checkbox" .checked=${live(at.withWords)} @change=${(/** @type {any} */ event) => {
      at.withWords = event.target.checked;
    }}>${t("push.with-words")}</label><p class="hint">${t("push.with-words-says")}</p>
    <div><button class="btn go" id="push-on">${t("push.on")}</button></div></form>`;
};

/**
 * Whether this device is notified, and what turns it on and off.
 * @param {Target[]} targets those of the workspace
 * @param {Change} change
 */
export const pushHere = (targets, change) => {
  if (!may("approve")) return nothing;
  if (at.isSubscribed === null) look();
  const known = targets.find((one) => one.id === targetHere());
  const here = known && !known.disabled && at.isSubscribed !== false ? known : undefined;
  const why = at.isDenied && Notification.permission !== "granted" ? "denied" : obstacle();
  const hasEnded = !here && (known?.disabled === "410" || (targetHere() !== "" && at.isSubscribed === false));
  return html`<section class="box push"><h3>${t("push.title")}</h3><p class="pad">${t("push.says")}</p>
    ${why ? html`<p class="pad line" role="status">${icon("warn", "wait")}<span>${t(`push.why-${why}`)}</span></p>` : here ? on(here, change) : html`${hasEnded ? html`<p class="pad" role="status">${icon("warn", "wait")} ${t("push.has-ended")}</p>` : nothing}${off(targets, change)}`}</section>`;
};
