// Settings: what the workspace does, who may do what, what was allowed in advance, and which models there are.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { act, all, ask, Problem, proof } from "../core/api.js";
import { hear } from "../core/feed.js";
import { plain } from "../core/json.js";
import { endHere } from "../core/push.js";
import { go, to } from "../core/route.js";
import { changed, isOperator, may, state, tell } from "../core/store.js";
import { clock, instant, moment } from "../core/time.js";
import { choose, named, readersLanguage, speak, spoken, t } from "../core/words.js";
import { backups } from "../parts/backups.js";
import { configEntries, forgetEntries, pendingEntries, readEntries, readPending } from "../parts/config-entries.js";
import { costs, readCosts } from "../parts/costs.js";
import { declaredAgent } from "../parts/declared-agents.js";
import { connection, switchTheme, workspaceChooser } from "../parts/frame.js";
import { icon } from "../parts/icons.js";
import { instructions, lookAt } from "../parts/instructions.js";
import { endLogs, logs, readLogs } from "../parts/logs.js";
import { offers } from "../parts/offers.js";
import { forgetEdits, newProvider, provider } from "../parts/providers.js";
import { forgetPhone, phone } from "../parts/phone.js";
import { pushHere } from "../parts/push.js";
import { newHold, readRetention, retained } from "../parts/retention.js";
import { newSecret, secret } from "../parts/secrets.js";
import { server } from "../parts/server.js";
import { isPart, settingsParts } from "../parts/settings-parts.js";
import { newTarget, target } from "../parts/targets.js";
import { failed, faultOf, problem, seen } from "../parts/text.js";
import { forget, newToken, token } from "../parts/tokens.js";
import { forget as forgetChoices, toolServer } from "../parts/tool-servers.js";
import { zoneField } from "../parts/zone-field.js";

const view = {
  part: "workspace",
  isOpen: false,
  /** The MCP server that is shown; empty: all. */ server: "",
  /** @type {any[] | null} */ items: null,
  tag: "",
  /** @type {Map<string, string>} */ drafts: new Map(),
  /** @type {Problem | null} */ fault: null,
  /** @type {(() => void) | null} */ stop: null,
};

/** What a part shows, as the server's events call it. @type {Record<string, string>} */
const SHOWS = { workspace: "setting", approvals: "rule", targets: "target", retention: "setting", secrets: "secret", people: "person", tokens: "token" };

const w = () => state.workspace?.key ?? "";

/** @type {Record<string, () => Promise<any[]>>} */
const READS = {
  workspace: async () => {
    const { data, tag } = await ask("get_settings", { w: w() });
    view.tag = tag ?? "";
    return data.settings;
  },
  instructions: async () => {
    await lookAt("workspace");
    return [];
  },
  approvals: () => all("list_rules", { w: w() }, { all: true }),
  providers: async () => (await Promise.all([all("list_providers", {}), readPending()]))[0],
  commands: () => all("list_commands", { w: w() }),
  tools: async () => (await Promise.all([all("list_tool_servers", { w: w() }), readEntries("mcp-servers")]))[0],
  "http-tools": async () => {
    await readEntries("http-tools");
    return [];
  },
  embeddings: async () => {
    await readEntries("embeddings");
    return [];
  },
  targets: () => all("list_targets", { w: w() }),
  retention: readRetention,
  secrets: async () => (await ask("list_own_secrets", { w: w() })).data.names,
  people: () => all("list_people", { w: w() }),
  server: async () => {
    const [config, doctor] = await Promise.all([ask("get_config"), ask("get_doctor")]);
    return [{ settings: config.data.settings, checks: doctor.data.checks }];
  },
  agents: async () => (await Promise.all([all("list_declared_agents", { w: w() }), readEntries("agents")]))[0],
  costs: readCosts,
  backups: async () => {
    const { settings } = (await ask("get_config")).data;
    return [{ folder: plain(settings.find((/** @type {{ key: string }} */ one) => one.key === "backup.folder")?.value ?? "") }];
  },
  logs: readLogs,
  tokens: () => all("list_tokens", { w: w() }),
};

const read = async () => {
  const { part } = view;
  if (!state.workspace) {
    setTimeout(read, 150);
    return;
  }
  try {
    const items = (await READS[part]?.()) ?? [];
    if (view.part === part) view.items = items;
    view.fault = null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    view.fault = error;
    view.items ??= [];
  }
  changed();
};

