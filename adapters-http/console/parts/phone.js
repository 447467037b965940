// A link for a phone, as a code for its camera: it logs one browser in, once.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { act, Problem } from "../core/api.js";
import { changed, state } from "../core/store.js";
import { moment } from "../core/time.js";
import { t } from "../core/words.js";
import { icon } from "./icons.js";
import { faultOf, problem } from "./text.js";

const at = {
  /** What the camera reads, while it is shown. @type {import("../core/shapes").LoginLinkShape | null} */ found: null,
  isAsking: false,
  /** @type {Problem | null} */ fault: null,
};

/** Forgets the link: whoever sees it could log in. */
export const forgetPhone = () => Object.assign(at, { found: null, fault: null });

const ask = async () => {
  Object.assign(at, { isAsking: true, found: null, fault: null });
  changed();
  try {
    at.found = (await act("create_login_link", {}, { body: { origin: location.origin } })).data;
  } catch (error) {
    at.fault = faultOf(error);
  } finally {
    at.isAsking = false;
    changed();
  }
};

const isOver = () => Date.parse(at.found?.expires_at ?? "") <= Date.now();

export const phone = () => html`<section class="box phone"><h3>${t("phone.title")}</h3><p class="pad">${t("phone.says")}</p>
  ${at.fault ? (at.fault.code === "not-applicable" ? html`<p class="pad line" role="status">${icon("warn", "wait")}<span>${t("phone.here-only")}</span></p>` : problem(at.fault)) : nothing}
  ${at.found && !isOver() ? html`<p class="pad"><img class="code" width="260" height="260" alt=${t("phone.alt")} src=${`data:image/svg+xml,${encodeURIComponent(at.found.svg)}`}></p>
    <p class="pad small muted" role="status">${t("phone.until", { at: moment(at.found.expires_at ?? "", state.now) })}</p>` : nothing}
  <div class="chips pad"><button class="btn ${at.found ? "" : "go"}" id="phone-link" type="button" ?disabled=${at.isAsking} @click=${ask}>${t(at.found ? "phone.another" : "phone.ask")}</button>
    ${at.found ? html`<button class="btn" type="button" @click=${() => {
      forgetPhone();
      changed();
    }}>${t("phone.hide")}</button>` : nothing}</div></section>`;
