const escapes: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' };

/** As text or attribute value. Characters that XML does not allow become U+FFFD. */
export function escapeXml(text: string): string {
  return (
    text
      .replace(/\p{Surrogate}/gu, '\uFFFD')
      .replace(/[<>&"]/g, (character) => escapes[character] ?? '')
      .replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to take out
      .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '\uFFFD')
  );
}
