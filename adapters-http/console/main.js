// The console: the rail, the view that is open, and what they all need.

import { html, nothing, render } from "./vendor/lit-html/lit-html.js";
import { all, ask, NoAnswer, onUnknown, Problem, proof } from "./core/api.js";
import { begin, end } from "./core/feed.js";
import { areOn, listen, onKey, switchKeys } from "./core/keys.js";
import { base, go, hasData, onMove, place, to } from "./core/route.js";
import { changed, drawDue, drawWith, may, state } from "./core/store.js";
import { clock, day, useZone, zoneCity, zoneName } from "./core/time.js";
import { learn, readersLanguage, speak, spoken, t } from "./core/words.js";
import { connection, switchTheme, workspaceChooser } from "./parts/frame.js";
import { brand, icon, kbd } from "./parts/icons.js";
import { problem, seen } from "./parts/text.js";

/**
 * A view: what it does when its address is opened and left, how it is drawn, and the keys that it takes.
 * @typedef {{ enter?: (place: import("./core/route.js").Place) => void, leave?: () => void, draw: () => unknown,
 *   key?: (key: string, event: KeyboardEvent) => boolean | void, isOpen?: () => boolean }} View
 */

/** Each view is loaded when it is opened. @type {Record<string, () => Promise<{ default: View }>>} */
const LOADS = {
  inbox: () => import("./views/inbox.js"),
  sessions: () => import("./views/sessions.js"),
  automations: () => import("./views/automations.js"),
  ...(hasData ? { world: () => import("./views/world.js") } : {}),
  library: () => import("./views/library.js"),
  settings: () => import("./views/settings.js"),
  login: () => import("./views/login.js"),
  terminal: () => import("./views/terminal.js"),
};
/** The texts that each needs beside those of the first one. @type {Record<string, string[]>} */
const WORDS = { sessions: ["views", "forms", "files"], automations: ["views", "forms"], world: ["views", "forms"], library: ["views"], settings: ["views", "settings", "models"], terminal: ["views"] };
const TABS = [["inbox", "inbox"], ["sessions", "chat"], ["automations", "clock"], ["world", "world"], ["library", "pages"], ["settings", "settings"]].filter(([view = ""]) => view in LOADS);

/** What lies above a view, once it is loaded. @type {typeof import("./parts/overlays.js") | undefined} */
let above;
/** @type {Promise<typeof import("./parts/overlays.js")> | undefined} */
let loading;

/** Loads what no first view needs: what lies above it, and what is said beside a wrong field. */
const loadRest = () =>
  (loading ??= (async () => {
    const [loaded, fields] = await Promise.all([import("./parts/overlays.js"), import("./parts/field-errors.js"), learn(["page"])]);
    fields.watchFields();
    loaded.watchAbsence();
    await loaded.styled;
    above = loaded;
    // Something with these texts may be drawn already.
    changed();
    return loaded;
  })());

const openKeys = async () => (await loadRest()).openKeys();

/** @type {Map<string, View>} */
const views = new Map();
let open = "";
/** There is no workspace yet. */
let isEmpty = false;
/** What a server without one shows, loaded there. @type {typeof import("./parts/beginning.js") | undefined} */
let first;
/** @type {unknown} */
let broken = null;
const app = /** @type {HTMLElement} */ (document.getElementById("app"));

const show = async () => {
  const at = place();
  const name = at.view in LOADS ? at.view : "inbox";
  if (open && open !== name) views.get(open)?.leave?.();
  const isOther = open !== name;
  const focused = document.activeElement;
  open = name;
  try {
    const [loaded] = await Promise.all([views.get(name) ?? /** @type {() => Promise<{ default: View }>} */ (LOADS[name])().then((found) => found.default), learn(WORDS[name] ?? [])]);
    views.set(name, loaded);
    broken = null;
  } catch (error) {
    broken = error;
  }
  if (open !== name) return;
  views.get(name)?.enter?.(at);
  changed();
  // A person who went on to a field before the view was loaded keeps the focus there.
  if (isOther) setTimeout(() => [focused, document.body].includes(document.activeElement) && document.getElementById("main")?.focus({ preventScroll: true }), 0);
};

const waitingCount = () => state.waiting;

/** @param {string} view */
const count = (view) => {
  const n = view === "inbox" ? waitingCount() : view === "sessions" ? state.working : 0;
  if (n === 0) return nothing;
  return html`<span class="count ${view === "inbox" ? "hot" : ""}">${n}<span class="sr"> ${t(view === "inbox" ? "nav.wait" : "nav.at-work")}</span></span>`;
};

const links = () => TABS.map(([view = "", drawing = ""]) => html`<a href=${to(view)} aria-current=${open === view ? "page" : nothing}>${icon(drawing)}<span class="name">${t(`nav.${view}`)}</span>${count(view)}</a>`);

const foot = () => {
  const person = state.me?.token.person.name ?? "";
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone === zoneName();
  return html`<footer class="foot">${connection()}
    <span>${day(state.now)}, ${clock(state.now)}${own ? nothing : html` <span title=${zoneName()}>${zoneCity()}</span>`}</span>
    <span class="who-am-i">${person}${may("approve") ? ` · ${t("foot.may-approve")}` : ""}</span>
    <button type="button" @click=${openKeys}>${t("foot.help")} ${kbd("?")}</button>
    <a href="${base}/docs">${t("foot.docs")}</a>
    <button type="button" @click=${switchTheme}>${t("foot.theme")}</button>
    <button type="button" aria-pressed=${areOn() ? "true" : "false"} @click=${() => {
      switchKeys(!areOn());
      changed();
    }}>${t(areOn() ? "foot.keys-on" : "foot.keys-off")}</button></footer>`;
};

