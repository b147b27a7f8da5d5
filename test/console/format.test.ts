/** How the console writes instants. */
import { expect, it } from 'vitest';
import { withInstants } from '../../console/src/ui/format.ts';

it('shows instants within the words of the server in the chosen time zone', () => {
  const text = 'The machines of lease 7 stop at 2030-01-31T08:15:00.000Z';
  expect(withInstants(text, 'Europe/Berlin')).toBe(
    'The machines of lease 7 stop at 31 Jan 2030, 09:15:00 (Europe/Berlin)',
  );
  expect(withInstants('Nothing starts before lease 7.', 'UTC')).toBe('Nothing starts before lease 7.');
});
