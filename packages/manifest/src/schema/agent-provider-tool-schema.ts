import { confirm } from './agent-confirm-schema.ts'
import { flag, type JsonSchema, list, object, text } from './json-schema.ts'

const filled = (items: JsonSchema, description: string): JsonSchema => ({ ...list(items, description), minItems: 1 })

/** A tool of the provider's MCP server, for editors. */
export const agentProviderTool = object(
  'A tool of the provider’s MCP server.',
  {
    toolName: text('Name of the tool, as the server names it.', { examples: ['create_issue'] }),
    digest: text('Digest of the definition that you have read; `mortise provider test` shows it.', {
      pattern: '^sha256:[0-9a-f]{64}$',
      examples: ['sha256:4088c4d434acdffc618d62d7653e576689717f656db066e857bc8ccee20010c0'],
    }),
    description: text('What the tool does, for agents, in place of the provider’s words.', { maxLength: 1_000 }),
    readOnly: flag('Whether the tool changes nothing in the account. `false` where absent.'),
    arguments: filled(
      object(
        'A rule for an argument: `value`, `values` or `hidden`.',
        {
          argumentName: text('Name of the argument.'),
          value: text(
            'Mortise sends this value, and agents cannot. `{{consumer}}` and `{{group}}` stand for the ids of the call.',
          ),
          values: filled(text('A value.'), 'The values that agents may send.'),
          hidden: flag('Whether agents cannot send the argument.'),
        },
        ['argumentName'],
      ),
      'Rules for arguments.',
    ),
    hiddenFields: filled(text('Name of a field.'), 'Fields of JSON results that agents do not get.'),
    maskedFields: filled(text('Name of a field.'), 'Fields of JSON results whose values agents do not see.'),
    confirm,
    dryRun: flag('Whether calls are only checked, and not sent to the provider.'),
  },
  ['toolName', 'digest'],
)
