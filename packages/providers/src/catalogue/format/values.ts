import { type Static, type TObject, Type } from 'typebox'
import { capture, condition, type Match, MatchOfTemplates, path, strict, text } from './vocabulary.ts'

const which = 'Which item holds the value.'
const part = 'Path of the part, in an item of the list at `path`.'

/** Where a value is. Each use has the keys that it supports. */
export const Value = Type.Object(
  {
    path: path('Path of the value. With `list`: in the item.'),
    list: Type.Optional(path('Path of a list or an object. One item holds the value.')),
    when: Type.Optional(condition(which)),
    each: Type.Optional(path(part)),
    join: Type.Optional(text('Separator between the parts. Default: they are a list.')),
    capture,
  },
  strict,
)
export type Value = Static<typeof Value>

/** Which item holds the value, where its texts may be templates. */
export const whenOfTemplates = Type.Optional(Type.Unsafe<Match>({ ...MatchOfTemplates, description: which }))

/** The parts of the items of a list. */
export const PartsOfList = Type.Object(
  { path: Value.properties.path, each: path(part), join: Value.properties.join },
  strict,
)
export type PartsOfList = Static<typeof PartsOfList>

/** A path, or an object with keys of a value. */
export const pathOr = <T extends TObject>(value: T, description?: string) =>
  Type.Unsafe<string | Static<T>>({
    type: ['string', 'object'],
    format: 'path',
    maxLength: 500,
    properties: value.properties,
    required: value.required,
    additionalProperties: false,
    ...(description !== undefined && { description }),
  })

/** The value at a path, or a part of its text. */
export const CapturedValue = Type.Object({ path: Value.properties.path, capture }, strict)
export type CapturedValue = Static<typeof CapturedValue>
