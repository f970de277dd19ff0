import { type Static, Type } from 'typebox'
import { Hosts } from './hosts.ts'
import { choice, name, strict, text, valueForm } from './vocabulary.ts'

export const MetadataInput = Type.Object(
  {
    name: name('Name of the value: the variable `{{name}}`, and the key in `providerMetadata`.'),
    ...valueForm,
    default: Type.Optional(text('Value to use when the connection has none.')),
    kind: Type.Optional(
      choice(
        ['text', 'host', 'url'],
        'Format of the value: `text` (default), a `host` name, or an http(s) `url` without query.',
      ),
    ),
    hosts: Type.Optional(Hosts),
    use: Type.Optional(
      choice(
        ['templates', 'objects', 'optional', 'kept'],
        '`templates` (default): this file uses the value. `objects`: only objects need it, so that customers can connect without it. `optional`: objects also work without it. `kept`: the connection stores it for your own requests.',
      ),
    ),
    modules: Type.Optional(Type.Array(Type.String(), { description: 'Modules that need the value. Default: all.' })),
  },
  { ...strict, description: 'A value that each customer enters when they connect.' },
)
export type MetadataInput = Static<typeof MetadataInput>
