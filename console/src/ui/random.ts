/** A random text without meaning. `crypto.randomUUID` exists only on secure origins. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');
}
