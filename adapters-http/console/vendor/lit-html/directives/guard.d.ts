export const guard: (values: unknown[], make: () => unknown) => unknown;
