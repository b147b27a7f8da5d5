import { describe, expect, it } from 'vitest';
import { remaining } from '../../src/api/amounts.ts';

describe('what is left of a capacity', () => {
  it('is what nobody holds', () => {
    expect(remaining({ CPU: 400, Memory: 1024 }, [{ CPU: 100 }, { CPU: 50, Memory: 24 }])).toEqual({
      CPU: 250,
      Memory: 1000,
    });
  });

  it('counts each instance for itself, as a reservation keeps the one that it was given', () => {
    const capacity = { CPU: [100, 100, 100] };
    expect(remaining(capacity, [{ CPU: [0, 60, 0] }, { CPU: [30, 0, 0] }])).toEqual({ CPU: [70, 40, 100] });
    expect(remaining(capacity, [])).toEqual(capacity);
  });

  it('is never less than nothing', () => {
    expect(remaining({ CPU: [100, 50] }, [{ CPU: [0, 60] }])).toEqual({ CPU: [100, 0] });
  });
});