/** @param {string} words @param {() => Promise<unknown>} done */
const change = async (words, done) => {
  const say = tell("sending", `${words} ${t("news.sending")}`);
  try {
    await done();
    say("ok", `${words} ${t("news.recorded", { at: clock(Date.now()) })}`);
    await read();
  } catch (error) {
    view.fault = failed(say, words, words, error);
    changed();
  }
};

/** @param {any} setting */
const setting = (setting) => {
  const text = view.drafts.get(setting.key) ?? setting.value;
  const id = `s-${setting.key.replace(/\W/g, "-")}`;
  const save = (/** @type {Event} */ event) => {
    event.preventDefault();
    change(t("set.changed", { key: setting.key, value: text }), async () => {
      await act("change_settings", { w: w() }, { body: { settings: { [setting.key]: text } }, match: view.tag });
      view.drafts.delete(setting.key);
      if (setting.key === "language") await speak(readersLanguage(text));
    });
  };
  // The tag is that of all of them.
  const reset = () => change(t("set.was-reset", { key: setting.key }), async () => {
    await act("reset_setting", { w: w(), key: setting.key }, { match: (await ask("get_setting", { w: w(), key: setting.key })).tag ?? "" });
    view.drafts.delete(setting.key);
  });
  const isNew = text !== setting.value;
  const put = (/** @type {string} */ written) => {
    view.drafts.set(setting.key, written);
    changed();
  };
  return html`<form class="setting" @submit=${save}><label for=${id}><code>${setting.key}</code><span class="small muted">${seen(setting.means)}</span></label>
    <div class="with">${setting.key === "zone" ? zoneField({ id, value: text, put, off: !may("admin") }) : html`<input id=${id} .value=${live(text)} ?disabled=${!may("admin")} autocomplete="off" @input=${(/** @type {Event} */ event) => put(/** @type {HTMLInputElement} */ (event.target).value)}>`}${isNew ? html`<button class="btn sm go">${t("set.save")}</button>` : nothing}</div>
    <span class="small muted">${seen(setting.takes)} · ${setting.value === setting.default ? html`<span class="chip">${t("set.from-default")}</span>` : html`<span class="chip accent">${t("set.from-workspace")}</span> ${t("set.default", { value: setting.default })}${may("admin") ? html` <button class="btn bare sm" type="button" @click=${reset}>${t("set.reset")}</button>` : nothing}`}</span></form>`;
};

/** A value as its JSON text. @param {unknown} value */
const valueOf = (value) => html`<code>${seen(JSON.stringify(value))}</code>`;

/** What an argument must be. @param {any} must */
const condition = (must) => {
  if (must === "any") return t("always.any");
  if (must.one_of) return html`${t("set.one-of")} ${must.one_of.map((/** @type {unknown} */ value) => html`${valueOf(value)} `)}`;
  if (must.range) return t("set.range", { least: must.range.least ?? "…", most: must.range.most ?? "…" });
  if (must.prefix) return html`${t("set.prefix")} ${valueOf(must.prefix)}`;
  if (must.pattern) return html`${t("set.pattern")} ${valueOf(must.pattern)}`;
  return html`${t("always.is")} ${valueOf(must.is)}`;
};

/** The limits of a rule, each in words. @param {any} limits */
const limitsOf = (limits) => ["run", "day", "total"].flatMap((span) => {
  const { calls, sum } = limits[span] ?? {};
  return [
    ...(calls ? [t(`set.calls-${span}`, { n: calls })] : []),
    ...(sum ? [t(`set.sum-${span}`, { name: limits.summed, sum })] : []),
  ];
});

/** What is used of a rule, and by what. @param {any} rule */
const usage = (rule) => {
  const { limits, used } = rule;
  if (!limits || !used) return nothing;
  const sum = (/** @type {any} */ tally) => (limits.summed ? ` · ${limits.summed}: ${tally.sum}` : "");
  return html`<ul class="conditions">${limitsOf(limits).map((text) => html`<li>${seen(text)}</li>`)}
    <li>${t("set.used-calls", { n: used.total.calls })}${seen(sum(used.total))}${used.reserved ? ` · ${t("set.reserved", { n: used.reserved })}` : ""}</li>
    ${used.on_day ? html`<li>${t("set.used-day", { n: used.on_day.calls, at: moment(used.day, state.now) })}${seen(sum(used.on_day))}</li>` : nothing}</ul>
    ${used.latest.length > 0 ? html`<details><summary>${t("set.used-by")}</summary><ul class="conditions">${used.latest.map((/** @type {any} */ one) => html`<li><code>${seen(one.call)}</code>${limits.summed ? ` · ${one.amount}` : ""} · ${moment(one.at, state.now)} · ${t(one.state === "reserved" ? "set.use-reserved" : "set.use-started")}</li>`)}</ul></details>` : nothing}`;
};

