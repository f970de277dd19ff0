import { type Static, Type } from 'typebox'
import { definableTypes } from '../../connector.ts'
import { request } from './request.ts'
import { CapturedValue, pathOr } from './values.ts'
import { choice, map, strict } from './vocabulary.ts'

const { method: _, ...requestParts } = request

const step = {
  ...requestParts,
  method: Type.Optional(
    choice(['POST', 'PUT', 'PATCH', 'GET'], 'Default: `POST`, `GET` for `find`, and `PATCH` for `update`.'),
  ),
}

const unless = Type.Optional(
  Type.Array(Type.Integer({ minimum: 400, maximum: 499 }), {
    description: 'Statuses that mean “already done”. There are no values to `take` then.',
  }),
)

/** What later requests know of an answer. */
const take = Type.Optional(
  map(
    pathOr(CapturedValue),
    'Variables for later requests, by name: a path in the response, or an object. A missing value is an error.',
  ),
)

export const Preparation = Type.Object({ ...step, unless, take }, strict)
export type Preparation = Static<typeof Preparation>

const Finding = Type.Object({ ...step, take }, strict)
export type Finding = Static<typeof Finding>

const Step = Type.Object({ ...step, unless }, strict)
export type Step = Static<typeof Step>

const Words = Type.Unsafe<Record<string, string | number | boolean>>({
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean'] },
})

export const MakeFields = Type.Object(
  {
    types: Type.Unsafe<Partial<Record<(typeof definableTypes)[number], Static<typeof Words>>>>({
      ...map(Words, 'The provider’s words for each value type, under names of yours: `{{type.name}}`.'),
      propertyNames: { enum: [...definableTypes] },
      minProperties: 1,
    }),
    before: Type.Optional(
      Type.Array(Preparation, {
        description: 'Requests before the first field of an object, once.',
      }),
    ),
    create: Type.Object(step, { ...strict, description: 'Creates the field.' }),
    find: Type.Optional(
      Type.Array(Finding, {
        maxItems: 5,
        description: 'Requests for what an update needs, such as the field’s id.',
      }),
    ),
    update: Type.Optional(
      Type.Object(step, {
        ...strict,
        description: 'Changes the field. Without it, existing fields stay unchanged.',
      }),
    ),
    after: Type.Optional(
      Type.Array(Step, {
        description: 'Requests after each created field. If one is refused, the caller gets a warning.',
      }),
    ),
  },
  {
    ...strict,
    description:
      'How custom fields are created and changed. The variable `field` has `name`, `label`, `description`, `required`, `unique`, `indexed`, `length`, `pattern`, `precision`, `scale`, `min`, `max`, `default`, `restricted`, `options` (each with `value` and `label`) and `association`, as far as the caller sets them. Mortise reports settings that no request uses. For `update`, `options` are all choices, and `added` the new ones.',
  },
)
export type MakeFields = Static<typeof MakeFields>
