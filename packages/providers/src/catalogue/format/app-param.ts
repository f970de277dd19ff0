import { type Static, Type } from 'typebox'
import { MetadataInput } from './metadata-input.ts'
import { name, strict, valueForm } from './vocabulary.ts'

const { default: preset, kind, hosts, use, modules } = MetadataInput.properties

/** A setting of the provider app besides client id and secret. */
export const AppParam = Type.Object(
  {
    name: name('Name of the setting: the variable `{{app.name}}`, and the key in `metadata.providerParams`.'),
    ...valueForm,
    secret: Type.Optional(
      Type.Boolean({ description: 'The value is encrypted, and no response, log or error contains it.' }),
    ),
    required: Type.Optional(
      Type.Boolean({ description: 'Every app needs the value. Without it, Mortise sends no request.' }),
    ),
    modules,
    default: Type.Optional(Type.String({ ...preset, description: 'Value that forms suggest.' })),
    // Of files that were written when settings were described as inputs are.
    kind: Type.Optional({ ...kind, description: 'Accepted, and has no effect.' }),
    hosts: Type.Optional({ ...hosts, description: 'Accepted, and has no effect.' }),
    use: Type.Optional({ ...use, description: '`optional` and `objects`: forms say that the value is optional.' }),
  },
  {
    ...strict,
    description:
      'A setting of the provider app. `{{app.name}}` is its value in `headers`, and in `headers`, `query` and `body` of requests.',
  },
)
export type AppParam = Static<typeof AppParam>