/** Where a rule counts. @param {any} rule */
const scopeOf = (rule) => {
  if (rule.session) return html` · <a href=${to("sessions", rule.session)}>${t("always.session")}</a>`;
  if (rule.automation) return html` · ${t("set.for-automation")} <code>${seen(rule.automation)}</code>`;
  if (rule.agent) return html` · ${t("set.for-agent")} <code>${seen(rule.agent)}</code>`;
  return nothing;
};

/** @param {any} rule */
const rule = (rule) => html`<li><div><b>${rule.denies ? t("set.refuses") : t("set.approves")}</b> <code>${seen(rule.command)}</code> <span class="chip ${rule.state === "open" ? (rule.denies ? "danger" : "ok") : ""}">${named("rule", rule.state)}</span>
    <ul class="conditions">${Object.entries(rule.arguments).map(([name, must]) => html`<li><code>${seen(name)}</code> ${condition(must)}</li>`)}</ul>
    ${usage(rule)}
    <span class="small muted">${seen(rule.author)} · ${moment(rule.made_at, state.now)} · <span title=${instant(rule.expires_at)}>${t("set.until", { at: moment(rule.expires_at, state.now) })}</span>${scopeOf(rule)}${rule.agents && !rule.agent && !rule.denies ? ` · ${t("always.agents")}` : ""}${rule.revoked_by ? ` · ${t("set.revoked-by", { by: rule.revoked_by })}` : ""}</span></div>
    ${rule.state === "open" || rule.state === "used_up" ? html`<button class="btn sm no" type="button" ?disabled=${!may("approve")} @click=${() => change(t("set.took-back", { what: rule.command }), () => act("revoke_rule", { w: w(), r: rule.id }, {}))}>${t("set.take-back")}</button>` : nothing}</li>`;

/** @param {any} one */
const command = (one) => html`<li><div><b><code>${seen(one.name)}</code></b> <span class="chip">${named("command", one.kind)}</span>${one.destructive ? html` <span class="chip danger">${t("card.destructive")}</span>` : nothing}${one.egress ? html` <span class="chip">${t("card.egress")}</span>` : nothing}<br><span class="small muted">${seen(one.doc)}</span></div></li>`;

/** @param {any} one */
const person = (one) => html`<li><div><b>${seen(one.name)}</b>${one.workspace ? nothing : html` <span class="chip">${t("set.everywhere")}</span>`}<br><span class="small muted">${t("set.made", { at: moment(one.created_at, state.now) })} · <code>${one.id}</code></span></div></li>`;

const logout = async () => {
  // The next person at this browser is not told what waits for this one.
  await endHere().catch(() => {});
  try {
    await act("logout", {}, {});
  } catch (error) {
    // Without its proof the login is worth nothing in this browser, whether the server heard of it or not.
    faultOf(error);
  }
  proof.forget();
  go(to("login"));
  location.reload();
};

const browser = () => html`<section class="box"><div class="form">
  <div class="f"><label for="lang">${t("set.language")}</label><select id="lang" @change=${(/** @type {Event} */ event) => {
    const language = /** @type {HTMLSelectElement} */ (event.target).value;
    choose(language);
    // What the server said is read anew, too.
    location.reload();
  }}><option value="en" lang="en" ?selected=${spoken() === "en"}>English</option><option value="fr" lang="fr" ?selected=${spoken() === "fr"}>Français</option></select><span class="hint">${t("set.language-hint")}</span></div>
  <div><button class="btn no" type="button" @click=${logout}>${t("set.logout")}</button></div></div></section>${isOperator() ? phone() : nothing}`;

