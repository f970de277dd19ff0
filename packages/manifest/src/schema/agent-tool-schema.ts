import { toolMethods } from '@mortise/providers/tool-requests'
import { confirm } from './agent-confirm-schema.ts'
import { flag, type JsonSchema, list, object, text } from './json-schema.ts'

const fieldNames = (description: string): JsonSchema => ({
  ...list(text("Name of a field, or a nested one in bracket form: `$['address']['city']`."), description),
  minItems: 1,
})

/** A tool of the builder, for editors. */
export const agentTool = object(
  'A custom tool: a request to the provider, made from the arguments of the agent.',
  {
    name: text('Name for models. It is the name of no other tool.', {
      pattern: '^[a-zA-Z0-9_-]{1,64}$',
      examples: ['merge_companies'],
    }),
    description: text('What it does, for models.', { maxLength: 1_000 }),
    inputSchema: {
      type: 'object',
      description: 'JSON Schema of the arguments. Without it, there are none.',
      examples: [{ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }],
    },
    request: object(
      'The request, in the language of provider files. Variables: `arguments.NAME`, `group` and `consumer`.',
      {
        method: { enum: toolMethods, default: 'GET', description: 'HTTP method; `GET` where absent.' },
        path: text('Path below the base URL of the provider. Values are percent-encoded.', {
          pattern: '^/',
          examples: ['/contacts/{{arguments.id}}'],
        }),
        query: {
          type: 'object',
          description: 'Query parameters. One whose variable has no value is left out.',
          examples: [{ limit: 10 }],
        },
        headers: {
          type: 'object',
          description: 'Request headers. One whose variable has no value is left out.',
          examples: [{ Prefer: 'return=representation' }],
        },
        body: {
          description: 'Body. `{ $value: arguments.tags }` inserts a value with its type.',
          examples: ['{{arguments.id}}'],
        },
        encoding: { enum: ['form'], description: '`form`: the body is a form. JSON where absent.' },
      },
      ['path'],
    ),
    result: object('What the agent gets of the answer.', {
      path: text('Path of the result, such as `data.items`. The whole answer where absent.', { examples: ['data'] }),
      fields: fieldNames('Fields to keep, of the result or of each item of its list.'),
      hiddenFields: fieldNames('Fields to leave out, at any depth.'),
      maskedFields: fieldNames('Fields whose values agents do not see, at any depth.'),
    }),
    readOnly: flag('Whether it changes nothing. Where absent, only GET and HEAD do not.'),
    confirm,
    dryRun: flag('Whether calls are only checked, and not sent to the provider.'),
  },
  ['name', 'description', 'request'],
)
