/** The forms in which results are served. */
const forms = ['application/graphql-response+json', 'application/json', 'text/event-stream'] as const;

interface Range {
  /** In lower case, such as `application/*`. */
  readonly type: string;
  readonly quality: number;
}

function rangesOf(accept: string): Range[] {
  return accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.toLowerCase().split(';');
    const quality = parameters.map((each) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(each)?.[1]).find(Boolean);
    return { type: type.trim(), quality: quality === undefined ? 1 : Number(quality) };
  });
}

/** Of the most specific range that has the form; null if none has it. */
function qualityOf(form: string, ranges: readonly Range[]): number | null {
  const wanted = [form, form.replace(/\/.*$/, '/*'), '*/*'];
  for (const type of wanted) {
    const range = ranges.find((each) => each.type === type);
    if (range) return range.quality;
  }
  return null;
}

/**
 * The header Accept without the forms of results that it excludes with a quality of 0 (RFC 9110, section 12.4.2), for
 * libraries that do not read qualities. Null if it leaves no form.
 */
export function withoutExcluded(accept: string): string | null {
  const ranges = rangesOf(accept);
  const isExcluded = (form: string): boolean => qualityOf(form, ranges) === 0;
  if (!forms.some(isExcluded)) return accept;
  const left = forms.filter((form) => (qualityOf(form, ranges) ?? 0) > 0);
  return left.length === 0 ? null : left.join(', ');
}

/** Whether a header Accept names a type and does not exclude it. */
export function isNamed(type: string, accept: string): boolean {
  return rangesOf(accept).some((range) => range.type === type && range.quality > 0);
}

/** Whether a header Accept has ranges with texts only, none of which it excludes; true for an empty one. */
export function takesAnyText(accept: string): boolean {
  return rangesOf(accept).every(({ quality, type }) => quality > 0 && ['', '*/*', 'text/*'].includes(type));
}
