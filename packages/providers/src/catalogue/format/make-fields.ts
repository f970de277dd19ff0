import { type Static, Type } from 'typebox'
import { definableTypes } from '../../connector.ts'
import { request } from './request.ts'
import { choice, map, path, strict } from './vocabulary.ts'

const { method: _, ...requestParts } = request

const step = (method: string) => ({
  ...requestParts,
  method: Type.Optional(choice(['POST', 'PUT', 'PATCH', 'GET'], `HTTP method; \`${method}\` when absent.`)),
})

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
      Type.Array(Step, { description: 'Requests that come once before the first field of an object is made.' }),
    ),
    create: Type.Object(step('POST'), { ...strict, description: 'Makes the field.' }),
    find: Type.Optional(
      Type.Object(
        {
          ...requestParts,
          method: Type.Optional(choice(['GET', 'POST'], 'HTTP method; `GET` when absent.')),
          id: path('Path of the field’s id in the answer: `{{id}}` of the update.'),
        },
        { ...strict, description: 'Asks for the id of a field that is there, where an update needs one.' },
      ),
    ),
    update: Type.Optional(
      Type.Object(step('PATCH'), {
        ...strict,
        description: 'Changes the field; without it, fields that are there are left as they are.',
      }),
    ),
    after: Type.Optional(
      Type.Array(Step, {
        description: 'Requests that follow on each field that was made; `{{id}}` is not known to them.',
      }),
    ),
  },
  {
    ...strict,
    description:
      'How fields of the customer’s own are made and changed. The variable `field` has `name`, `label`, `description`, `required`, `unique`, `indexed`, `length`, `pattern`, `precision`, `scale`, `min`, `max`, `default`, `restricted`, `options` (a list, each with `value` and `label`) and `association`; what was not asked for has no value, and what no request names is told to the caller as left out.',
  },
)
export type MakeFields = Static<typeof MakeFields>
