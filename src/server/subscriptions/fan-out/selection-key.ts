import {
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  print,
  visit,
} from 'graphql';

/** What of a document and its variables decides which results a subscription has: all but where it begins. */
interface Selected {
  readonly text: string;
  /** Variables that only say where it begins. */
  readonly cursors: ReadonlySet<string>;
}

const selections = new WeakMap<DocumentNode, Selected>();

/**
 * Equal for subscriptions whose results are equal, apart from where they begin. `view` stands for what the principal
 * may see.
 */
export function selectionKey(
  { schema, document, operationName, variableValues }: ExecutionArgs,
  view: string,
): string {
  let selected = selections.get(document);
  if (selected === undefined) {
    selected = select(schema, document);
    selections.set(document, selected);
  }
  const { text, cursors } = selected;
  const variables = Object.entries(variableValues ?? {})
    .filter(([name]) => !cursors.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([
    view,
    getOperationAST(document, operationName)?.name?.value ?? null,
    variables,
    text,
  ]);
}

/** The argument that says where a subscription begins is named by the extension `cursorArgument` of its field. */
function select(schema: GraphQLSchema, document: DocumentNode): Selected {
  const fields = schema.getSubscriptionType()?.getFields() ?? {};
  const cursors = new Set<string>();
  const withoutCursor = visit(document, {
    Field: (node) => {
      const argument = fields[node.name.value]?.extensions.cursorArgument;
      if (argument === undefined) return undefined;
      const kept = node.arguments?.filter(({ name, value }) => {
        if (name.value !== argument) return true;
        if (value.kind === Kind.VARIABLE) cursors.add(value.name.value);
        return false;
      });
      return { ...node, arguments: kept ?? [] };
    },
  });
  return { text: print(withoutCursor), cursors };
}
