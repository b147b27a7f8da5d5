/** Shape checks of inputs that other servers forwarded. The core validates the values. */

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(input: unknown): Fields | null {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Fields) : null;
}

export function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

export function isOneOf<T extends string>(values: readonly T[], value: unknown): value is T {
  return values.some((each) => each === value);
}

export function isListOf<T>(check: (value: unknown) => value is T, value: unknown): value is readonly T[] {
  return Array.isArray(value) && value.every(check);
}

export function isOptionalText(value: unknown): value is string | null | undefined {
  return value === null || value === undefined || typeof value === 'string';
}
