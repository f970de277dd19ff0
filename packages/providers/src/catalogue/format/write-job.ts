import { type Static, Type } from 'typebox'
import { JobPoll, JobSubmit } from './read-job.ts'
import { request } from './request.ts'
import { choice, name, strict, text } from './vocabulary.ts'

const { format: _, method: __, ...requestParts } = request
const { count: ___, ...pollParts } = JobPoll.properties

const sent = (description: string) =>
  Type.Object(
    {
      ...request,
      method: Type.Optional(
        choice(
          ['POST', 'PUT', 'PATCH', 'DELETE'],
          'Default: `PUT` for `upload`, `PATCH` for `start`, `POST` for `abort`.',
        ),
      ),
    },
    { ...strict, description },
  )

export const WriteJobWritten = Type.Object(
  { ...requestParts, id: name('Column with the id of the record.') },
  { ...strict, description: 'The request for the records that were written.' },
)

export const WriteJobRefused = Type.Object(
  { ...requestParts, error: name('Column with the reason.') },
  { ...strict, description: 'The request for the records that were refused.' },
)

export const WriteJob = Type.Object(
  {
    operations: Type.Object(
      {
        create: Type.Optional(name('The provider’s word for it.')),
        update: Type.Optional(name('The provider’s word for it.')),
      },
      {
        ...strict,
        minProperties: 1,
        description: 'Types of writes that a job can do, with `{{operation}}` of each. Others use batches.',
      },
    ),
    above: Type.Integer({ minimum: 1, description: 'A write of more records uses a job. Others use batches.' }),
    max: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Largest number of records in a job. More take several jobs, one after the other.',
    }),
    bytesMax: Type.Integer({
      minimum: 1_000,
      maximum: 100_000_000,
      description: 'Largest size of the uploaded text in bytes.',
    }),
    idColumn: Type.Optional(name('Column with the id of the record. An update needs it.')),
    emptyText: Type.Optional(
      text(
        'Text of a cell that clears a field, because an empty one does not. Default: records with empty fields use batches.',
      ),
    ),
    submit: Type.Object(JobSubmit.properties, {
      ...strict,
      description: 'The request that creates the job, with `{{operation}}`. If it is refused, Mortise writes batches.',
    }),
    upload: sent('The request with the records as CSV: UTF-8, commas, LF, and names in the first line.'),
    start: sent('The request that starts the job after the upload. It is repeated only in a state of `poll.waiting`.'),
    poll: Type.Object(
      {
        ...pollParts,
        waiting: Type.Array(name('A state.'), {
          minItems: 1,
          description: 'States of a job that was not started.',
        }),
      },
      { ...strict, description: 'The request for the state of the job. `{{job.id}}` is its id.' },
    ),
    results: Type.Object(
      {
        written: WriteJobWritten,
        refused: WriteJobRefused,
        unprocessed: Type.Optional(
          Type.Object(requestParts, {
            ...strict,
            description: 'The request for records that were not processed.',
          }),
        ),
      },
      {
        ...strict,
        description: 'The requests of the results: CSV with the columns of the upload, in any order.',
      },
    ),
    abort: sent('The request that ends a job.'),
  },
  {
    ...strict,
    description: 'A job of the provider that writes many records, for asynchronous writes.',
  },
)
export type WriteJob = Static<typeof WriteJob>
