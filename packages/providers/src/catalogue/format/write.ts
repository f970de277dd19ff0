import { type Static, Type } from 'typebox'
import { WrittenCustomFields } from './custom-fields.ts'
import { NoRecord } from './listing.ts'
import { LookupUnless, lookedUp } from './lookups.ts'
import { request } from './request.ts'
import { capture, choice, condition, name, namedPath, path, paths, pattern, strict } from './vocabulary.ts'
import { WriteJob } from './write-job.ts'

const { method: _, ...requestParts } = request

const refusalList = 'A list of errors in a response.'
const refusalItems =
  "Path of the list. Items are texts or objects; of an object, its values. `''` is a response of plain text, and in `batch` the result itself."

/** Texts in an answer that say what is wrong, each in an item of a list. */
export const RefusalList = Type.Object(
  {
    list: path(refusalItems),
    message: Type.Optional(
      paths('Paths of texts in an item, joined. Default: `title`, `message`, `description` and `detail`.'),
    ),
    when: Type.Optional(condition('Which items of the list are errors. Default: all.')),
    matches: Type.Optional(pattern('Pattern (RE2). Only texts that match are errors. Default: all texts.')),
  },
  { ...strict, description: refusalList },
)
export type RefusalList = Static<typeof RefusalList>

/** The same in the answer of one write, where the path may name the object. */
const WriteRefusals = Type.Object(
  { ...RefusalList.properties, list: namedPath(refusalItems) },
  { ...strict, description: refusalList },
)

const id = Type.Optional(namedPath('Path of the record’s id in the response. Default: `read.id` in the record.'))
const data = Type.Optional(namedPath('Path of the written record in the response. Default: the whole response.'))
const success = Type.Optional(condition('What a success looks like.'))

export const WriteAnswer = Type.Object(
  {
    data,
    id,
    idCapture: Type.Optional(
      Type.String({
        maxLength: 500,
        format: 'capture',
        description: 'Pattern with a group `(?<result>…)`: the part of the text at `id` that is the id.',
      }),
    ),
    idHeader: Type.Optional(
      Type.Object(
        { name: name('Name of the header.'), capture },
        { ...strict, description: 'Response header that ends with the id, such as `Location`.' },
      ),
    ),
    success,
    refusals: Type.Optional(WriteRefusals),
  },
  {
    ...strict,
    description:
      'What a 2xx response means. The write is refused if `success` does not hold or `refusals` finds an error. Paths may use variables of the object.',
  },
)
export type WriteAnswer = Static<typeof WriteAnswer>

const body = (description: string) => Type.Optional(Type.Unknown({ description }))
const { encoding, headers } = request

export const WriteLookup = Type.Object(
  {
    ...LookupUnless.properties,
    value: namedPath(lookedUp),
    isRecord: Type.Optional(
      Type.Boolean({ description: 'Without a value, the record does not exist, and Mortise does not send the write.' }),
    ),
  },
  {
    ...strict,
    description: 'A value to request first, such as the version of the record.',
  },
)
export type WriteLookup = Static<typeof WriteLookup>

const lookups = Type.Optional(
  Type.Array(WriteLookup, {
    maxItems: 5,
    description:
      'Values to request before writing. Paths may use variables of the object. Where the response lacks a part of `read.id`, the id of a new record takes it from the variable of that name.',
  }),
)

const operation = (methods: string) => ({
  ...requestParts,
  method: Type.Optional(choice(['POST', 'PUT', 'PATCH', 'DELETE', 'GET'], methods)),
})

const single = {
  ...operation('Default: `POST`, `PATCH` for `update`, and `DELETE` for `delete`.'),
  answer: Type.Optional(WriteAnswer),
  lookups,
}

const refused = Type.Optional(
  Type.Record(Type.String(), Type.Unknown(), {
    minProperties: 1,
    description:
      'A record that the provider refuses. Only `mortise provider test --write` sends it, as an update to the first record that it read.',
  }),
)

export const Create = Type.Object({ ...single, refused }, { ...strict, description: 'Creates a record.' })
const Update = Type.Object({ ...single, refused }, { ...strict, description: 'Changes the record `{{id}}`.' })
const Delete = Type.Object(single, { ...strict, description: 'Deletes the record `{{id}}`.' })

