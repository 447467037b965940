// Every request to the server. Each route is named by its operation in the OpenAPI document, and a test compares them.

import { base } from "./route.js";
import { spoken } from "./words.js";

/** @type {Record<string, [method: string, path: string]>} */
export const ROUTES = {
  login: ["POST", "/v1/login"],
  logout: ["POST", "/v1/logout"],
  me: ["GET", "/v1/me"],
  create_login_link: ["POST", "/v1/login/links"],
  get_terminal_login: ["GET", "/v1/login/terminals/{code}"],
  decide_terminal_login: ["POST", "/v1/login/terminals/{code}/decision"],
  list_workspaces: ["GET", "/v1/workspaces"],
  make_workspace: ["PUT", "/v1/workspaces/{w}"],
  list_inbox: ["GET", "/v1/workspaces/{w}/inbox"],
  snooze_items: ["POST", "/v1/workspaces/{w}/inbox/snooze"],
  wake_items: ["POST", "/v1/workspaces/{w}/inbox/wake"],
  assign_items: ["POST", "/v1/workspaces/{w}/inbox/assign"],
  decide_approval: ["POST", "/v1/workspaces/{w}/approvals/{apr}/decision"],
  decide_all: ["POST", "/v1/workspaces/{w}/sessions/{s}/decisions"],
  mark_seen: ["PUT", "/v1/workspaces/{w}/sessions/{s}/seen"],
  mark_task_seen: ["PUT", "/v1/workspaces/{w}/tasks/{task}/seen"],
  list_tasks: ["GET", "/v1/workspaces/{w}/tasks"],
  get_task: ["GET", "/v1/workspaces/{w}/tasks/{task}"],
  cancel_task: ["POST", "/v1/workspaces/{w}/tasks/{task}/cancel"],
  answer_task: ["POST", "/v1/workspaces/{w}/tasks/{task}/answer"],
  get_call: ["GET", "/v1/workspaces/{w}/calls/{c}"],
  settle_call: ["POST", "/v1/workspaces/{w}/calls/{c}/settlement"],
  list_commands: ["GET", "/v1/workspaces/{w}/commands"],
  get_acceptance: ["GET", "/v1/workspaces/{w}/commands/{n}/acceptance"],
  accept_command: ["PUT", "/v1/workspaces/{w}/commands/{n}/acceptance"],
  list_tool_servers: ["GET", "/v1/workspaces/{w}/tool-servers"],
  decide_tools: ["POST", "/v1/workspaces/{w}/tool-servers/{server}/decision"],
  get_config: ["GET", "/v1/admin/config"],
  get_doctor: ["GET", "/v1/admin/doctor"],
  read_log: ["GET", "/v1/admin/log"],
  make_backup: ["POST", "/v1/admin/backups"],
  check_database: ["POST", "/v1/admin/check"],
  run_command: ["POST", "/v1/workspaces/{w}/commands/{n}/runs"],
  list_sessions: ["GET", "/v1/workspaces/{w}/sessions"],
  start_chat: ["POST", "/v1/workspaces/{w}/sessions"],
  get_session: ["GET", "/v1/workspaces/{w}/sessions/{s}"],
  change_session: ["PATCH", "/v1/workspaces/{w}/sessions/{s}"],
  list_messages: ["GET", "/v1/workspaces/{w}/sessions/{s}/messages"],
  send_message: ["POST", "/v1/workspaces/{w}/sessions/{s}/messages"],
  answer_question: ["POST", "/v1/workspaces/{w}/sessions/{s}/answer"],
  answer_spending: ["POST", "/v1/workspaces/{w}/sessions/{s}/spending"],
  interrupt_session: ["POST", "/v1/workspaces/{w}/sessions/{s}/interrupt"],
  compact_session: ["POST", "/v1/workspaces/{w}/sessions/{s}/compact"],
  resume_session: ["POST", "/v1/workspaces/{w}/sessions/{s}/resume"],
  stop_session: ["POST", "/v1/workspaces/{w}/sessions/{s}/stop"],
  fork_session: ["POST", "/v1/workspaces/{w}/sessions/{s}/fork"],
  list_calls: ["GET", "/v1/workspaces/{w}/sessions/{s}/calls"],
  list_declared_agents: ["GET", "/v1/workspaces/{w}/agents"],
  list_agents: ["GET", "/v1/workspaces/{w}/sessions/{s}/agents"],
  list_model_calls: ["GET", "/v1/workspaces/{w}/sessions/{s}/model-calls"],
  get_model_call: ["GET", "/v1/workspaces/{w}/model-calls/{mc}"],
  get_model_call_parts: ["GET", "/v1/workspaces/{w}/model-calls/{mc}/parts"],
  read_journal: ["GET", "/v1/workspaces/{w}/sessions/{s}/journal"],
  get_metrics: ["GET", "/v1/workspaces/{w}/sessions/{s}/metrics"],
  export_session: ["GET", "/v1/workspaces/{w}/sessions/{s}/export"],
  withdraw_message: ["DELETE", "/v1/workspaces/{w}/sessions/{s}/queue/{m}"],
  store_file: ["POST", "/v1/workspaces/{w}/files"],
  get_file: ["GET", "/v1/workspaces/{w}/files/{digest}"],
  list_zones: ["GET", "/v1/workspaces/{w}/zones"],
  list_tools: ["GET", "/v1/workspaces/{w}/tools"],
  add_zone: ["POST", "/v1/workspaces/{w}/zones"],
  change_zone: ["PATCH", "/v1/workspaces/{w}/zones/{z}"],
  delete_zone: ["DELETE", "/v1/workspaces/{w}/zones/{z}"],
  add_tool: ["POST", "/v1/workspaces/{w}/tools"],
  change_tool: ["PATCH", "/v1/workspaces/{w}/tools/{tool}"],
  delete_tool: ["DELETE", "/v1/workspaces/{w}/tools/{tool}"],
  list_entries: ["GET", "/v1/workspaces/{w}/tools/{tool}/entries"],
  add_entry: ["POST", "/v1/workspaces/{w}/tools/{tool}/entries"],
  change_entry: ["PATCH", "/v1/workspaces/{w}/tools/{tool}/entries/{e}"],
  delete_entry: ["DELETE", "/v1/workspaces/{w}/tools/{tool}/entries/{e}"],
  list_documents: ["GET", "/v1/workspaces/{w}/documents"],
  get_document: ["GET", "/v1/workspaces/{w}/documents/{d}"],
  keep_document: ["PUT", "/v1/workspaces/{w}/documents/{d}"],
  keep_pdf: ["PUT", "/v1/workspaces/{w}/documents/{d}/pdf"],
  remove_document: ["DELETE", "/v1/workspaces/{w}/documents/{d}"],
  list_texts: ["GET", "/v1/workspaces/{w}/texts"],
  get_text: ["GET", "/v1/workspaces/{w}/texts/{text}"],
  propose_text: ["POST", "/v1/workspaces/{w}/texts"],
  publish_text: ["POST", "/v1/workspaces/{w}/texts/{text}/proposals/{prp}/publish"],
  discard_proposal: ["DELETE", "/v1/workspaces/{w}/texts/{text}/proposals/{prp}"],
  delete_text: ["DELETE", "/v1/workspaces/{w}/texts/{text}"],
  get_queue: ["GET", "/v1/workspaces/{w}/sessions/{s}/queue"],
  list_automations: ["GET", "/v1/workspaces/{w}/automations"],
  get_automation: ["GET", "/v1/workspaces/{w}/automations/{a}"],
  create_automation: ["POST", "/v1/workspaces/{w}/automations"],
  preview_schedule: ["GET", "/v1/workspaces/{w}/automations/preview"],
  change_automation: ["PATCH", "/v1/workspaces/{w}/automations/{a}"],
  delete_automation: ["DELETE", "/v1/workspaces/{w}/automations/{a}"],
  run_automation: ["POST", "/v1/workspaces/{w}/automations/{a}/runs"],
  dry_run_automation: ["POST", "/v1/workspaces/{w}/automations/{a}/dry-runs"],
  next_occurrences: ["GET", "/v1/workspaces/{w}/automations/{a}/next"],
  list_all_occurrences: ["GET", "/v1/workspaces/{w}/occurrences"],
  list_occurrences: ["GET", "/v1/workspaces/{w}/automations/{a}/occurrences"],
  report_costs: ["GET", "/v1/workspaces/{w}/costs"],
  settle_model_call: ["POST", "/v1/workspaces/{w}/model-calls/{mc}/settlement"],
  list_rules: ["GET", "/v1/workspaces/{w}/rules"],
  revoke_rule: ["DELETE", "/v1/workspaces/{w}/rules/{r}"],
  list_targets: ["GET", "/v1/workspaces/{w}/targets"],
  add_target: ["POST", "/v1/workspaces/{w}/targets"],
  change_target: ["PATCH", "/v1/workspaces/{w}/targets/{target}"],
  remove_target: ["DELETE", "/v1/workspaces/{w}/targets/{target}"],
  get_push_key: ["GET", "/v1/workspaces/{w}/push-key"],
  test_target: ["POST", "/v1/workspaces/{w}/targets/{target}/test"],
  list_own_secrets: ["GET", "/v1/workspaces/{w}/me/secrets"],
  keep_own_secret: ["PUT", "/v1/workspaces/{w}/me/secrets/{n}"],
  remove_own_secret: ["DELETE", "/v1/workspaces/{w}/me/secrets/{n}"],
  list_people: ["GET", "/v1/workspaces/{w}/people"],
  set_up_provider: ["POST", "/v1/providers"],
  get_provider: ["GET", "/v1/providers/{p}"],
  change_provider: ["PATCH", "/v1/providers/{p}"],
  remove_provider: ["DELETE", "/v1/providers/{p}"],
  find_model_servers: ["POST", "/v1/model-servers/search"],
  check_provider: ["POST", "/v1/providers/{p}/check"],
  list_models: ["GET", "/v1/providers/{p}/models"],
  list_providers: ["GET", "/v1/providers"],
  list_config_entries: ["GET", "/v1/admin/config/{section}"],
  get_config_entry: ["GET", "/v1/admin/config/{section}/{entry}"],
  put_config_entry: ["PUT", "/v1/admin/config/{section}/{entry}"],
  remove_config_entry: ["DELETE", "/v1/admin/config/{section}/{entry}"],
  check_config_entry: ["POST", "/v1/admin/config/{section}/{entry}/check"],
  list_tokens: ["GET", "/v1/workspaces/{w}/tokens"],
  create_token: ["POST", "/v1/workspaces/{w}/tokens"],
  revoke_token: ["DELETE", "/v1/workspaces/{w}/tokens/{t}"],
  get_settings: ["GET", "/v1/workspaces/{w}/settings"],
  get_setting: ["GET", "/v1/workspaces/{w}/settings/{key}"],
  reset_setting: ["DELETE", "/v1/workspaces/{w}/settings/{key}"],
  change_settings: ["PATCH", "/v1/workspaces/{w}/settings"],
  get_workspace_instructions: ["GET", "/v1/workspaces/{w}/instructions"],
  change_workspace_instructions: ["PATCH", "/v1/workspaces/{w}/instructions"],
  list_workspace_instructions: ["GET", "/v1/workspaces/{w}/instructions/versions"],
  get_automation_instructions: ["GET", "/v1/workspaces/{w}/automations/{a}/instructions"],
  change_automation_instructions: ["PATCH", "/v1/workspaces/{w}/automations/{a}/instructions"],
  list_automation_instructions: ["GET", "/v1/workspaces/{w}/automations/{a}/instructions/versions"],
  get_session_instructions: ["GET", "/v1/workspaces/{w}/sessions/{s}/instructions"],
  change_session_instructions: ["PATCH", "/v1/workspaces/{w}/sessions/{s}/instructions"],
  list_session_instructions: ["GET", "/v1/workspaces/{w}/sessions/{s}/instructions/versions"],
};

