import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import {
  charactersPerCost,
  defaultPageSize,
  type Entries,
  expectedEntries,
  type MachinesSize,
  maxEntries,
} from '../../api/index.ts';

/** The estimated size of an operation, from its text and variables. */
export interface Measure {
  /** Estimated number of objects that it reads, and one for each 1,000 characters that their texts can have. */
  readonly cost: number;
  readonly depth: number;
  readonly aliases: number;
}

/** What is known of the site before execution. */
export interface SiteSize {
  /** The number of its nodes; null or absent if it is not known. */
  readonly nodes?: number | null | undefined;
}

/** What is measured of a part of an operation. */
interface Part {
  readonly objects: number;
  readonly characters: number;
  /** Lists of nodes, apart from what is above: as long as the site is large, and bounded together by `maxEntries`. */
  readonly nodes: readonly NodeList[];
  readonly depth: number;
  readonly aliases: number;
}

/** A list of nodes, without the lists of nodes within it. */
interface NodeList {
  readonly length: number;
  /** Of each element. */
  readonly objects: number;
  readonly characters: number;
}

/** Where a selection is: what it knows of the lists within it. */
interface Place {
  /** How many elements `edges` and `nodes` have, if it is that of a connection. */
  readonly page: number;
  /** The machines of its leases. */
  readonly size: MachinesSize;
}

/**
 * Assumed size of an unpaged list whose field does not state one (extension `listSize`: a number, or a function of the
 * arguments).
 */
const defaultListSize = 10;
/** Cost of introspection. */
const introspectionCost = 5_000;

/** Cost of a dry run, for which the scheduler may try many places. */
const dryRunCost = 5_000;

const nothing: Part = { objects: 0, characters: 0, nodes: [], depth: 0, aliases: 0 };

const beside = (a: Part, b: Part): Part => ({
  objects: a.objects + b.objects,
  characters: a.characters + b.characters,
  nodes: merged([...a.nodes, ...b.nodes]),
  depth: Math.max(a.depth, b.depth),
  aliases: a.aliases + b.aliases,
});

/** Lists with equal elements become one, so that a document of nested fragments does not make ever more of them. */
function merged(lists: readonly NodeList[]): readonly NodeList[] {
  if (lists.length < 2) return lists;
  const byElement = new Map<string, NodeList>();
  for (const { length, objects, characters } of lists) {
    const key = `${objects}:${characters}`;
    const before = byElement.get(key)?.length ?? 0;
    byElement.set(key, { length: before + length, objects, characters });
  }
  return [...byElement.values()];
}

/** The cost of as many nodes as a response can have: the costliest. */
function costOfNodes(lists: readonly NodeList[]): Pick<Part, 'objects' | 'characters'> {
  const weight = ({ objects, characters }: NodeList): number => objects + characters / charactersPerCost;
  let left = maxEntries;
  let [objects, characters] = [0, 0];
  for (const list of lists.toSorted((a, b) => weight(b) - weight(a))) {
    const length = Math.min(list.length, left);
    left -= length;
    objects += length * list.objects;
    characters += length * list.characters;
  }
  return { objects, characters };
}

/**
 * Measures a valid operation with coerced variables. Each fragment is measured once, so that the time depends only on
 * the length of the document.
 */
export function measure(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  site: SiteSize = {},
): Measure {
  const root = schema.getRootType(operation.operation);
  if (!root) return { cost: 0, depth: 0, aliases: 0 };
  const measuring = new Measuring(schema, document, variables, site);
  const size = { machines: expectedEntries.machines, amounts: defaultListSize };
  const place = { page: 1, size };
  const { objects, characters, nodes, depth, aliases } = measuring.selections(operation.selectionSet, root, place);
  const inLists = costOfNodes(nodes);
  const cost = objects + inLists.objects + Math.ceil((characters + inLists.characters) / charactersPerCost);
  return { cost, depth, aliases };
}

