import { type Static, Type } from 'typebox'
import { WrittenCustomFields } from './custom-fields.ts'
import { request } from './request.ts'
import { capture, choice, Match, name, namedPath, path, paths, pattern, strict } from './vocabulary.ts'

const { method: _, ...requestParts } = request

const refusalItems =
  "Path of the list; its items are texts or objects. An object instead of a list counts by its values. Where an answer is plain text, `''` is the text."

/** Texts in an answer that say what is wrong, each in an item of a list. */
export const RefusalList = Type.Object(
  {
    list: path(refusalItems),
    message: Type.Optional(
      paths(
        'Paths of texts in an item, or of lists or objects of texts, joined; `title`, `message`, `description` and `detail` when absent.',
      ),
    ),
    matches: Type.Optional(
      pattern(
        'Regular expression in RE2 syntax (no look-around, no backreferences): only texts that it finds something in say what is wrong. All texts when absent.',
      ),
    ),
  },
  { ...strict, description: 'Where an answer lists what is wrong.' },
)
export type RefusalList = Static<typeof RefusalList>

/** The same in the answer of one write, where the path may name the object. */
const WriteRefusals = Type.Object(
  { ...RefusalList.properties, list: namedPath(refusalItems) },
  { ...strict, description: 'Where the answer lists what is wrong.' },
)

const id = Type.Optional(
  namedPath('Path of the record’s id in the answer; where `read.id` points to in the record, when absent.'),
)
const data = Type.Optional(namedPath('Path of the written record in the answer; the whole answer when absent.'))
const success = Type.Optional(Match)

export const WriteAnswer = Type.Object(
  {
    data,
    id,
    idHeader: Type.Optional(
      Type.Object(
        { name: name('Name of the header.'), capture },
        { ...strict, description: 'Response header that ends in the id, such as `Location`.' },
      ),
    ),
    success,
    refusals: Type.Optional(WriteRefusals),
  },
  {
    ...strict,
    description:
      'What an answer of status 2xx says. In the paths, variables of the object may stand. The write is refused where `success` does not fit, or the list of `refusals` is not empty.',
  },
)
export type WriteAnswer = Static<typeof WriteAnswer>

const encoding = Type.Optional(
  choice(
    ['json', 'form'],
    'How the body is written: `json`, which is the default, or `form` (`a[b]=1&c[0]=2`, as Stripe takes it).',
  ),
)
const body = (description: string) => Type.Optional(Type.Unknown({ description }))
const headers = requestParts.headers

const Lookup = Type.Object(
  {
    name: name('Name of the variable.'),
    ...request,
    value: namedPath('Path of the value in the answer. Variables of the object may stand in it.'),
    unless: Type.Optional(
      name('A variable, such as `record.version`: where the caller gave it a value, nothing is asked.'),
    ),
  },
  {
    ...strict,
    description: 'A value that is asked for first, such as the version of the record that a change must name.',
  },
)
export type WriteLookup = Static<typeof Lookup>

const lookups = Type.Optional(
  Type.Array(Lookup, { maxItems: 5, description: 'Values to ask for before writing, in order.' }),
)

const operation = (method: string) => ({
  ...requestParts,
  method: Type.Optional(choice(['POST', 'PUT', 'PATCH', 'DELETE', 'GET'], `HTTP method; \`${method}\` when absent.`)),
  encoding,
  answer: Type.Optional(WriteAnswer),
})

const refused = Type.Optional(
  Type.Record(Type.String(), Type.Unknown(), {
    minProperties: 1,
    description:
      'A record that the application refuses, by the provider’s field names. Only `mortise provider test --write` sends it: an update to the first record that it read.',
  }),
)

const Create = Type.Object({ ...operation('POST'), lookups, refused }, { ...strict, description: 'One new record.' })
const Update = Type.Object(
  { ...operation('PATCH'), lookups, refused },
  { ...strict, description: 'A change of the record `{{id}}`.' },
)
const Delete = Type.Object(
  { ...operation('DELETE'), lookups },
  { ...strict, description: 'The end of the record `{{id}}`.' },
)