export const BatchAnswer = Type.Object(
  {
    results: path('Path of the list of results, in order unless `index` or the id identifies the record.'),
    index: Type.Optional(path('Path, in a result, of `{{item.trace}}`.')),
    data: Type.Optional(path('Path of the written record in a result. Default: the whole result.')),
    id: Type.Optional(path('Path of the id in a result. Default: `id`.')),
    success,
    refusals: Type.Optional(RefusalList),
    failures: Type.Optional(
      Type.Object(
        {
          ...RefusalList.properties,
          index: Type.Optional(path('Path, in an item, of `{{item.trace}}`, or of a list of them.')),
          ids: Type.Optional(path('Path, in an item, of the id, or of a list of ids.')),
        },
        { ...strict, description: 'A separate list of the records that were not written, with the errors.' },
      ),
    ),
  },
  {
    ...strict,
    description: 'The result of each record: a failure if `success` does not hold or `refusals` finds an error.',
  },
)
export type BatchAnswer = Static<typeof BatchAnswer>

export const Batch = Type.Object(
  {
    ...operation('Default: `POST`.'),
    max: Type.Integer({ minimum: 1, maximum: 1000, description: 'Largest number of records in one request.' }),
    body: body('Body. Default: the list of records, `{$each: items, $item: {$value: item.record}}`.'),
    answer: BatchAnswer,
  },
  {
    ...strict,
    description:
      'Several records in one request. Variables: `allOrNone` and `items`, each with `item.record`, `item.id`, `item.associations` and `item.trace`, its number from 0, which has no value with `allOrNone`.',
  },
)
export type BatchOperation = Static<typeof Batch>

export const Gathered = Type.Object(
  {
    match: Type.String({
      maxLength: 500,
      format: 'capture',
      description: 'Pattern (RE2) of field names, with a group `(?<result>…)`: the key.',
    }),
    except: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 500,
        description: 'Names that match but stay, such as standard fields.',
      }),
    ),
    into: path('Where in the record the fields belong.'),
    item: body('Makes it a list with such an item per field: a body of `key` and `value`. Default: an object.'),
  },
  { ...strict, description: 'Moves fields to another part of the record, such as custom fields.' },
)
export type Gathered = Static<typeof Gathered>

export const Write = Type.Object(
  {
    body: body('Body of `create` and `update` where they have none. Default: `{$value: record}`.'),
    encoding,
    headers,
    answer: Type.Optional(WriteAnswer),
    flatten: Type.Optional(
      paths(
        "Objects whose keys are fields of `record`, such as `email` for `$['properties']['email']`. Default: `read.flatten`.",
      ),
    ),
    gather: Type.Optional(Type.Array(Gathered, { description: 'Fields to move to another part of the record.' })),
    customFields: Type.Optional(WrittenCustomFields),
    callerHeaders: Type.Optional(
      Type.Boolean({ description: 'Passes on headers of the caller. They never replace declared headers.' }),
    ),
    create: Type.Optional(Create),
    update: Type.Optional(Update),
    delete: Type.Optional(Delete),
    batch: Type.Optional(
      Type.Object(
        { create: Type.Optional(Batch), update: Type.Optional(Batch) },
        { ...strict, description: 'Several records in one request.' },
      ),
    ),
    job: Type.Optional(WriteJob),
  },
  {
    ...strict,
    description:
      'How records are written. Variables: `record` (all values), `record.name` (one, which `record` then lacks), `id`, `associations`, `idempotencyKey`. `encoding` and `answer` are defaults; `headers` are added.',
  },
)
export type Write = Static<typeof Write>
export type WriteOperation = Static<typeof Create>

export const Get = Type.Object(
  {
    ...request,
    record: Type.Optional(
      namedPath('Path of the record in the response. Default: the whole response. It may use variables of the object.'),
    ),
    only: Type.Optional(
      condition('What a record looks like. Others do not exist, as where the provider answers for a deleted record.'),
    ),
    none: Type.Optional(NoRecord),
  },
  { ...strict, description: 'Reads the record `{{id}}` with the fields `{{fields}}`.' },
)
export type Get = Static<typeof Get>

/** Checked in full after `like` is resolved; here only their outlines. */
export const writeOutlines = {
  write: Type.Optional(Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'] })),
  get: Type.Optional(Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'] })),
}
