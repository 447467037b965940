// What model calls cost, with all digits that the server gave.

import { t } from "../core/words.js";

/** @param {import("../core/shapes").UsageShape} usage */
export const amount = ({ cost_usd, cost_at_least }) => (cost_usd ? `${cost_at_least ? "≥ " : ""}${cost_usd} $` : t("detail.cost-unknown"));
