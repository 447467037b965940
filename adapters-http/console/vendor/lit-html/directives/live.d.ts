export const live: (value: unknown) => unknown;
