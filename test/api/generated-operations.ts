/** Operations that fast-check makes from the schema: valid documents, with values from sensible to absurd. */
import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationTypeNode,
} from 'graphql';

/** Draws a value from an arbitrary. */
type Draw = fc.GeneratorValue;

export type OperationKind = `${OperationTypeNode}`;

export interface Operation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Cursors are of one list only, and these exclude other arguments. (What `after` is for events is a number.) */
const isExcluded = ({ name, type }: GraphQLArgument): boolean =>
  ['before', 'last', 'number'].includes(name) || (name === 'after' && getNamedType(type).name === 'String');

/** By words in the names of the arguments and fields that take them. */
const idTypes: Readonly<Record<string, string>> = {
  lease: 'Lease',
  recurrence: 'Recurrence',
  notice: 'Notice',
  webhook: 'Webhook',
  node: 'ComputeNode',
  project: 'Project',
  token: 'Token',
  action: 'Action',
};
const globalId = (type: string) => fc.integer({ min: 1, max: 6 }).map((number) => btoa(`${type}:${number}`));
const globalIds = ['Lease', 'ComputeNode', 'Reservation', 'LeaseEvent', 'Project', 'Token', 'Action'].map(globalId);
const hour = 3_600_000;
const instants = (now: number, min: number, max: number) =>
  fc.integer({ min, max }).map((hours) => new Date(now + hours * hour).toISOString());

const recurrences: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  rule: fc.constantFrom('FREQ=DAILY;COUNT=3', 'FREQ=WEEKLY;BYDAY=MO,TH', 'FREQ=MONTHLY;BYMONTHDAY=31;COUNT=2'),
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin'),
  firstStart: fc.constantFrom('2030-03-30T02:30:00', '2030-01-31T23:00:00'),
};

/** Values that are mostly accepted. */
function sensibleValues(now: number): Readonly<Record<string, fc.Arbitrary<unknown>>> {
  return {
    ID: fc.oneof(...globalIds),
    String: fc.integer({ min: 1, max: 30 }).map((number) => `name-${number}`),
    Boolean: fc.boolean(),
    Int: fc.integer({ min: 1, max: 4 }),
    Float: fc.constantFrom(1, 10.5, 100),
    Long: fc.constantFrom(1, 50, 64, 100),
    DateTime: instants(now, -48, 48),
    Duration: fc.constantFrom('PT1S', 'PT10M', 'PT1H', 'P2D'),
  };
}

/** Limits, values beyond them, and values of another type. */
const absurdValues: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ID: fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom(btoa('Lease:0'), btoa('Lease:4294967296'), btoa('Site:1')),
  ),
  String: fc.oneof(fc.string({ maxLength: 12 }), fc.string({ unit: 'binary', maxLength: 12 }), fc.constant('\0')),
  Boolean: fc.constantFrom(0, 'true'),
  Float: fc.constantFrom(0, -1, 1e-300, 1e308, '1'),
  Int: fc.constantFrom(-1, 100, 101, 10_000, 10_001, 2 ** 31 - 1, -(2 ** 31), 2 ** 31, 0.5),
  Long: fc.constantFrom(0, 2 ** 31, Number.MAX_SAFE_INTEGER, 2 ** 53, 1.5, -1, '1'),
  DateTime: fc.constantFrom('1970-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '2030-02-30T00:00:00Z', '', 0),
  Duration: fc.constantFrom('PT0S', 'PT0.001S', 'P104249991D', 'P1Y', 'PT', '-PT1S', 60),
};

export class Operations {
  private readonly sensible: Readonly<Record<string, fc.Arbitrary<unknown>>>;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly now: number,
  ) {
    this.sensible = sensibleValues(now);
  }

  /** An operation with one or several root fields; a subscription has one. One in four has absurd values. */
  draw(draw: Draw, kind: OperationKind): Operation {
    const root = this.schema.getRootType(kind as OperationTypeNode);
    const isAbsurd = draw(fc.nat, { max: 3 }) === 0;
    return new Drawing(this.schema, this.sensible, this.now, isAbsurd, draw).operation(kind, root as GraphQLObjectType);
  }
}

function unknownScalar(name: string): never {
  throw new Error(`There are no values for ${name}: add some.`);
}

