import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfigurationFile, schedulerDifferenceLine, schedulerDifferences } from '../../src/config/index.ts';
import { defaultSchedulerConfig } from '../../src/core/index.ts';

const scratch = mkdtempSync(join(tmpdir(), 'leasegraph-difference-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/** What differs from a server with the defaults, or with these options. */
function differences(text: string, used: object = {}): string[] {
  const path = join(scratch, 'site.yaml');
  writeFileSync(path, text);
  const configuration = readConfigurationFile(path);
  return schedulerDifferences({ ...defaultSchedulerConfig, ...used }, configuration).map((each) =>
    schedulerDifferenceLine(each).replace(' (when the server starts with the file)', ''),
  );
}

describe('what differs in the options of the scheduler', () => {
  it('is shown in the units of the file', () => {
    expect(
      differences(
        'scheduler: { overrideSuspendTime: 1, shutdownTime: 2.5, preemptionPeace: 1h30m, suspension: all, imageTransfer: { bandwidth: 50 } }',
      ),
    ).toEqual([
      '~ scheduler.suspension "none" -> "all"',
      '~ scheduler.overrideSuspendTime null -> 1s',
      '~ scheduler.shutdownTime 0s -> 2.5s',
      '~ scheduler.preemptionPeace 7d -> 1h30m',
      '~ scheduler.imageTransfer.bandwidth 100 -> 50',
    ]);
    expect(differences('{}', { suspension: 'all' })).toEqual(['~ scheduler.suspension "all" -> "none"']);
  });

  it('is not what a server plans at least where hosts take time', () => {
    const real = 'adapter: { kind: simulated, delays: { start: 1s } }\n';
    expect(differences(real)).toEqual([]);
    expect(differences(real, { shutdownTime: 1_000 })).toEqual([]);
    expect(differences(`${real}scheduler: { shutdownTime: 3 }`, { shutdownTime: 1_000 })).toEqual([
      '~ scheduler.shutdownTime 1s -> 3s',
    ]);
  });
});
