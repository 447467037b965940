export const html: (strings: TemplateStringsArray, ...values: unknown[]) => object;
export const svg: (strings: TemplateStringsArray, ...values: unknown[]) => object;
export const nothing: unique symbol;
export const render: (value: unknown, container: HTMLElement) => unknown;