/** One operation while it is drawn. */
class Drawing {
  private readonly declared: string[] = [];
  private readonly variables: Record<string, unknown> = {};
  private aliases = 0;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly sensible: Readonly<Record<string, fc.Arbitrary<unknown>>>,
    private readonly now: number,
    private readonly isAbsurd: boolean,
    private readonly draw: Draw,
  ) {}

  operation(kind: OperationKind, root: GraphQLObjectType): Operation {
    const count = kind === 'subscription' ? 1 : this.draw(fc.integer, { min: 1, max: 3 });
    const fields = Object.values(root.getFields());
    // Without leases there is little to be read or changed.
    const { requestLease } = root.getFields();
    if (requestLease) fields.push(...Array<typeof requestLease>(fields.length >> 1).fill(requestLease));
    const selections = Array.from({ length: count }, () =>
      this.field(fields[this.draw(fc.nat, { max: fields.length - 1 })] as GraphQLField<unknown, unknown>, 3),
    );
    const head = this.declared.length > 0 ? `${kind} (${this.declared.join(', ')})` : kind;
    return { query: `${head} { ${selections.join(' ')} }`, variables: this.variables };
  }

  private field({ name, args, type }: GraphQLField<unknown, unknown>, depth: number): string {
    this.aliases += 1;
    const given = args.flatMap((argument) => {
      return isExcluded(argument) && !this.isAbsurd ? [] : this.argument(name, argument);
    });
    const parameters = given.length > 0 ? `(${given.join(', ')})` : '';
    return `${name}_${this.aliases}: ${name}${parameters} ${this.selection(getNamedType(type), depth)}`;
  }

  /** Arguments are sent as variables, since those can hold what no literal can. */
  private argument(field: string, { name, type }: GraphQLArgument): string[] {
    const isNeeded = isNonNullType(type) || (field === 'lease' && name === 'id');
    if (!isNeeded && this.draw(fc.boolean)) return [];
    const variable = `v${this.declared.length + 1}`;
    this.declared.push(`$${variable}: ${type}`);
    this.variables[variable] = this.value(type, `${field} ${name}`);
    return [`${name}: $${variable}`];
  }

  private selection(type: GraphQLNamedType, depth: number): string {
    if (!isCompositeType(type)) return '';
    const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
    const chosen = fields.filter(({ type: inner }) => {
      const isLeaf = !isCompositeType(getNamedType(inner));
      return (isLeaf || depth > 0) && this.draw(fc.nat, { max: 2 }) > 0;
    });
    const inside = type.name.endsWith('Connection') ? depth : depth - 1;
    const selections = chosen.map((field) => this.field(field, inside));
    if (type.name === 'Node') {
      const types = this.schema.getPossibleTypes(type as never);
      selections.push(...types.map((each) => `... on ${each.name} ${this.selection(each, depth - 1)}`));
    }
    return `{ __typename ${selections.join(' ')} }`;
  }

  /** `where` has the names that lead to the value. */
  private value(type: GraphQLInputType, where: string): unknown {
    if (isNonNullType(type)) return this.value(type.ofType, where);
    const strange = this.isAbsurd && this.draw(fc.nat, { max: 5 }) === 0;
    if (strange && this.draw(fc.nat, { max: 3 }) === 0) {
      return this.draw(() => fc.constantFrom(null, 0, '', [], {}, true));
    }
    // Sizes of pages are negative often, since they are factors of the cost.
    if (this.isAbsurd && / first$/.test(where) && this.draw(fc.boolean)) {
      return this.draw(() => fc.constantFrom(-1, -1_000, -(2 ** 31)));
    }
    if (isListType(type)) {
      const length = this.draw(fc.integer, { min: this.isAbsurd ? 0 : 1, max: 3 });
      return Array.from({ length }, () => this.value(type.ofType, where));
    }
    if (isEnumType(type)) return this.draw(() => fc.constantFrom(...type.getValues().map(({ name }) => name)));
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(
        (field) => isNonNullType(field.type) || this.draw(fc.nat, { max: 2 }) === 0,
      );
      return Object.fromEntries(fields.map((field) => [field.name, this.value(field.type, `${where} ${field.name}`)]));
    }
    return this.draw(
      () => (strange ? absurdValues[type.name] : this.sensibleValue(type.name, where)) ?? unknownScalar(type.name),
    );
  }

  private sensibleValue(scalar: string, where: string): fc.Arbitrary<unknown> | undefined {
    const words = where.toLowerCase().match(/lease|recurrence|notice|webhook|node|project|token|action/g);
    const idType = idTypes[words?.at(-1) ?? ''];
    if (scalar === 'ID' && idType) return globalId(idType);
    if (scalar === 'DateTime' && / from$/.test(where)) return instants(this.now, -48, 0);
    if (scalar === 'DateTime' && / (to|end)$/.test(where)) return instants(this.now, 49, 96);
    if (/ after$/.test(where)) return fc.constantFrom(0, 1, 5);
    if (/(resource|capacity type)$/.test(where)) return fc.constantFrom('CPU', 'Memory');
    if (/ (rule|timeZone|firstStart)$/.test(where)) return recurrences[where.split(' ').at(-1) ?? ''];
    return this.sensible[scalar];
  }
}
