import { scopeActions } from '@mortise/providers'
import { type Static, Type } from 'typebox'
import { Enum, named } from '../../../kernel/http/index.ts'

export const MissingScope = named(
  'MissingScope',
  Type.Object(
    {
      objectName: Type.String({ description: 'The object that needs it.' }),
      action: Enum([...scopeActions], { description: 'What needs it.' }),
      anyOf: Type.Array(Type.String(), { description: 'The scope, or several of which one is enough.' }),
    },
    { description: 'An OAuth scope that is missing.' },
  ),
)
export type MissingScope = Static<typeof MissingScope>
