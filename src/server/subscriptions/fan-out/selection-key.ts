import {
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  print,
  visit,
} from 'graphql';

/** The part of a document and its variables that determines the results of a subscription: all but its start. */
interface Selected {
  readonly text: string;
  /** Variables that only set the start. */
  readonly cursors: ReadonlySet<string>;
}

const selections = new WeakMap<DocumentNode, Selected>();

/**
 * Equal for subscriptions with equal results apart from their start. `view` represents the visibility of the principal.
 */
export function selectionKey({ schema, document, operationName, variableValues }: ExecutionArgs, view: string): string {
  let selected = selections.get(document);
  if (selected === undefined) {
    selected = select(schema, document);
    selections.set(document, selected);
  }
  const { text, cursors } = selected;
  const variables = Object.entries(variableValues ?? {})
    .filter(([name]) => !cursors.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([view, getOperationAST(document, operationName)?.name?.value ?? null, variables, text]);
}

/** The extension `cursorArgument` of a field names the argument with the start. */
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
