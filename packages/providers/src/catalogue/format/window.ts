import { type Static, Type } from 'typebox'
import { timeFormats } from './periods.ts'
import { ReadChanges } from './read.ts'
import { choice, path, strict, template } from './vocabulary.ts'

export const Window = Type.Object(
  {
    format: Type.Optional(
      choice(
        timeFormats,
        'Format of `{{since}}` and `{{until}}`. Default: `rfc3339` (milliseconds, UTC). `rfc3339Offset`: `2026-03-04T05:06:07+00:00`, for providers that refuse `Z`. `dateTime`: `2026-03-04 05:06:07`.',
      ),
    ),
    zone: Type.Optional(
      template(
        'Time zone of `dateTime` and `date`, such as `Europe/Berlin`. Default: UTC. When clocks go back, a time that occurs twice becomes an hour earlier.',
      ),
    ),
    lowerBound: Type.Optional(
      choice(
        ['inclusive', 'exclusive'],
        'Whether the provider’s filter includes `since`: `inclusive` (default), or `exclusive`, where Mortise subtracts one unit of the format.',
      ),
    ),
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 172_800,
        description: 'Seconds to subtract from `since`, for filters that lag behind.',
      }),
    ),
    settleSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3600,
        description:
          'Seconds between the end of a window and now, for providers that refuse a later end. Needs `stepDays`, and `overlapSeconds` of at least as many, which read the rest next time.',
      }),
    ),
    filter: Type.Optional(
      Type.Object(
        {
          timestamp: path(
            'Path of the time in the record: RFC 3339 (UTC without a zone), or seconds or milliseconds since 1970.',
          ),
          order: Type.Optional(
            choice(['descending'], 'The newest records come first. The read ends at the first before the window.'),
          ),
        },
        { ...strict, description: 'For providers without a filter: Mortise drops records outside the window.' },
      ),
    ),
    read: Type.Optional(ReadChanges),
    reach: Type.Optional(
      Type.Unsafe<number | 'everything'>({
        type: ['integer', 'string'],
        minimum: 1,
        format: 'reach',
        description:
          'How far back `incremental.read` goes. A number of days: `read` serves earlier windows. `everything`: it also serves reads without `since` that have an end, filters that `read` lacks, or a URL over `urlBytesMax`. Default: every read with `since`.',
      }),
    ),
    stepDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3660,
        description:
          'Longest window of one request, in days. Mortise reads a longer one in parts, the oldest first. A part whose list reaches its `recordsMax` is read again by halves.',
      }),
    ),
    upperBound: Type.Optional(
      choice(
        ['inclusive'],
        'The whole day of `{{until}}` is included, so the next part begins on the day after. For `stepDays` with `format: date` in UTC. Default: parts share their bounds.',
      ),
    ),
    history: Type.Optional(
      Type.Unsafe<number | string>({
        type: ['integer', 'string'],
        minimum: 1,
        format: 'day',
        description:
          'Where a full read begins, for requests that need `{{since}}`: a number of days ago, or a day such as `2013-01-01`.',
      }),
    ),
  },
  {
    ...strict,
    description:
      'How to read only changed records. Default: every read returns all records. The window has an end if the request uses `{{until}}`.',
  },
)
export type Window = Static<typeof Window>
