import { Type } from 'typebox'
import { condition, strict } from './vocabulary.ts'

/** What the headers of a response must be. */
export const headersMeaning = 'Response headers, by name. Default: any.'

/** A status of a response. */
export const status = (minimum: number, maximum: number) =>
  Type.Integer({ minimum, maximum, description: 'Status. Default: any, unless the key says otherwise.' })

/** What a response looks like. Each use has the keys that it supports. */
export const ResponseMatch = Type.Object(
  {
    status: Type.Optional(status(200, 599)),
    when: Type.Optional(condition('Content of the response. Default: any.')),
    headers: Type.Optional(condition(headersMeaning)),
  },
  strict,
)