const PROOF = "entracte-proof";

/** What a browser shows beside its cookie; other ports of this machine receive the cookie too. */
export const proof = {
  get: () => localStorage.getItem(PROOF) ?? "",
  set: (/** @type {string} */ text) => localStorage.setItem(PROOF, text),
  forget: () => localStorage.removeItem(PROOF),
};

/** A request that the server refused, in its words. */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {any} body
   */
  constructor(status, body) {
    super(body?.detail ?? `HTTP ${status}`);
    this.status = status;
    /** @type {string} */ this.code = body?.code ?? "";
    /** @type {string} */ this.title = body?.title ?? `HTTP ${status}`;
    /** @type {string} */ this.detail = body?.detail ?? "";
    /** @type {{ path: string, says: string }[]} */ this.fields = body?.fields ?? [];
    /** @type {string} */ this.request = body?.request_id ?? "";
    /** @type {any} */ this.current = body?.current ?? null;
  }
}

/** No answer came: nobody knows whether the request did. */
export class NoAnswer extends Error {}

/** @typedef {Record<string, string | number | boolean | null | undefined>} Query */
/** `isNew`: there must be nothing of that name yet. @typedef {{ query?: Query, body?: unknown, text?: string, match?: string, isNew?: boolean, key?: string, signal?: AbortSignal }} How */

