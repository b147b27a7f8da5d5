import type { DiskImage } from '../../core/index.ts';
import { TraceError } from '../errors.ts';
import type { TraceLease } from '../workload.ts';
import { FieldReader } from './records.ts';
import { type TextSource, textLines } from './source.ts';
import { shorten } from './xml.ts';

/**
 * Reads an image list: lines `IMAGE MB`, a line that starts with `#`, then one image per line, the first for the first
 * lease. Throws TraceError.
 */
export function readImages(source: TextSource): DiskImage[] {
  const images = new Map<string, DiskImage>();
  const chosen: DiskImage[] = [];
  let catalogue = true;
  for (const { number, text } of textLines(source)) {
    const words = text.trim().split(/\s+/);
    if (words[0] === '') continue;
    if (words[0]?.startsWith('#') === true) {
      catalogue = false;
    } else if (catalogue) {
      if (words.length !== 2) fail(number, text, 'a line "IMAGE MB", or "#" before the list of images');
      const name = words[0] as string;
      images.set(name, { name, sizeMb: new FieldReader(source.name, number, words).amount(1, 'size') });
    } else {
      const image = images.get(text.trim());
      if (image === undefined) fail(number, text, 'an image that is listed above the "#"');
      else chosen.push(image);
    }
  }
  return chosen;

  function fail(line: number, found: string, expected: string): void {
    throw new TraceError(
      'UNEXPECTED_CONTENT',
      source.name,
      line,
      `"${shorten(found.trim())}" was found, expected ${expected}`,
    );
  }
}

/** Assigns the images to the leases in order. Leases beyond the end of the list keep their image. */
export function withImages(leases: readonly TraceLease[], images: readonly DiskImage[]): TraceLease[] {
  return leases.map((lease, index) => ({ ...lease, image: images[index] ?? lease.image }));
}
