import { type Static, Type } from 'typebox'
import { HostsAsOfInputs } from './hosts.ts'
import { request } from './request.ts'
import { choice, condition, map, name, path, strict, template } from './vocabulary.ts'

const { format: _, method: __, ...requestParts } = request

export const JobSubmit = Type.Object(
  {
    ...request,
    id: path('Path of the job’s id in the response. Without it, the job is refused.'),
  },
  {
    ...strict,
    description:
      'The request that starts the job, with the variables of `read`. If it is refused, Mortise reads the list.',
  },
)

export const JobPoll = Type.Object(
  {
    ...request,
    state: path('Path of the state of the job in the response.'),
    done: Type.Array(name('A state.'), { minItems: 1, description: 'States of a job whose result is complete.' }),
    document: Type.Optional(path('With `results.document`: path of the id of the document in the response.')),
    failed: Type.Array(name('A state.'), {
      minItems: 1,
      description: 'States of a job without a complete result. In all other states, the job is running.',
    }),
    count: Type.Optional(path('Path of the number of records. A result with another number is incomplete.')),
    message: Type.Optional(path('Path of the reason why the job failed.')),
    everySeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3600,
        description: 'Seconds between two requests. Default: 10, or a longer `Retry-After`.',
      }),
    ),
    maxHours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 168,
        description: 'Longest time of the job. Default: 24.',
      }),
    ),
  },
  { ...strict, description: 'The request for the state of the job. `{{job.id}}` is its id.' },
)

/** How the text of a CSV column becomes the value that the list has. */
export const columnTypes = ['number', 'boolean', 'json', 'offsetTime'] as const

export const JobResults = Type.Object(
  {
    ...requestParts,
    method: request.method,
    path: Type.Optional(template('Path below the base URL. The result has `path` or `url`.')),
    url: Type.Optional(
      path(
        'Path of the URL of the result in the response to `poll`, or of a list of URLs, which Mortise reads one after the other. They are requested without the credential.',
      ),
    ),
    document: Type.Optional(
      Type.Object(request, {
        ...strict,
        description:
          'A request for the document of the result, with `{{job.document}}`. Its response has the `url`, in place of that to `poll`.',
      }),
    ),
    hosts: Type.Optional(HostsAsOfInputs),
    gzip: Type.Optional(
      condition('What the response that has the `url` looks like if the result is compressed with GZIP.'),
    ),
    credential: Type.Optional(
      Type.Boolean({
        description: 'Requests of `url` carry the credential. Its host belongs to the provider.',
      }),
    ),
    format: choice(
      ['csv', 'tsv', 'ndjson'],
      '`csv`: a row for each record, by the names of the first line; an empty text is `null`. `tsv`: the same with tabs, without quotation marks. `ndjson`: a record in each line.',
    ),
    nextHeader: Type.Optional(name('Response header with `{{cursor}}` of the next part.')),
    lastCursor: Type.Optional(name('Value of `nextHeader` in the last part. Default: no value.')),
    pageSizeMax: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Records in a part, and the value of `{{pageSize}}`. Default: 10,000.',
      }),
    ),
    types: Type.Optional(
      map(
        choice(
          columnTypes,
          '`number`, `boolean`, `json`, or `offsetTime`: a time whose `Z` the list writes as `+0000`.',
        ),
        'Columns of CSV that are not texts, by the `providerType` of their fields.',
      ),
    ),
    nullText: Type.Optional(
      name('Text of a CSV column without a value, such as `null`. Default: only the empty text.'),
    ),
    children: Type.Optional(
      Type.Object(
        {
          parent: path('Path, in a child, of the id of its record. Children follow their record directly.'),
          into: path('Path of the list of children in the record.'),
        },
        { ...strict, description: 'Lines that belong to the record before them.' },
      ),
    ),
  },
  {
    ...strict,
    description: 'The request of the result, which Mortise reads as it arrives.',
  },
)

const Start = Type.Object(
  { ...request, method: Type.Optional(choice(['POST', 'PUT', 'PATCH'], 'Default: `POST`.')) },
  { ...strict, description: 'The request that starts a job which `submit` only creates. `{{job.id}}` is its id.' },
)

const Abort = Type.Object(
  { ...request, method: Type.Optional(choice(['POST', 'PUT', 'PATCH', 'DELETE'], 'Default: `POST`.')) },
  { ...strict, description: 'The request that ends a job whose result is not needed any more.' },
)

export const ReadJob = Type.Object(
  {
    always: Type.Optional(
      Type.Boolean({
        description:
          'There is no list: every read is a job, and `read.path` is not requested. A job that fails makes the read fail. With `stepDays`, each part of a window is a job.',
      }),
    ),
    above: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Mortise starts a job if `total` is higher. Default: for every list of more than one page.',
      }),
    ),
    exceptTypes: Type.Optional(
      Type.Array(name('A `providerType`.'), {
        description: 'Types of fields that no job returns. A read that requests one of them uses the list.',
      }),
    ),
    submit: JobSubmit,
    start: Type.Optional(Start),
    poll: JobPoll,
    results: JobResults,
    abort: Type.Optional(Abort),
  },
  {
    ...strict,
    description: 'A job of the provider that exports records, for backfills of long lists.',
  },
)
export type ReadJob = Static<typeof ReadJob>

/** Checked in full once it is merged with `read.job.submit`. */
export const SubmitChanges = Type.Unsafe<Partial<ReadJob['submit']>>({
  type: 'object',
  description: 'The same for `read.job.submit`. Default: reads that request such deletions start no job. Needs `when`.',
})