/**
 * @param {string} operation
 * @param {Record<string, string>} path
 * @param {Query} [query]
 */
export const address = (operation, path = {}, query = {}) => {
  const route = ROUTES[operation];
  if (!route) throw new Error(`there is no route ${operation}`);
  const filled = route[1].replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  }
  return `${base}${filled}${search.size ? `?${search}` : ""}`;
};

/** @type {() => void} */
let unknownHere = () => {};

/** Called when the server does not know who asks. @param {() => void} told */
export const onUnknown = (told) => {
  unknownHere = told;
};

/** What every request shows. @returns {Record<string, string>} */
export const shown = () => ({ "accept-language": spoken(), ...(proof.get() ? { "entracte-proof": proof.get() } : {}) });

/** Milliseconds after which a request counts as not answered. */
const PATIENCE = 20_000;

/**
 * One request.
 * @param {string} operation
 * @param {Record<string, string>} [path]
 * @param {How} [how]
 * @returns {Promise<{ data: any, text: string, tag: string | null }>}
 */
export const ask = async (operation, path = {}, how = {}) => {
  const [method] = ROUTES[operation] ?? ["GET"];
  /** @type {Record<string, string>} */
  const headers = { ...shown() };
  const body = how.text ?? (how.body === undefined ? undefined : JSON.stringify(how.body));
  if (body !== undefined) headers["content-type"] = "application/json";
  if (how.match) headers["if-match"] = `"${how.match}"`;
  if (how.isNew) headers["if-none-match"] = "*";
  if (method !== "GET") headers["idempotency-key"] = how.key ?? newKey();
  let answer;
  let text;
  try {
    const patience = AbortSignal.timeout(PATIENCE);
    const signal = how.signal ? AbortSignal.any([how.signal, patience]) : patience;
    answer = await fetch(address(operation, path, how.query), { method, headers, body, signal, credentials: "same-origin" });
    text = await answer.text();
  } catch (error) {
    if (how.signal?.aborted) throw error;
    throw new NoAnswer(String(error));
  }
  const data = parse(text);
  if (!answer.ok) {
    if (answer.status === 401 && operation !== "login") unknownHere();
    throw new Problem(answer.status, data);
  }
  return { data, text, tag: answer.headers.get("etag")?.replaceAll('"', "") ?? null };
};

