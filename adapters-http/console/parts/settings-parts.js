// The parts of the settings, and who sees which.

import { isOperator, may } from "../core/store.js";

const PARTS = ["workspace", "instructions", "approvals", "targets", "providers", "commands", "tools", "http-tools", "agents", "embeddings", "costs", "retention", "secrets", "people", "tokens", "server", "backups", "logs", "this-browser"];
/** Parts that a token needs rights for. @type {Record<string, () => boolean>} */
const NEEDS = { tokens: () => may("admin"), people: () => may("admin"), "http-tools": isOperator, embeddings: isOperator, server: isOperator, backups: isOperator, logs: isOperator };

/** @param {string} part */
export const isPart = (part) => PARTS.includes(part);

/** The parts that this person sees. */
export const settingsParts = () => PARTS.filter((part) => NEEDS[part]?.() ?? true);
