import { type Static, Type } from 'typebox'
import { map, strict, template } from './vocabulary.ts'

/** What none of the other schemes says: own inputs, and requests that carry them or what was made of them. */
export const CustomAuthentication = Type.Object(
  {
    scheme: Type.Literal('custom', { description: 'Own inputs, which headers and query parameters carry.' }),
    headers: Type.Optional(map(template('Text.'), 'Header templates over the inputs.')),
    query: Type.Optional(map(template('Text.'), 'Query parameter templates over the inputs.')),
    inputs: Type.Optional(Type.Array(map(Type.Unknown(), 'One input.'), { description: 'What each customer gives.' })),
    appInputs: Type.Optional(
      Type.Array(map(Type.Unknown(), 'One input.'), { description: 'What the provider app gives.' }),
    ),
    multiStep: Type.Optional(Type.Boolean({ description: 'Needs a conversation with the provider.' })),
  },
  { ...strict, title: 'custom' },
)
export type CustomAuthentication = Static<typeof CustomAuthentication>
