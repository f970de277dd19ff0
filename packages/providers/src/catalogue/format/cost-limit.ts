import { type Static, Type } from 'typebox'
import { choice, path, strict } from './vocabulary.ts'

/** How a header or a body writes a time. */
export const headerTime = choice(['seconds', 'milliseconds', 'unix', 'unixMs', 'date'], 'Format of the value.')

export const CostLimit = Type.Object(
  {
    remaining: path('Path of the units that are left.'),
    cost: path('Path of the units that the request needs. A response without it has the cost of the previous one.'),
    restoredPerSecond: Type.Optional(path('Path of the units that the provider restores in a second.')),
    maximum: Type.Optional(path('Path of the most units that are there at a time. Needs `restoredPerSecond`.')),
    reset: Type.Optional(path('Path of the time when all units are there again.')),
    format: Type.Optional(headerTime),
  },
  {
    ...strict,
    description:
      'A limit on the cost of requests, which the body of each response reports, as GraphQL APIs do. A request waits until the provider has restored the units that the same request needed before. `errors.rules` must say what a refused request looks like. The file has `restoredPerSecond` or `reset`.',
  },
)
export type CostLimit = Static<typeof CostLimit>