/** The JSON of an answer; null if it is none. @param {string} text */
export const parse = (text) => {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
};

export const newKey = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `web-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
};

/** Milliseconds before the same request, with the same key, is sent again. */
export const AGAIN_AFTER = [1000, 2000, 5000];

/** @param {number} ms */
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/** @param {unknown} error */
const mayPass = (error) => error instanceof NoAnswer || (error instanceof Problem && (error.status >= 502 || error.code === "idempotency-in-progress"));

/**
 * A request that changes something: the same key again after 1, 2 and 5 s where no answer came.
 * @param {string} operation
 * @param {Record<string, string>} path
 * @param {How} how
 * @param {(again: number) => void} [told] how many seconds until the next try
 */
export const act = async (operation, path, how, told = () => {}) => {
  const key = how.key ?? newKey();
  for (const pause of AGAIN_AFTER) {
    try {
      return await ask(operation, path, { ...how, key });
    } catch (error) {
      if (!mayPass(error)) throw error;
      told(pause / 1000);
      await wait(pause);
    }
  }
  return ask(operation, path, { ...how, key });
};

/**
 * Every page of a list, up to a number of items.
 * @param {string} operation
 * @param {Record<string, string>} path
 * @param {Query} [query]
 * @param {number} [most]
 */
export const all = async (operation, path, query = {}, most = 2000) => {
  /** @type {any[]} */
  const items = [];
  let after = null;
  do {
    const { data } = await ask(operation, path, { query: { limit: 200, ...query, after } });
    items.push(...data.items);
    after = data.next;
  } while (after && items.length < most);
  return items;
};
