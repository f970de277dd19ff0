import { type Static, Type } from 'typebox'
import { ReadChanges } from './read.ts'
import { choice, path, strict } from './vocabulary.ts'

export const Window = Type.Object(
  {
    format: Type.Optional(
      choice(
        ['rfc3339', 'rfc3339Seconds', 'date', 'unix', 'unixMs'],
        'How `{{since}}` and `{{until}}` are written; `rfc3339` (with milliseconds, UTC) when absent.',
      ),
    ),
    lowerBound: Type.Optional(
      choice(
        ['inclusive', 'exclusive'],
        'Whether the provider’s filter includes `since` itself (default). Where not, one grain of the format is subtracted.',
      ),
    ),
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400,
        description: 'Subtracted from `since`, for providers whose filter lags behind.',
      }),
    ),
    filter: Type.Optional(
      Type.Object(
        {
          timestamp: path(
            'Path of the time in the record: RFC 3339 (no zone = UTC), or seconds or milliseconds since 1970.',
          ),
          order: Type.Optional(
            choice(
              ['descending'],
              'The provider lists the newest first: the read ends at the first record older than the window.',
            ),
          ),
        },
        { ...strict, description: 'For providers that cannot filter: records outside the window are dropped here.' },
      ),
    ),
    read: Type.Optional(ReadChanges),
    reach: Type.Optional(
      Type.Unsafe<number | 'everything'>({
        type: ['integer', 'string'],
        minimum: 1,
        format: 'reach',
        description:
          'How far into the past `incremental.read` goes. When absent, it serves every read with a `since`, and `read` serves the full history. A number of days: a window that begins earlier is read by `read`, because the provider keeps changes only that long. `everything`: without `since` it lists every record, so it also serves a read that has only an end, that has filters which `read` does not name, or whose URL would be longer than `urlBytesMax`.',
      }),
    ),
  },
  {
    ...strict,
    description:
      'How only what changed is read. Without it every read returns everything. Whether the window has a fixed end follows from `{{until}}` being used.',
  },
)
export type Window = Static<typeof Window>
