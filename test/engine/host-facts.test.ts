import { expect, test, vi } from 'vitest';
import { Dispatcher } from '../../src/engine/hosts/dispatcher.ts';
import { Harness, principal } from '../support/engine-harness.ts';

test('open actions are gone through once for the hosts of all nodes', async () => {
  await using harness = new Harness({ nodes: 4 });
  const { engine } = await harness.start();
  const open = vi.spyOn(Dispatcher.prototype, 'open', 'get');
  const readsFor = async (nodes: readonly number[]): Promise<number> => {
    open.mockClear();
    const facts = await engine.submit('hostFacts', { nodes }, { principal });
    expect(facts.map(({ node }) => node)).toEqual(nodes);
    return open.mock.calls.length;
  };
  expect(await readsFor([4, 2, 1, 3])).toBe(await readsFor([1]));
  open.mockRestore();
});
