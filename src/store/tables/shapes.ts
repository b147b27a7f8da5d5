/** Shapes and fields used by several tables. */
import * as z from 'zod';
import type { Amounts, ReasonData, StateReason } from '../../core/index.ts';
import type { Field } from '../table.ts';

export const amounts: z.ZodType<Amounts> = z.record(z.string(), z.union([z.number(), z.array(z.number())]));
export const image = z.object({ name: z.string(), sizeMb: z.number() });
export const pair = z.tuple([z.int(), z.int()]);
export const positive = z.string().regex(/^[1-9]\d*$/);
export const byMachine = z.record(positive, z.int());
export const byNode = <T extends z.ZodType>(shape: T) => z.record(positive, shape);

export const reasonData: z.ZodType<ReasonData> = z.record(z.string(), z.int());

export function reason<R>(): Field<StateReason | null, R> {
  const nullableText = z.string().nullable();
  return {
    columns: [
      { name: 'reason_code', type: 'text', shape: nullableText },
      { name: 'reason_message', type: 'text', shape: nullableText },
      { name: 'reason_data', type: 'jsonb', shape: reasonData.nullable() },
    ],
    write: (value, row) => {
      row.reason_code = value?.code ?? null;
      row.reason_message = value?.message ?? null;
      row.reason_data = value?.data ?? null;
    },
    read: ({ reason_code: code, reason_message: message, reason_data: data }) =>
      code === null
        ? null
        : {
            code: String(code),
            message: String(message ?? ''),
            ...(data === null ? {} : { data: data as ReasonData }),
          },
  };
}
