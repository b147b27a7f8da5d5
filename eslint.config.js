// Lints the schema and the operations of the project's own clients. (Biome lints the code.)
import graphql from '@graphql-eslint/eslint-plugin';

const { configs, parser } = graphql;

const schema = 'schema.graphql';
const operations = { commandLine: 'src/cli/client/*.graphql', console: 'console/src/api/*.graphql' };
const projects = Object.fromEntries(
  Object.entries(operations).map(([name, documents]) => [name, { schema, documents }]),
);
const common = {
  plugins: { '@graphql-eslint': graphql },
  languageOptions: {
    parser,
    parserOptions: { graphQLConfig: { projects: { ...projects, default: { schema } } } },
  },
};

export default [
  {
    ...common,
    files: [schema],
    rules: {
      ...configs['flat/schema-recommended'].rules,
      ...configs['flat/schema-relay'].rules,
      // Off: an id is for objects that can be read again by it. Values (DiskImage), answers (Availability), payloads,
      // connections and edges cannot.
      '@graphql-eslint/strict-id-in-types': 'off',
      '@graphql-eslint/relay-edge-types': [
        'error',
        {
          withEdgeSuffix: true,
          // Connections also have `nodes`, and short lists (machines of a lease, user errors) have no pages.
          listTypeCanWrapOnlyEdgeType: false,
          // Maintenance and audit records are not read again one by one.
          shouldImplementNode: false,
        },
      ],
    },
  },
  {
    ...common,
    files: Object.values(operations),
    rules: {
      ...configs['flat/operations-recommended'].rules,
      // Off: asks for `id` in every selection, for clients with a normalized cache. Neither client has one.
      '@graphql-eslint/require-selections': 'off',
    },
  },
];
