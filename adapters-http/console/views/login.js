// The link that the server prints logs one browser in, once. Its secret is behind the #, which no server and no log sees;
// opening the page uses nothing up, the button does.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { ask, NoAnswer, Problem, proof } from "../core/api.js";
import { base, go, to } from "../core/route.js";
import { changed } from "../core/store.js";
import { t } from "../core/words.js";
import { brand } from "../parts/icons.js";
import { problem } from "../parts/text.js";

let secret = "";
let isSending = false;
/** @type {Problem | null} */
let fault = null;

const login = async () => {
  isSending = true;
  fault = null;
  changed();
  try {
    const { data } = await ask("login", {}, { body: { secret } });
    proof.set(data.proof);
    secret = "";
    const after = sessionStorage.getItem("entracte-after-login");
    sessionStorage.removeItem("entracte-after-login");
    go(after?.startsWith(`${base}/`) && !after.startsWith(`${base}/login`) ? after : to("inbox"), { replace: true });
    dispatchEvent(new Event("entracte-login"));
  } catch (error) {
    if (error instanceof Problem) fault = error;
    else if (error instanceof NoAnswer) fault = new Problem(0, { title: t("login.no-answer"), detail: t("login.no-answer-how") });
    else throw error;
  } finally {
    isSending = false;
    changed();
  }
};

/** Takes a link that was copied: a console on the home screen of a phone is not where a link opens. @param {Event} event */
const take = (event) => {
  event.preventDefault();
  const field = /** @type {HTMLInputElement} */ (/** @type {HTMLFormElement} */ (event.target).elements.namedItem("link"));
  secret = field.value.slice(field.value.indexOf("#") + 1).trim();
  field.value = "";
  fault = null;
  changed();
};

export default {
  enter: () => {
    if (location.hash.length > 1) {
      secret = location.hash.slice(1);
      history.replaceState(history.state, "", location.pathname + location.search);
    }
  },
  draw: () => html`<div class="center login"><div class="box pad">
    <p class="brand">${brand}<span>Entracte</span></p>
    ${secret ? html`<p>${t("login.once")}</p><button class="btn go big" type="button" ?disabled=${isSending} @click=${login}>${isSending ? t("login.sending") : t("login.button")}</button>` : html`<h2>${t("login.title")}</h2><p>${t("login.how")}</p><pre tabindex="0">entracte serve</pre><p class="muted">${t("login.ends")}</p>
      <form @submit=${take}><div class="f"><label for="link">${t("login.paste")}</label><input id="link" name="link" required autocomplete="off" autocapitalize="off" spellcheck="false"></div><button class="btn">${t("login.take")}</button></form>`}
    ${fault ? html`${problem(fault)}${fault.code === "link-spent" ? html`<p class="muted">${t("login.spent")}</p>` : nothing}` : nothing}
  </div></div>`,
};
