import { type Static, Type } from 'typebox'
import { definableTypes } from '../../connector.ts'
import { request } from './request.ts'
import { capture, choice, map, path, strict } from './vocabulary.ts'

const { method: _, ...requestParts } = request

const step = (method: string) => ({
  ...requestParts,
  method: Type.Optional(choice(['POST', 'PUT', 'PATCH', 'GET'], `HTTP method; \`${method}\` when absent.`)),
})

const Taken = Type.Object({ path: path('Path in the answer.'), capture }, strict)

/** What later requests know of an answer. */
const take = Type.Optional(
  map(
    Type.Unsafe<string | Static<typeof Taken>>({
      type: ['string', 'object'],
      format: 'path',
      maxLength: 500,
      properties: Taken.properties,
      required: ['path'],
      additionalProperties: false,
    }),
    'Variables of the requests that follow, by name: the path of each in the answer, or `{path, capture}`. The answer must hold them all.',
  ),
)

const Preparation = Type.Object(
  {
    ...step('POST'),
    unless: Type.Optional(
      Type.Array(Type.Integer({ minimum: 400, maximum: 499 }), {
        description: 'Statuses that are no failure: it was done before. Nothing is taken from such an answer.',
      }),
    ),
    take,
  },
  strict,
)
export type Preparation = Static<typeof Preparation>

const Finding = Type.Object({ ...step('GET'), take }, strict)
export type Finding = Static<typeof Finding>

const Step = Type.Object(
  {
    ...step('POST'),
    unless: Type.Optional(
      Type.Array(Type.Integer({ minimum: 400, maximum: 499 }), {
        description: 'Statuses that are no failure: it was done before.',
      }),
    ),
  },
  strict,
)
export type Step = Static<typeof Step>

const Words = Type.Unsafe<Record<string, string | number | boolean>>({
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean'] },
})

export const MakeFields = Type.Object(
  {
    types: Type.Unsafe<Partial<Record<(typeof definableTypes)[number], Static<typeof Words>>>>({
      ...map(
        Words,
        'By value type: what the provider calls it, under names of your own. `{{type.name}}` is such a word.',
      ),
      propertyNames: { enum: [...definableTypes] },
      minProperties: 1,
    }),
    before: Type.Optional(
      Type.Array(Preparation, {
        description: 'Requests that come once before the first field of an object is made, in order.',
      }),
    ),
    create: Type.Object(step('POST'), { ...strict, description: 'Makes the field.' }),
    find: Type.Optional(
      Type.Array(Finding, {
        maxItems: 5,
        description: 'Asks, in order, for what an update of a field that is there needs to know, such as its id.',
      }),
    ),
    update: Type.Optional(
      Type.Object(step('PATCH'), {
        ...strict,
        description: 'Changes the field; without it, fields that are there are left as they are.',
      }),
    ),
    after: Type.Optional(
      Type.Array(Step, {
        description:
          'Requests that follow on each field that was made. The field stays where one is refused, which is told.',
      }),
    ),
  },
  {
    ...strict,
    description:
      'How fields of the customer’s own are made and changed. The variable `field` has `name`, `label`, `description`, `required`, `unique`, `indexed`, `length`, `pattern`, `precision`, `scale`, `min`, `max`, `default`, `restricted`, `options` (a list, each with `value` and `label`) and `association`; what was not asked for has no value, and what no request names is told to the caller as left out. For `update`, `options` are those that are there and those that are not yet, and `added` the latter alone.',
  },
)
export type MakeFields = Static<typeof MakeFields>
