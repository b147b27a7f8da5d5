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
import { charactersPerCost, defaultPageSize } from '../../api/index.ts';

/** The estimated size of an operation, from its text and variables. */
export interface Measure {
  /** Estimated number of objects that it reads, and one for each 1,000 characters that their texts can have. */
  readonly cost: number;
  readonly depth: number;
  readonly aliases: number;
}

/** What is measured of a part of an operation. */
interface Part {
  readonly objects: number;
  readonly characters: number;
  readonly depth: number;
  readonly aliases: number;
}

/**
 * Assumed size of an unpaged list whose field does not state one (extension `listSize`: a number, or a function of the
 * arguments).
 */
const defaultListSize = 10;
/** Cost of introspection. */
const introspectionCost = 5_000;

const nothing: Part = { objects: 0, characters: 0, depth: 0, aliases: 0 };

const beside = (a: Part, b: Part): Part => ({
  objects: a.objects + b.objects,
  characters: a.characters + b.characters,
  depth: Math.max(a.depth, b.depth),
  aliases: a.aliases + b.aliases,
});

/**
 * Measures a valid operation. Each fragment is measured once, so that the time depends only on the length of the
 * document.
 */
export function measure(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Measure {
  const root = schema.getRootType(operation.operation);
  if (!root) return { cost: 0, depth: 0, aliases: 0 };
  const measuring = new Measuring(schema, document, variables);
  const { objects, characters, depth, aliases } = measuring.selections(operation.selectionSet, root, 1);
  return { cost: objects + Math.ceil(characters / charactersPerCost), depth, aliases };
}

class Measuring {
  private readonly fragments = new Map<string, FragmentDefinitionNode>();
  private readonly measured = new Map<string, Part>();

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly variables: Readonly<Record<string, unknown>>,
  ) {
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.fragments.set(definition.name.value, definition);
    }
  }

  /** `page`: how many elements `edges` and `nodes` of the type have, if it is a connection. */
  selections({ selections }: SelectionSetNode, type: GraphQLCompositeType, page: number): Part {
    return selections.reduce<Part>((sum, selection) => {
      if (selection.kind === Kind.FIELD) return beside(sum, this.field(selection, type, page));
      if (selection.kind === Kind.FRAGMENT_SPREAD)
        return beside(sum, this.fragment(selection.name.value, page));
      return beside(
        sum,
        this.selections(
          selection.selectionSet,
          this.typeOf(selection.typeCondition?.name.value) ?? type,
          page,
        ),
      );
    }, nothing);
  }

  private fragment(name: string, page: number): Part {
    const key = `${name}:${page}`;
    const known = this.measured.get(key);
    if (known) return known;
    const fragment = this.fragments.get(name);
    const type = this.typeOf(fragment?.typeCondition.name.value);
    const measured = fragment && type ? this.selections(fragment.selectionSet, type, page) : nothing;
    this.measured.set(key, measured);
    return measured;
  }

  private field(node: FieldNode, parent: GraphQLCompositeType, page: number): Part {
    const aliases = node.alias ? 1 : 0;
    if (node.name.value.startsWith('__')) {
      return { objects: node.selectionSet ? introspectionCost : 0, characters: 0, depth: 1, aliases };
    }
    const field = 'getFields' in parent ? parent.getFields()[node.name.value] : undefined;
    const type = field && getNamedType(field.type);
    if (!field) return { objects: 0, characters: 0, depth: 1, aliases };
    const times = this.elements(field, parent, page, node);
    if (!node.selectionSet || !isCompositeType(type)) {
      const { textLength = 0 } = field.extensions as { readonly textLength?: number };
      return { objects: 0, characters: times * textLength, depth: 1, aliases };
    }
    const inside = this.selections(
      node.selectionSet,
      type,
      isConnection(type) ? this.pageSize(field, node) : 1,
    );
    return {
      objects: times * (1 + inside.objects),
      characters: times * inside.characters,
      depth: 1 + inside.depth,
      aliases: aliases + inside.aliases,
    };
  }

  private elements(
    field: GraphQLField<unknown, unknown>,
    parent: GraphQLCompositeType,
    page: number,
    node: FieldNode,
  ): number {
    if (!isListType(getNullableType(field.type))) return 1;
    if (isConnection(parent)) return page;
    const size = field.extensions.listSize;
    if (typeof size === 'function') return size(getArgumentValues(field, node, this.variables));
    return typeof size === 'number' ? size : defaultListSize;
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

const isConnection = (type: GraphQLCompositeType): boolean =>
  isObjectType(type) && 'pageInfo' in type.getFields();