export const BatchAnswer = Type.Object(
  {
    results: path(
      'Path of the list with one result for each record, or for each that was written. They count in order unless `index`, or an id that was sent, says which record is meant.',
    ),
    index: Type.Optional(path('Path, in a result, of the `{{item.trace}}` that was sent.')),
    data: Type.Optional(path('Path of the written record in a result; the whole result when absent.')),
    id: Type.Optional(path('Path of the id in a result; `id` when absent.')),
    success,
    refusals: Type.Optional(RefusalList),
    failures: Type.Optional(
      Type.Object(
        {
          ...RefusalList.properties,
          index: Type.Optional(path('Path, in an item, of the `{{item.trace}}` that was sent, or of a list of them.')),
          ids: Type.Optional(path('Path, in an item, of the id that was sent, or of a list of them.')),
        },
        { ...strict, description: 'A list beside the results: what was not written, and why.' },
      ),
    ),
  },
  {
    ...strict,
    description:
      'What became of each record. A result is a failure where `success` does not fit it, or its list of `refusals` is not empty.',
  },
)
export type BatchAnswer = Static<typeof BatchAnswer>

const batch = (method: string) =>
  Type.Object(
    {
      ...operation(method),
      max: Type.Integer({ minimum: 1, maximum: 1000, description: 'Most records of one request.' }),
      body: body('The body; the list of the records when absent: `{$each: items, $item: {$value: item.record}}`.'),
      answer: BatchAnswer,
    },
    {
      ...strict,
      description:
        'Several records in one request. Variables: `allOrNone`, true or false, and `items`, each with `item.record`, `item.id`, `item.associations` and `item.trace`, its number from 0, which has no value where all or none are to be written.',
    },
  )

const BatchCreate = batch('POST')
const BatchUpdate = batch('POST')
export type BatchOperation = Static<typeof BatchCreate>

export const Gathered = Type.Object(
  {
    match: Type.String({
      maxLength: 500,
      format: 'capture',
      description:
        'Regular expression of the field names, in RE2 syntax (no look-around, no backreferences), with a group `(?<result>…)`: the key.',
    }),
    except: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 500,
        description: 'Names that match and still stay where they are, such as the standard fields.',
      }),
    ),
    into: path('Where in the record they belong.'),
    item: body(
      'Makes the place a list with one such item for each field: a body with the variables `key` and `value`. An object by keys when absent.',
    ),
  },
  { ...strict, description: 'Fields that the provider takes elsewhere in the record, such as custom fields.' },
)
export type Gathered = Static<typeof Gathered>

export const Write = Type.Object(
  {
    body: body('Body of `create` and `update` where they declare none; `{$value: record}` when absent.'),
    encoding,
    headers,
    answer: Type.Optional(WriteAnswer),
    flatten: Type.Optional(
      paths(
        "Objects that `record` stands in: the field `$['properties']['email']` is `email` in it. Those of `read.flatten` when absent.",
      ),
    ),
    gather: Type.Optional(
      Type.Array(Gathered, { description: 'Fields that the provider takes elsewhere in the record.' }),
    ),
    customFields: Type.Optional(WrittenCustomFields),
    callerHeaders: Type.Optional(
      Type.Boolean({ description: 'Headers of the caller’s own are passed on. None replaces a declared one.' }),
    ),
    create: Type.Optional(Create),
    update: Type.Optional(Update),
    delete: Type.Optional(Delete),
    batch: Type.Optional(
      Type.Object(
        { create: Type.Optional(BatchCreate), update: Type.Optional(BatchUpdate) },
        { ...strict, description: 'Several records in one request.' },
      ),
    ),
  },
  {
    ...strict,
    description:
      'How records are written. Variables besides the object’s: `record`, the values by the provider’s field names; `record.name`, one of them, which is then no longer in `record`; `id`; `associations`; `idempotencyKey`. `encoding`, `headers` and `answer` given here hold for each operation that declares none (`headers` are added).',
  },
)
export type Write = Static<typeof Write>
export type WriteOperation = Static<typeof Create>

export const Get = Type.Object(
  {
    ...request,
    record: Type.Optional(
      namedPath(
        'Path of the record in the answer; the whole answer when absent. Variables of the object may stand in it.',
      ),
    ),
  },
  { ...strict, description: 'How one record is read: the one with the id `{{id}}`, with the fields `{{fields}}`.' },
)
export type Get = Static<typeof Get>

/** Checked in full after `like` is resolved; here only their outlines. */
export const writeOutlines = {
  write: Type.Optional(Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'] })),
  get: Type.Optional(Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'] })),
}
