import { type Static, type TSchema, Type } from 'typebox'

/**
 * The building blocks of the format of a provider file. The other files of this folder contain its parts. Each part is
 * the JSON schema that checks it, its TypeScript types, and its section of the reference in
 * docs/provider-file-reference.md.
 */
export const strict = { additionalProperties: false } as const

export function choice<const T extends readonly string[]>(values: T, description: string) {
  return Type.Unsafe<T[number]>({ enum: [...values], description })
}

/** One of several shapes, distinguished by the value of one key, so that errors describe the intended shape. */
export function tagged<const T extends readonly TSchema[]>(key: string, shapes: T, description: string) {
  return Type.Unsafe<Static<T[number]>>({
    type: 'object',
    description,
    discriminator: { propertyName: key },
    oneOf: [...shapes],
    required: [key],
  })
}

export const text = (description: string) => Type.String({ description })
export const template = (description: string) => Type.String({ description, minLength: 1, format: 'template' })
export const path = (description: string) => Type.String({ description, maxLength: 500, format: 'path' })
/** A path whose names may contain variables of the object, such as `data.{{object}}`. */
export const namedPath = (description: string, minLength = 0) =>
  Type.String({ description, minLength, maxLength: 500, format: 'named-path' })
/** A path, or a template when it holds `{{ }}`. */
export const pathOrTemplate = (description: string, minLength = 1) =>
  Type.String({ description, minLength, format: 'path-or-template' })
export const templates = (description: string) => map(Type.String({ format: 'template' }), description)
export const paths = (description: string) => Type.Array(Type.String({ format: 'path' }), { description })
export const name = (description: string) => Type.String({ description, minLength: 1, maxLength: 200 })
/** One path, or several of which the first that leads to something counts. */
export const pathOrPaths = (description: string) =>
  Type.Unsafe<string | string[]>({
    type: ['string', 'array'],
    format: 'path',
    maxLength: 500,
    items: { type: 'string', format: 'path', maxLength: 500 },
    minItems: 1,
    description,
  })
/** The name of one of several authentication methods; part of links and command lines. */
export const schemeName = Type.Optional(
  Type.String({
    pattern: '^[A-Za-z][A-Za-z0-9_-]{0,49}$',
    description: 'Unique name of the method: letters, digits, `_` and `-`. Default: `scheme`.',
  }),
)
export const map = <T extends TSchema>(value: T, description: string) =>
  Type.Record(Type.String(), value, { description })

type Scalar = string | number | boolean | null

/**
 * What a value must be: one of some literals, there or not, a text that fits a pattern, or a list with an item that
 * fits.
 */
export interface Match {
  [path: string]: Scalar | Scalar[] | { present: boolean } | { matches: string } | { some: Match }
}

/** A regular expression that a text must fit somewhere. */
export const pattern = (description: string) => Type.String({ description, maxLength: 500, format: 'pattern' })
/** What forms call a value. */
export const label = 'Label in forms: what the provider calls the value.'
/** How forms ask for a value. */
export const valueForm = {
  displayName: Type.Optional(text(label)),
  prompt: Type.Optional(text('Help text next to the field.')),
  docsUrl: Type.Optional(text('Page that says where to find the value.')),
  example: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Example of a value, shown next to the field.' }),
  ),
  pattern: Type.Optional(pattern('Pattern of the whole value. Mortise checks it when an account is connected.')),
}
export const matches = pattern('Pattern (RE2). It may match any part of the text.')

/** Lists inside lists inside lists: deeper ones no answer has had. */
const matchDepth = 3

/** @param one how a wanted value is written that is not in a list */
function matchOf(depth: number, one: object): TSchema {
  const paths = Type.Record(
    Type.String(),
    Type.Unsafe<Match[string]>({
      ...one,
      type: ['string', 'number', 'boolean', 'null', 'array', 'object'],
      items: { type: ['string', 'number', 'boolean', 'null'] },
      properties: { present: { type: 'boolean' }, matches, ...(depth > 1 && { some: matchOf(depth - 1, one) }) },
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: false,
    }),
  )
  return { ...paths, propertyNames: { format: 'path' } }
}

export const Match = Type.Unsafe<Match>(matchOf(matchDepth, {}))
/** A condition, with what it decides. */
export const condition = (description: string) => Type.Unsafe<Match>({ ...Match, description })
/** The same where a wanted text is a template. */
export const MatchOfTemplates = Type.Unsafe<Match>(matchOf(matchDepth, { format: 'template' }))

/** Which part of a value is kept. */
export const capture = Type.Optional(
  Type.String({
    maxLength: 500,
    format: 'capture',
    description: 'Pattern with a group `(?<result>…)` to keep.',
  }),
)
