// Backups and the check of the database: both are done by the server, for the operator.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { act } from "../core/api.js";
import { to } from "../core/route.js";
import { changed, tell } from "../core/store.js";
import { t } from "../core/words.js";
import { icon } from "./icons.js";
import { failed, problem, seen } from "./text.js";

const at = {
  /** What runs: `make` or `check`; empty: nothing. */ runs: "",
  /** The file of the latest backup made here. */ file: "",
  /** What the latest check found. @type {import("../core/shapes").DatabaseCheckShape | null} */ found: null,
  /** @type {import("../core/api.js").Problem | null} */ fault: null,
};

/**
 * Lets the server do one of them, and says how it went.
 * @param {"make" | "check"} what
 * @param {() => Promise<string>} done what is said of it then
 */
const run = async (what, done) => {
  const words = t(`backup.${what}s`);
  const say = tell("sending", words);
  Object.assign(at, { runs: what, fault: null });
  try {
    say("ok", await done());
  } catch (error) {
    at.fault = failed(say, words, t(`backup.${what}`), error);
  } finally {
    at.runs = "";
    changed();
  }
};

const make = () => run("make", async () => {
  at.file = (await act("make_backup", {}, {})).data.file;
  return t("backup.made", { file: at.file });
});

const check = () => run("check", async () => {
  /** @type {import("../core/shapes").DatabaseCheckShape} */
  const found = (await act("check_database", {}, {})).data;
  at.found = found;
  const n = found.faults.length + found.sessions.length;
  return n === 0 ? t("backup.is-right") : t("backup.is-wrong", { n });
});

/** @param {import("../core/shapes").DatabaseCheckShape} found */
const checked = ({ faults, sessions }) => {
  const n = faults.length + sessions.length;
  if (n === 0) return html`<p class="line ok" role="status">${icon("check")}<span>${t("backup.is-right")}</span></p>`;
  return html`<div class="box bad" role="alert"><h3>${t("backup.is-wrong", { n })}</h3><ul class="lines">${faults.map((says) => html`<li>${seen(says)}</li>`)}${sessions.map((one) => html`<li><div><a href=${to("sessions", one.session)}><code>${one.session}</code></a> ${seen(one.says)}</div></li>`)}</ul></div>`;
};

/** @param {{ folder: string }} where */
export const backups = ({ folder }) => html`${at.fault ? problem(at.fault) : nothing}<section class="box"><dl class="meta pad"><dt>${t("backup.folder")}</dt><dd><code>${seen(folder)}</code></dd></dl>
    <div class="chips pad"><button class="btn go" type="button" ?disabled=${at.runs !== ""} @click=${make}>${t(at.runs === "make" ? "backup.makes" : "backup.make")}</button></div>
    ${at.file ? html`<p class="pad" role="status">${icon("check", "ok")} ${t("backup.made", { file: at.file })}</p>` : nothing}</section>
  <section class="box"><p class="pad">${t("backup.check-says")}</p><div class="chips pad"><button class="btn" type="button" ?disabled=${at.runs !== ""} @click=${check}>${t(at.runs === "check" ? "backup.checks" : "backup.check")}</button></div></section>
  ${at.found ? checked(at.found) : nothing}<p class="small muted">${t("backup.not-here")}</p>`;
