/** A number in [0, 1) that depends on all given numbers: murmur's finalizer over each. */
export function fraction(...numbers: readonly number[]): number {
  let mixed = 0;
  for (const number of numbers) {
    mixed = Math.imul(mixed ^ number ^ 0x9e3779b9, 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    mixed ^= mixed >>> 16;
  }
  return (mixed >>> 0) / 4_294_967_296;
}