/** @type {Record<string, (one: any) => unknown>} */
const DRAWS = { workspace: setting, approvals: rule, providers: (one) => provider(one, change), commands: command, agents: declaredAgent, targets: (one) => target(one, change), retention: (one) => retained(one, change), secrets: (one) => secret(one, change), people: person, tokens: (one) => token(one, change) };
/** What stands above a list: how one is added. @type {Record<string, () => unknown>} */
const ADDS = { tools: () => configEntries("mcp-servers", change), agents: () => configEntries("agents", change), "http-tools": () => configEntries("http-tools", change), embeddings: () => configEntries("embeddings", change), commands: () => (isOperator() ? offers(change) : nothing), providers: () => html`${pendingEntries()}${newProvider(change)}`, targets: () => html`${pushHere(/** @type {any[]} */ (view.items ?? []), change)}${newTarget(change)}`, retention: () => newHold(change), secrets: () => newSecret(change), tokens: () => newToken(change) };

/** The servers with their tools, or the one of the address. @param {any[]} items */
const servers = (items) => {
  const shown = items.filter((one) => one.server === view.server);
  const how = { change, reread: read, mayDecide: isOperator() };
  return html`${shown.length > 0 ? html`<p><a href=${to("settings", "tools")}>${t("tools.all-servers")}</a></p>` : nothing}${(shown.length > 0 ? shown : items).map((one) => toolServer(one, how))}`;
};

const body = () => {
  if (view.part === "this-browser") return browser();
  if (view.part === "instructions") return html`<section class="box">${instructions()}</section>`;
  if (view.items === null) return html`<p class="sr" role="status">${t("loading")}</p>`;
  const draw = DRAWS[view.part] ?? (() => nothing);
  const extra = ADDS[view.part]?.() ?? nothing;
  if (view.part === "server") return view.items.map(server);
  if (view.part === "costs") return view.items.map((one) => costs(one, { change, reread: read }));
  if (view.part === "logs") return logs();
  if (view.part === "backups") return view.items.map(backups);
  if (view.part === "tools" && view.items.length > 0) return html`${extra}${servers(view.items)}`;
  if (view.part === "http-tools" || view.part === "embeddings") return extra;
  if (view.items.length === 0) return html`${extra}<p class="empty">${t(`set.none-${view.part}`)}</p>`;
  return html`${extra}<section class="box">${view.part === "workspace" ? html`<div class="settings">${view.items.map(draw)}</div>` : html`<ul class="lines">${view.items.map(draw)}</ul>`}</section>`;
};

/** What a desk has in its rail: the workspace, the connection and the theme. */
const frame = () => html`<div class="frame">${workspaceChooser()}<div class="row">${connection()}<button class="btn sm" type="button" @click=${switchTheme}>${t("foot.theme")}</button></div></div>`;

export default {
  /** @param {import("../core/route.js").Place} place */
  enter: (place) => {
    view.isOpen = place.parts.length > 0;
    const part = isPart(place.parts[0] ?? "") ? (place.parts[0] ?? "workspace") : "workspace";
    view.part = part;
    view.server = part === "tools" ? (place.parts[1] ?? "") : "";
    view.items = null;
    view.fault = null;
    forget();
    forgetChoices();
    forgetEdits();
    forgetEntries();
    forgetPhone();
    endLogs();
    if (part !== "this-browser") read();
    view.stop ??= hear((frame) => {
      if (frame.type === "changed" && SHOWS[view.part] === frame.data.kind) read();
    });
  },
  leave: () => {
    forgetPhone();
    endLogs();
    view.stop?.();
    view.stop = null;
  },
  isOpen: () => view.isOpen,
  draw: () => html`<div class="view split settings-view"><section class="list" aria-label=${t("nav.settings")}><div class="head"><div class="row"><h2 class="vt">${t("nav.settings")}</h2></div>${frame()}</div>
    <ul class="items">${settingsParts().map((part) => html`<li><a class="it one" href=${to("settings", part)} aria-current=${view.part === part ? "true" : nothing}>${icon("settings")}<b>${t(`set.${part}`)}</b></a></li>`)}</ul></section>
    <section class="pane"><div class="scroll" tabindex="0" role="region" aria-label=${t(`set.${view.part}`)}><a class="btn bare back" href=${to("settings")}>${icon("back")}${t("nav.settings")}</a>
      <div class="card"><header><h2>${t(`set.${view.part}`)}</h2><p class="muted">${t(`set.${view.part}-says`)}</p></header>${view.fault ? problem(view.fault) : nothing}${body()}</div></div></section></div>`,
};
