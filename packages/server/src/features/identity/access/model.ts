import { type Static, Type } from 'typebox'
import { Enum, type Issue, named, secret, Timestamp } from '../../../kernel/http/index.ts'

/** What a key may be for; a key of both is one of `full`. */
const scopes = ['full', 'frontend']

/** More than anybody uses; they bound a list that comes whole. */
export const apiKeysMax = 1_000
export const jwtKeysMax = 100

const text255 = (description: string) => Type.String({ minLength: 1, maxLength: 255, description })
const label = text255('What people call the key.')
const listOfScopes = (options: { default?: string[] } = {}) =>
  Type.Array(Type.String(), {
    maxItems: 10,
    description: '`full`: everything in the project. `frontend`: what a front end needs, without secrets.',
    ...options,
  })
const active = Type.Boolean({ description: 'Whether the key works.' })

export const ApiKey = named(
  'ApiKey',
  Type.Object({
    key: secret(Type.String({ description: 'The key itself. Lists show its hint instead: get one key to see it.' })),
    label,
    scopes: listOfScopes(),
    projectId: Type.String({ description: 'The project that the key belongs to.' }),
    active,
    id: Type.String({ description: 'Extension: id of the key, which names it in paths without telling it.' }),
    hint: Type.String({ description: 'Extension: beginning and last four characters of the key.' }),
    createdBy: Type.String({ description: 'Extension: who created the key, as `builder:{id}`.' }),
    createTime: Timestamp,
    updateTime: Type.Optional(Timestamp),
  }),
)

export const ApiKeyRequest = named(
  'ApiKeyRequest',
  Type.Object({ label, scopes: Type.Optional(listOfScopes({ default: ['full'] })) }),
)

const updateMask = (allowed: string) =>
  Type.Array(Type.String({ maxLength: 100 }), {
    minItems: 1,
    maxItems: 20,
    description: `What to change: ${allowed}. Values that it does not list are ignored.`,
  })
// Clients send every field they know, empty where it is not to be changed: only what the mask lists is checked.
const anyLabel = Type.Optional(Type.String({ description: 'What people call the key: 1 to 255 characters.' }))

export const ApiKeyUpdate = named(
  'PatchApiKeyRequest',
  Type.Object({
    updateMask: updateMask('`active`, `label`, `scopes`'),
    apiKey: Type.Object(
      { active: Type.Optional(active), label: anyLabel, scopes: Type.Optional(listOfScopes()) },
      { description: 'The values.' },
    ),
  }),
)
export type ApiKeyUpdate = Static<typeof ApiKeyUpdate>

export const JwtKey = named(
  'JWTKey',
  Type.Object({
    id: Type.String({ description: 'Id of the key: the `kid` of the tokens that are signed with it.' }),
    projectId: Type.String({ description: 'The project that the key belongs to.' }),
    label,
    algorithm: Enum(['RSA'], { description: 'Kind of the key.' }),
    publicKeyPem: Type.String({ description: 'The public key: SPKI in PEM.' }),
    active,
    createTime: Timestamp,
    updateTime: Timestamp,
  }),
)

export const CreateJwtKeyRequest = named(
  'CreateJWTKeyRequest',
  Type.Object({
    label: Type.Optional(label),
    name: Type.Optional(text255('The same as `label`, which wins; one of the two is required.')),
    algorithm: Enum(['RS256', 'RSA'], { description: 'How tokens are signed; both words mean RS256.' }),
    // Marked, because a private key is sent here by mistake: no problem shows any of it.
    publicKeyPem: secret(
      Type.String({ maxLength: 10_000, description: 'RSA public key of 2,048 bits or more: SPKI in PEM.' }),
    ),
  }),
)

export const JwtKeyUpdate = named(
  'UpdateJWTKeyRequest',
  Type.Object({
    updateMask: updateMask('`active`, `label`'),
    jwtKey: Type.Object(
      {
        active: Type.Optional(active),
        label: anyLabel,
        name: Type.Optional(Type.String({ description: 'The same as `label`.' })),
      },
      { description: 'The values.' },
    ),
  }),
)
export type JwtKeyUpdate = Static<typeof JwtKeyUpdate>

/** Whether the mask names only what can be updated: one issue for each that cannot. */
export function maskIssues(mask: readonly string[], allowed: readonly string[]): Issue[] {
  return mask.flatMap((path, at) =>
    allowed.includes(path)
      ? []
      : [
          {
            in: 'body' as const,
            name: `updateMask[${at}]`,
            value: path,
            detail: 'This cannot be updated on a key.',
            remedy: `List only ${allowed.join(', ')}.`,
          },
        ],
  )
}

/** What the mask lists and the body has no value for. */
export function missingValues(mask: readonly string[], field: string, values: Record<string, unknown>): Issue[] {
  return [...new Set(mask)]
    .filter((path) => values[path] === undefined)
    .map((path) => ({
      in: 'body' as const,
      name: `${field}.${path}`,
      detail: `updateMask lists ${path}, but ${field} has no value for it.`,
      remedy: `Give ${field}.${path}, or leave it out of updateMask.`,
    }))
}

/** The length of a label that is to be stored. */
export function labelIssues(text: string, name: string): Issue[] {
  if (text.length >= 1 && [...text].length <= 255) return []
  return [{ in: 'body', name, value: text, detail: `${name} must have 1 to 255 characters.` }]
}

/** Which scopes are none, and that there must be one. */
export function scopeIssues(requested: readonly string[], name: string): Issue[] {
  const remedy = `Use ${scopes.join(' or ')}.`
  if (requested.length === 0) return [{ in: 'body', name, detail: 'A key without a scope is of no use.', remedy }]
  return requested.flatMap((scope, at) =>
    scopes.includes(scope)
      ? []
      : [{ in: 'body' as const, name: `${name}[${at}]`, value: scope, detail: 'There is no such scope.', remedy }],
  )
}
