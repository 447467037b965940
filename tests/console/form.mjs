// Parts of the console for tests without a page: what they draw with asks for a document when it is loaded.

globalThis.document ??= { createElement: () => ({ content: {} }), createTreeWalker: () => ({}), createComment: () => ({}), querySelector: () => null, addEventListener: () => {} };
globalThis.addEventListener ??= () => {};
globalThis.localStorage ??= { getItem: () => null, setItem: () => {} };
globalThis.requestAnimationFrame ??= () => 0;
const kept = new Map();
globalThis.sessionStorage ??= { getItem: (name) => kept.get(name) ?? null, setItem: (name, text) => kept.set(name, text), removeItem: (name) => kept.delete(name) };
export const { argumentsOf, fieldsOf, form } = await import("../../adapters-http/console/parts/schema-form.js");
export const { rowsOf, table } = await import("../../adapters-http/console/parts/arguments.js");
export const { card, isReadable, pressed } = await import("../../adapters-http/console/parts/card.js");
export const { appears, approve, desk, mayBeSelected, onPress } = await import("../../adapters-http/console/parts/desk.js");
export const { holdsBack, pastedFiles } = await import("../../adapters-http/console/parts/attachments.js");
export const { draftOf, sendDraft, write } = await import("../../adapters-http/console/parts/composer.js");
export const { touched } = await import("../../adapters-http/console/parts/world-form.js");
export const { failed } = await import("../../adapters-http/console/parts/text.js");
export const { NoAnswer, Problem } = await import("../../adapters-http/console/core/api.js");
export const { state } = await import("../../adapters-http/console/core/store.js");
export const { read: readEvents } = await import("../../adapters-http/console/core/stream.js");
export const { changes } = await import("../../adapters-http/console/parts/timeline.js");
export const { atLocal, localOf, useZone } = await import("../../adapters-http/console/core/time.js");
export const { daysOf } = await import("../../adapters-http/console/parts/references.js");
export const { triage } = await import("../../adapters-http/console/parts/triage.js");
export const { triagePanel } = await import("../../adapters-http/console/parts/triage-panel.js");
export const { ticks } = await import("../../adapters-http/console/parts/chart.js");
export const reading = await import("../../adapters-http/console/core/inbox.js");
export const { nameOf } = await import("../../adapters-http/console/parts/composer.js");
