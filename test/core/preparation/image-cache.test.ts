import { describe, expect, it } from 'vitest';
import { Journal } from '../../../src/core/journal.ts';
import { ImageCaches } from '../../../src/core/preparation/image-cache.ts';
import { image } from '../../support/story.ts';

const NODE = 1;
const [a, b, c] = [image('a', 300), image('b', 300), image('c', 300)] as const;

/** A node's cached images by name. */
const on = (caches: ImageCaches, node = NODE) =>
  caches.records().flatMap((record) => (record.node === node ? [record.image.name] : []));

/** Delivers an image that no lease uses any more. */
const deliver = (caches: ImageCaches, what: typeof a, until: number) => {
  caches.deliver(NODE, what, [[9, 1]], until);
  caches.release(9);
};

describe('the image cache of a node', () => {
  it('keeps every image when there is no limit', () => {
    const caches = new ImageCaches(-1, new Journal());
    for (const each of [a, b, c]) deliver(caches, each, 100);
    expect(on(caches)).toEqual(['a', 'b', 'c']);
  });

  it('evicts the images with the earliest expiry first', () => {
    const caches = new ImageCaches(600, new Journal());
    deliver(caches, a, 200);
    deliver(caches, b, 100);
    deliver(caches, c, 50);
    expect(on(caches)).toEqual(['a', 'c']);
  });

  it('evicts the oldest image first when expiries are equal', () => {
    const caches = new ImageCaches(600, new Journal());
    for (const each of [a, b, c]) deliver(caches, each, 100);
    expect(on(caches)).toEqual(['b', 'c']);
  });

  it('evicts no more than needed', () => {
    const caches = new ImageCaches(900, new Journal());
    for (const each of [a, b]) deliver(caches, each, 100);
    deliver(caches, image('small', 200), 100);
    expect(on(caches)).toEqual(['a', 'b', 'small']);
    deliver(caches, image('medium', 400), 100);
    expect(on(caches)).toEqual(['b', 'small', 'medium']);
  });

  it('keeps images in use: a new image that does not fit beside them is not cached, and none is evicted', () => {
    const caches = new ImageCaches(600, new Journal());
    caches.deliver(NODE, a, [[1, 1]], 100);
    caches.deliver(NODE, b, [[2, 1]], 100);
    deliver(caches, c, 500);
    expect(on(caches)).toEqual(['a', 'b']);
    caches.release(1);
    deliver(caches, c, 500);
    expect(on(caches)).toEqual(['b', 'c']);
  });

  it('never caches an image that is larger than the limit', () => {
    const caches = new ImageCaches(600, new Journal());
    deliver(caches, a, 100);
    deliver(caches, image('large', 601), 100);
    expect(on(caches)).toEqual(['a']);
  });

  it('keeps an image until the latest time required by the leases that delivered or reuse it (R26)', () => {
    const caches = new ImageCaches(-1, new Journal());
    caches.deliver(NODE, a, [[1, 1]], 100);
    caches.reuse(NODE, a, 2, 1, 300);
    caches.deliver(NODE, a, [[3, 1]], 200);
    caches.reuse(NODE, a, 3, 1, 250);
    expect(caches.timeout(NODE, a)).toBe(300);
    expect(caches.records()[0]?.users).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
  });

  it('is separate for each node', () => {
    const caches = new ImageCaches(-1, new Journal());
    deliver(caches, a, 100);
    expect(caches.has(NODE, a)).toBe(true);
    expect(caches.has(2, a)).toBe(false);
    expect(caches.timeout(2, a)).toBeNull();
  });

  it('is restored from its records', () => {
    const caches = new ImageCaches(600, new Journal());
    caches.deliver(2, b, [[4, 1]], null);
    deliver(caches, a, 100);
    const stored = caches.records();
    expect(new ImageCaches(600, new Journal(), stored).records()).toEqual(stored);
  });

  it('can restore an image to a lease that was removed on trial', () => {
    const journal = new Journal();
    const caches = new ImageCaches(-1, journal);
    caches.deliver(
      NODE,
      a,
      [
        [1, 1],
        [1, 2],
      ],
      100,
    );
    const before = caches.records();
    const during = journal.attempt(() => {
      caches.release(1);
      expect(caches.records()[0]?.users).toEqual([]);
      return null;
    });
    expect(during).toBeNull();
    expect(caches.records()).toEqual(before);
  });
});
