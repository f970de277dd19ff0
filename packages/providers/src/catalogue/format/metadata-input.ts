import { type Static, Type } from 'typebox'
import { Hosts } from './hosts.ts'
import { choice, name, strict, text } from './vocabulary.ts'

export const MetadataInput = Type.Object(
  {
    name: name('Name of the input: the variable `{{name}}`, and the key in `providerMetadata` of the connection.'),
    displayName: Type.Optional(text('Label in forms.')),
    prompt: Type.Optional(text('Help beside the field.')),
    docsUrl: Type.Optional(text('Where the customer finds the value.')),
    default: Type.Optional(text('Used when the connection has no value.')),
    kind: Type.Optional(
      choice(
        ['text', 'host', 'url'],
        'What the value must look like: `text` (default), a `host` name, or an http(s) `url` without query.',
      ),
    ),
    hosts: Type.Optional(Hosts),
    use: Type.Optional(
      choice(
        ['templates', 'kept'],
        'What it is for: `templates` (default): a template of this file names it; `kept`: none does, the connection keeps it for whoever calls the API (where the provider wants it is not known here).',
      ),
    ),
    modules: Type.Optional(
      Type.Array(Type.String(), { description: 'Modules that need it; all modules when absent.' }),
    ),
  },
  { ...strict, description: 'A value that each customer gives when connecting.' },
)
export type MetadataInput = Static<typeof MetadataInput>
