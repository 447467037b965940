export const ref: (told: (element: Element | undefined) => void) => unknown;
