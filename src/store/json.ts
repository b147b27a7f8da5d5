/** JSON that PostgreSQL accepts: NUL characters and lone surrogates are replaced by U+FFFD. */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value) ?? 'null';
  if (!json.includes('\\u')) return json;
  const clean = (text: string) => text.replaceAll(/\p{Surrogate}|\0/gu, '\uFFFD');
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'string') return clean(member);
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).map(([key, entry]) => [clean(key), entry]));
  });
}
