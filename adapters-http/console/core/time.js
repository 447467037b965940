// Instants as people read them, on the clocks of the workspace's zone. Every relative time has its instant beside it.

import { spoken, t } from "./words.js";

let zone = "UTC";
/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** Zones, and whether this browser knows them. @type {Map<string, boolean>} */
const known = new Map();

/** @param {string} named */
const isKnown = (named) => {
  let found = known.get(named);
  if (found === undefined) {
    try {
      new Intl.DateTimeFormat("en", { timeZone: named });
      found = true;
    } catch {
      found = false;
    }
    known.set(named, found);
  }
  return found;
};

/** @param {string} named */
export const useZone = (named) => {
  zone = isKnown(named) ? named : "UTC";
  formats.clear();
};

/** The zone of what is shown. */
export const zoneName = () => zone;

/** The last part of its name. */
export const zoneCity = () => (zone.split("/").pop() ?? zone).replaceAll("_", " ");

/**
 * What is shown on the clocks of another zone: an automation has its own.
 * @template T
 * @param {string} named
 * @param {() => T} shown
 * @returns {T}
 */
export const inZone = (named, shown) => {
  const own = zone;
  if (isKnown(named)) zone = named;
  try {
    return shown();
  } finally {
    zone = own;
  }
};

/** @param {Intl.DateTimeFormatOptions} options */
const format = (options) => {
  const key = `${spoken()} ${zone} ${JSON.stringify(options)}`;
  let found = formats.get(key);
  if (!found) {
    const locale = spoken() === "fr" ? "fr-FR" : "en-GB";
    found = new Intl.DateTimeFormat(locale, { timeZone: zone, ...options });
    formats.set(key, found);
  }
  return found;
};

/** @param {string | number | Date} at */
export const clock = (at) => format({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(at));
/** @param {string | number | Date} at */
export const day = (at) => format({ weekday: "short", day: "numeric", month: "short" }).format(new Date(at));
/** A day of the calendar, as `2026-11-22`; it has no zone. @param {string} day */
export const date = (day) => new Intl.DateTimeFormat(spoken() === "fr" ? "fr-FR" : "en-GB", { timeZone: "UTC", day: "numeric", month: "short", year: "numeric" }).format(new Date(`${day}T12:00:00Z`));
/** @param {string | number | Date} at */
export const dayLong = (at) => format({ weekday: "long", day: "numeric", month: "long" }).format(new Date(at));
/** @param {string | number | Date} at */
export const dayKey = (at) => {
  // Made once: it is asked for every hour of a timeline.
  const known = formats.get(`day ${zone}`) ?? new Intl.DateTimeFormat("en-CA", { timeZone: zone });
  formats.set(`day ${zone}`, known);
  return known.format(new Date(at));
};
/** A day some days later, or earlier. @param {string} day `2026-11-22` @param {number} days */
export const daysLater = (day, days) => new Date(Date.parse(`${day}T12:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
/** @param {string | number | Date} at */
export const hour = (at) => format({ hour: "2-digit", hourCycle: "h23" }).format(new Date(at)).replace(/\D/g, "");
/** The whole instant, with its zone. @param {string | number | Date} at */
export const instant = (at) =>
  `${format({ weekday: "short", day: "numeric", month: "short", year: "numeric" }).format(new Date(at))} ` +
  `${format({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }).format(new Date(at))}, ${zone}`;
/** The day only where it is not today's. @param {string | number | Date} at @param {number} [now] */
export const moment = (at, now = Date.now()) =>
  dayKey(at) === dayKey(now) ? clock(at) : `${day(at)} ${clock(at)}`;

/**
 * A length of time in one unit: `6 h`.
 * @param {number} ms
 */
export const span = (ms) => {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return t("time.s", { n: seconds });
  if (seconds < 3600) return t("time.min", { n: Math.round(seconds / 60) });
  if (seconds < 72 * 3600) return t("time.h", { n: Math.round(seconds / 3600) });
  return t("time.d", { n: Math.round(seconds / 86400) });
};

/** A length of time that is not rounded: `90 min`. @param {number} ms */
export const exactly = (ms) => {
  for (const [unit, size] of /** @type {const} */ ([["d", 86_400_000], ["h", 3_600_000], ["min", 60_000]])) {
    if (ms % size === 0) return t(`time.${unit}`, { n: ms / size });
  }
  return t("time.s", { n: ms / 1000 });
};

/** A short length: `0.4 s`. @param {number} ms */
export const took = (ms) =>
  ms < 10_000 ? t("time.s", { n: new Intl.NumberFormat(spoken(), { maximumFractionDigits: 1 }).format(ms / 1000) }) : span(ms);

/** How long ago, in short. @param {string} at @param {number} [now] */
export const ago = (at, now = Date.now()) => {
  const ms = now - Date.parse(at);
  return ms < 60_000 ? t("time.now") : span(ms);
};

/** How long ago, in a sentence. @param {string} at @param {number} [now] */
export const agoLong = (at, now = Date.now()) => {
  const ms = now - Date.parse(at);
  return ms < 60_000 ? t("time.just-now") : t("time.ago", { span: span(ms) });
};

/** @param {number} number */
export const count = (number) => new Intl.NumberFormat(spoken()).format(number);

/** Minutes that the zone's clocks are before UTC. @param {number} at */
const offsetAt = (at) => {
  const parts = format({ hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" }).formatToParts(at);
  const get = (/** @type {string} */ type) => Number(parts.find((part) => part.type === type)?.value ?? 0);
  return Math.round((Date.UTC(get("year"), get("month") - 1, get("day"), get("hour"), get("minute")) - Math.floor(at / 60_000) * 60_000) / 60_000);
};

/**
 * The instant of what a field for date and time holds, on the clocks of the zone; NaN where it holds none. Of an hour that
 * comes twice it is the first; one that does not exist is as much later as the clocks go forward.
 * @param {string} text
 */
export const atLocal = (text) => {
  const wanted = Date.parse(`${text}Z`);
  if (Number.isNaN(wanted)) return NaN;
  const [before, after] = [offsetAt(wanted - 86_400_000), offsetAt(wanted + 86_400_000)];
  const found = [before, after].map((minutes) => wanted - minutes * 60_000).filter((at) => at + offsetAt(at) * 60_000 === wanted);
  return found.length > 0 ? Math.min(...found) : wanted - before * 60_000;
};

/** What a field for date and time holds, of an instant. @param {string | number} at */
export const localOf = (at) => {
  const ms = typeof at === "number" ? at : Date.parse(at);
  return new Date(ms + offsetAt(ms) * 60_000).toISOString().slice(0, 16);
};