const bar = () => {
  if (state.line.kind === "lost") return html`<p class="bar-line" role="alert">${t("line.bar-lost")}</p>`;
  if (state.line.kind === "restarts" && Date.now() - state.line.until > 3000) return html`<p class="bar-line" role="alert">${t("line.bar-restarts")}</p>`;
  return nothing;
};

/** Milliseconds for which what just happened is told outside of the inbox, which keeps a list of it. */
const TOLD = 8000;

/** What just happened, below the view. */
const flash = () => {
  const news = state.news[0];
  const left = news ? news.at + TOLD - Date.now() : 0;
  if (!news || left <= 0 || open === "inbox" || open === "login") return html`<p class="flash" role="status"></p>`;
  setTimeout(changed, left + 20);
  return html`<p class="flash some ${news.kind}" role="status">${icon({ sending: "ring", ok: "check", warn: "warn", bad: "cross" }[news.kind])}<span>${seen(news.text)}${news.href ? html` <a href=${news.href}>${t("nav.inbox")}</a>` : nothing}</span></p>`;
};

const draw = () => {
  const n = waitingCount();
  const view = views.get(open);
  const isIn = Boolean(state.workspace);
  document.title = `${n > 0 ? `(${n}) ` : ""}${t(`nav.${open || "inbox"}`)} · Entracte`;
  document.body.className = `${isIn ? "in" : "out"} ${view?.isOpen?.() ? "open" : ""}`;
  const body = broken ? html`<div class="center"><p class="empty">${t("view.broken")}</p></div>` : isEmpty && open !== "login" && open !== "terminal" ? (first?.beginning(start) ?? nothing) : state.fault && !isIn ? html`<div class="center">${problem(state.fault)}</div>` : (view?.draw() ?? nothing);
  render(
    isIn
      ? html`${view?.isOpen?.() && open === "inbox" ? html`<a class="skip" href="#decide">${t("nav.skip-card")}</a>` : html`<a class="skip" href="#main">${t("nav.skip")}</a>`}
        <header class="rail"><a class="brand" href=${to("inbox")} tabindex="-1">${brand}<span>Entracte</span></a>${isIn ? workspaceChooser() : nothing}
          <nav aria-label=${t("nav.views")}>${links()}</nav></header>
        <main id="main" tabindex="-1"><h1 class="sr">${t(`nav.${open || "inbox"}`)}</h1>${bar()}${body}${flash()}${above?.overlays() ?? nothing}</main>
        ${foot()}
        <nav class="tabs" aria-label=${t("nav.views")}>${links()}</nav>`
      : html`<main id="main" class="alone" tabindex="-1">${body}</main>`,
    app,
  );
};

const who = async () => {
  if (!proof.get()) return toLogin();
  const [{ data }, workspaces] = await Promise.all([ask("me"), all("list_workspaces", {})]);
  state.me = data;
  state.workspaces = workspaces;
  // It answers.
  if (state.line.kind === "lost") state.line = { kind: "asking", until: 0 };
  const own = data.token.workspace ?? data.token.person.workspace;
  const wanted = new URLSearchParams(location.search).get("w") ?? localStorage.getItem("entracte-workspace");
  state.workspace = state.workspaces.find((one) => one.key === (own ?? wanted)) ?? state.workspaces[0] ?? null;
  isEmpty = !state.workspace;
  if (!state.workspace) {
    [first] = await Promise.all([import("./parts/beginning.js"), learn(["page"])]);
    await first.prepare();
    return changed();
  }
  useZone(state.workspace.zone);
  await speak(readersLanguage(state.workspace.language));
  await begin();
};

const toLogin = () => {
  proof.forget();
  end();
  if (place().view === "login") return;
  sessionStorage.setItem("entracte-after-login", location.pathname + location.search);
  go(to("login"), { replace: true });
};

/** Tries until the server answers. */
const start = async () => {
  for (let pause = 500; ; pause = Math.min(pause * 2, 8000)) {
    try {
      return await who();
    } catch (error) {
      if (error instanceof Problem && error.status === 401) return toLogin();
      if (!(error instanceof NoAnswer) && !(error instanceof Problem && error.status >= 429)) throw error;
      state.line = { kind: "lost", until: Date.now() + pause };
      changed();
      await new Promise((done) => setTimeout(done, pause));
    }
  }
};

drawWith(draw);
// A form sends what is drawn: what was typed within the last frame is drawn first.
addEventListener("submit", drawDue, { capture: true });
onUnknown(toLogin);
onMove(show);
listen((view) => view in LOADS && go(to(view)));
onKey((key, event) => views.get(open)?.key?.(key, event) ?? false);
onKey((key) => {
  if (!state.workspace) return false;
  if (above) return above.keyOf(key);
  if (key === "?") openKeys();
  if (key === "Ctrl+K") loadRest().then((loaded) => loaded.openPalette());
  return key === "?" || key === "Ctrl+K";
});
setInterval(() => {
  state.now = Date.now();
  changed();
}, 1000 * 15);
setInterval(() => state.line.kind === "lost" && changed(), 1000);
// What is drawn for a phone is drawn anew for a desk.
matchMedia("(max-width: 760px)").addEventListener("change", changed);
addEventListener("entracte-login", () => start());
await speak(readersLanguage());
document.documentElement.lang = spoken();
if (location.pathname === `${base}/`) history.replaceState(null, "", to("inbox"));
await Promise.all([show(), place().view === "login" ? undefined : start()]);
setTimeout(loadRest, 500);
