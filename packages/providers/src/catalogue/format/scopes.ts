import { type Static, Type } from 'typebox'
import { choice, strict, text } from './vocabulary.ts'

const scope = { type: 'string', minLength: 1, maxLength: 500 } as const

/** A scope, or several of which one is enough. */
const Need = Type.Unsafe<string | { anyOf: string[] }>({
  ...scope,
  type: ['string', 'object'],
  properties: { anyOf: { type: 'array', items: scope, minItems: 2, maxItems: 50 } },
  required: ['anyOf'],
  additionalProperties: false,
})

/** OAuth scopes that are needed together. */
export const neededScopes = (description: string) =>
  Type.Optional(Type.Array(Need, { minItems: 1, maxItems: 50, description }))

export const DeclaredScopes = Type.Object(
  {
    read: neededScopes('To read, search and describe records.'),
    write: neededScopes('To create and update records.'),
    delete: neededScopes('To delete records. Default: those of `write`.'),
    subscribe: neededScopes('To receive events, besides `scopes` of `webhooks` or `stream`. Default: those of `read`.'),
  },
  {
    ...strict,
    minProperties: 1,
    description:
      'OAuth scopes that the object needs, by action. All items are needed: a scope, or `{anyOf: […]}` if one is enough. An action without a list is not checked.',
  },
)
export type DeclaredScopes = Static<typeof DeclaredScopes>

export const reasonsWithoutScopes = ['none', 'one', 'undocumented'] as const

/** Why objects of an OAuth file name no scopes. */
export const WithoutScopes = Type.Array(
  Type.Object(
    {
      why: choice(
        reasonsWithoutScopes,
        'The provider needs no scope for it (`none`), has one for everything (`one`), or no public documentation was found that names it (`undocumented`).',
      ),
      source: text('The documentation that says so, or where you looked, with the day.'),
      objects: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
          minItems: 1,
          uniqueItems: true,
          description:
            'The objects with an action without scopes, `*` for those of `otherObjects`. Default: all objects.',
        }),
      ),
    },
    strict,
  ),
  { minItems: 1, description: 'Why objects, or some of their actions, name no `scopes`.' },
)
