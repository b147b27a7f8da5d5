/**
 * Whether a message is whole sentences: it begins with a capital letter, a number, a quotation or a name in backticks,
 * and ends with a full stop, or with the question of a suggestion. `…` stands for what is put into a template.
 */
export function isSentence(message: string): boolean {
  return /^[\p{Lu}\d"`…]/u.test(message) && /(?:[.?]|\. …)$/.test(message);
}