class Measuring {
  private readonly fragments = new Map<string, FragmentDefinitionNode>();
  private readonly measured = new Map<string, Part>();

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly variables: Readonly<Record<string, unknown>>,
    private readonly site: SiteSize,
  ) {
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.fragments.set(definition.name.value, definition);
    }
  }

  selections({ selections }: SelectionSetNode, type: GraphQLCompositeType, place: Place): Part {
    return selections.reduce<Part>((sum, selection) => {
      if (selection.kind === Kind.FIELD) return beside(sum, this.field(selection, type, place));
      if (selection.kind === Kind.FRAGMENT_SPREAD) return beside(sum, this.fragment(selection.name.value, place));
      return beside(
        sum,
        this.selections(selection.selectionSet, this.typeOf(selection.typeCondition?.name.value) ?? type, place),
      );
    }, nothing);
  }

  private fragment(name: string, place: Place): Part {
    const key = `${name}:${place.page}:${place.size.machines}:${place.size.amounts}`;
    const known = this.measured.get(key);
    if (known) return known;
    const fragment = this.fragments.get(name);
    const type = this.typeOf(fragment?.typeCondition.name.value);
    const measured = fragment && type ? this.selections(fragment.selectionSet, type, place) : nothing;
    this.measured.set(key, measured);
    return measured;
  }

  private field(node: FieldNode, parent: GraphQLCompositeType, place: Place): Part {
    const aliases = node.alias ? 1 : 0;
    const leaf = { ...nothing, depth: 1, aliases };
    if (node.name.value.startsWith('__')) {
      return { ...leaf, objects: node.selectionSet ? introspectionCost : 0 };
    }
    const field = 'getFields' in parent ? parent.getFields()[node.name.value] : undefined;
    const type = field && getNamedType(field.type);
    if (!field) return leaf;
    const times = this.elements(field, parent, place, node);
    if (!node.selectionSet || !isCompositeType(type)) {
      const { textLength = 0 } = field.extensions as { readonly textLength?: number };
      return { ...leaf, characters: times * textLength };
    }
    const given = this.machinesIn(field, node);
    const inside = this.selections(node.selectionSet, type, {
      page: isConnection(type) ? this.pageSize(field, node) : 1,
      size: given ?? place.size,
    });
    const within = inside.nodes.map((list) => ({ ...list, length: times * list.length }));
    const measured = { depth: 1 + inside.depth, aliases: aliases + inside.aliases };
    const { characters } = inside;
    if (entriesOf(field) === 'nodes') {
      const list = { length: times, objects: 1 + inside.objects, characters };
      return { ...nothing, ...measured, nodes: merged([list, ...within]) };
    }
    return {
      ...measured,
      objects: times * (1 + inside.objects) + (given?.machines ?? 0) + this.ofDryRun(field, parent, node),
      characters: times * characters,
      nodes: within,
    };
  }

  private elements(
    field: GraphQLField<unknown, unknown>,
    parent: GraphQLCompositeType,
    place: Place,
    node: FieldNode,
  ): number {
    if (!isListType(getNullableType(field.type))) return 1;
    // Sizes may come from arguments, which are not checked before the execution.
    return Math.max(0, this.listSize(field, parent, place, node));
  }

  private listSize(
    field: GraphQLField<unknown, unknown>,
    parent: GraphQLCompositeType,
    { page, size: machines }: Place,
    node: FieldNode,
  ): number {
    if (isConnection(parent)) return page;
    const kind = entriesOf(field);
    if (kind === 'machines') return machines.machines;
    if (kind === 'nodes') return this.site.nodes ?? expectedEntries.nodes;
    if (kind !== undefined) return expectedEntries[kind];
    const size = field.extensions.listSize;
    if (size === 'amounts') return machines.amounts;
    if (typeof size === 'function') return size(getArgumentValues(field, node, this.variables));
    return typeof size === 'number' ? size : defaultListSize;
  }

  private ofDryRun(field: GraphQLField<unknown, unknown>, parent: GraphQLCompositeType, node: FieldNode): number {
    if (parent !== this.schema.getMutationType()) return 0;
    const { input } = getArgumentValues(field, node, this.variables);
    return (input as { readonly dryRun?: unknown } | undefined)?.dryRun === true ? dryRunCost : 0;
  }

  /** Of the input; null if the field takes none. */
  private machinesIn(field: GraphQLField<unknown, unknown>, node: FieldNode): MachinesSize | null {
    const { machines } = field.extensions;
    return typeof machines === 'function' ? machines(getArgumentValues(field, node, this.variables)) : null;
  }

  private pageSize(field: GraphQLField<unknown, unknown>, node: FieldNode): number {
    const { first, last } = getArgumentValues(field, node, this.variables);
    return typeof first === 'number'
      ? Math.max(0, first)
      : typeof last === 'number'
        ? Math.max(0, last)
        : defaultPageSize;
  }

  private typeOf(name: string | undefined): GraphQLCompositeType | undefined {
    const type = name === undefined ? undefined : this.schema.getType(name);
    return isCompositeType(type) ? type : undefined;
  }
}

function entriesOf({ extensions }: GraphQLField<unknown, unknown>): Entries | undefined {
  return extensions.entries as Entries | undefined;
}

const isConnection = (type: GraphQLCompositeType): boolean => isObjectType(type) && 'pageInfo' in type.getFields();
