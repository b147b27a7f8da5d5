import { expect, test } from 'vitest';
import { defaultSchedulerConfig, type SchedulerConfig } from '../../src/core/index.ts';
import { hostSite } from '../../src/enactment/site.ts';
import { bestEffort, Harness, hours, minutes, principal, settle, siteOf } from '../support/engine-harness.ts';

test('adapters know which images the plan keeps on each node, also after a restart', async () => {
  await using harness = new Harness({ nodes: 1 });
  const scheduler: SchedulerConfig = {
    ...defaultSchedulerConfig,
    preparation: 'imagetransfer',
    imageTransfer: {
      ...defaultSchedulerConfig.imageTransfer,
      forceTransferTime: minutes(1),
      reuse: 'image-caches',
      cacheSizeMb: 100,
    },
  };
  const start = async () => {
    const site = hostSite('test', siteOf(1).nodes);
    const onCachedImages = site.setCachedImages;
    expect(site.cachedImages?.(1)).toBeNull();
    const { engine } = await harness.start({ engine: { scheduler, onCachedImages } });
    return { engine, kept: () => site.cachedImages?.(1) };
  };
  const first = await start();
  expect(first.kept()).toEqual([]);
  const requests = async (name: string) => {
    const request = { ...bestEffort(minutes(10)), image: { name, sizeMb: 60 } };
    await first.engine.submit('request', request, { principal });
    await harness.pass(minutes(15), minutes(1));
  };
  await requests('debian');
  expect(first.kept()).toEqual(['debian']);
  await requests('fedora');
  // There is room for one of them.
  expect(first.kept()).toEqual(['fedora']);
  await first.engine.stop();
  const second = await start();
  await settle();
  expect(second.kept()).toEqual(['fedora']);
  await harness.pass(hours(1));
});
