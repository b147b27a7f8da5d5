/** How long the texts can be that fields return: operations cost more for them, and longer texts are cut. */
import { defaultFieldResolver, type GraphQLField, type GraphQLSchema, getNamedType, isObjectType } from 'graphql';
import { maxActionOutput } from '../engine/ports.ts';
import { maxTextLength, maxUrlLength } from './limits.ts';

/** Characters. Other texts, such as names, codes and cursors, have `maxTextLength`. */
export const textLengths: Readonly<Record<string, number>> = {
  'Action.error': maxActionOutput,
  'Action.output': maxActionOutput,
  'NodeStateChange.reason': 1_000,
  'Notice.message': 1_000,
  'SchedulerStatus.configuration': 10_000,
  'SchedulerStatus.problems': 1_000,
  'StateReason.message': 1_000,
  'UserError.message': 1_000,
  'Webhook.pauseReason': 1_000,
  'Webhook.url': maxUrlLength,
  'WebhookDelivery.error': 1_000,
};

const textTypes: ReadonlySet<string> = new Set(['String', 'JSON']);

/** Gives each field with text its length (extension `textLength`). Throws if the table names another field. */
export function withTextLengths(schema: GraphQLSchema): GraphQLSchema {
  const left = new Set(Object.keys(textLengths));
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      if (!textTypes.has(getNamedType(field.type).name)) continue;
      const name = `${type.name}.${field.name}`;
      const length = left.delete(name) ? textLengths[name] : undefined;
      field.extensions = { ...field.extensions, textLength: length ?? maxTextLength };
      if (length !== undefined) cutTexts(field, length);
    }
  }
  if (left.size > 0) throw new Error(`${[...left].join(', ')}: the schema has no such field with text`);
  return schema;
}

function cutTexts(field: GraphQLField<unknown, unknown>, length: number): void {
  const resolve = field.resolve ?? defaultFieldResolver;
  field.resolve = (...given) => {
    const value: unknown = resolve(...given);
    return value instanceof Promise ? value.then((text: unknown) => cut(text, length)) : cut(value, length);
  };
}

/** Texts, and lists of texts. Other values, such as JSON, are left as they are. */
function cut(value: unknown, length: number): unknown {
  if (Array.isArray(value)) return value.map((each) => cut(each, length));
  if (typeof value !== 'string' || value.length <= length) return value;
  return `${value.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
