import { type Static, Type } from 'typebox'
import { choice, strict } from './vocabulary.ts'

/** How times are written in requests. */
export const timeFormats = ['rfc3339', 'rfc3339Seconds', 'rfc3339Offset', 'dateTime', 'date', 'unix', 'unixMs'] as const

export const Periods = Type.Object(
  {
    format: Type.Optional(
      choice(timeFormats, 'Format of `{{period.start}}` and `{{period.end}}`. Default: `rfc3339` (milliseconds, UTC).'),
    ),
    days: Type.Integer({ minimum: 1, maximum: 3660, description: 'Longest period of one request, in days.' }),
    overlapDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 366,
        description:
          'Days that a period shares with the next one, for records that last as long. They may be read twice. Default: periods share only their bounds.',
      }),
    ),
    from: Type.String({ format: 'day', description: 'First day of the oldest period, such as `2013-01-01`.' }),
    aheadDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3660,
        description: 'Days from now to the end of the newest period, for records in the future. Default: it ends now.',
      }),
    ),
  },
  {
    ...strict,
    description:
      'For lists that cover a period of a limited length, by another time than that of a change. Mortise reads all periods, the newest first. The request uses `{{period.start}}` and `{{period.end}}`.',
  },
)
export type Periods = Static<typeof Periods>
