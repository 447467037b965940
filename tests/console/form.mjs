// Parts of the console for tests without a page: what they draw with asks for a document when it is loaded.

globalThis.document ??= { createElement: () => ({ content: {} }), createTreeWalker: () => ({}), createComment: () => ({}), querySelector: () => null };
globalThis.addEventListener ??= () => {};
globalThis.localStorage ??= { getItem: () => null, setItem: () => {} };
export const { argumentsOf, fieldsOf } = await import("../../adapters-http/console/parts/schema-form.js");
export const { read: readEvents } = await import("../../adapters-http/console/core/stream.js");
export const { changes } = await import("../../adapters-http/console/parts/timeline.js");
export const { atLocal, localOf, useZone } = await import("../../adapters-http/console/core/time.js");
export const { daysOf } = await import("../../adapters-http/console/parts/references.js");
export const { ticks } = await import("../../adapters-http/console/parts/chart.js");
