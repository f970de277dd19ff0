import { readKinds, triedChecks, triedSteps } from '@mortise/providers'
import { Type } from 'typebox'
import { Enum, FreeForm, named } from '../../../kernel/http/index.ts'

/** Maximum length of a provider file, in characters. */
export const textLengthMax = 262_144

const ProviderFileFault = Type.Object({
  line: Type.Integer({ description: 'Counted from 1.' }),
  column: Type.Integer({ description: 'Counted from 1.' }),
  path: Type.String({
    description: 'Place in the file, such as `objects.contacts.read.path`; empty for the whole file.',
  }),
  message: Type.String({ description: 'What is wrong.' }),
})

const requests = Type.Array(
  Type.Object({
    step: Enum([...triedSteps], {
      description: 'Its purpose. `future` requests changes after tomorrow, so it must find none.',
    }),
    method: Type.String({ description: 'HTTP method.' }),
    url: Type.String({ description: 'The request, without the credential.' }),
    status: Type.Optional(Type.Integer({ description: 'Status of the answer. Absent without an answer.' })),
    durationMs: Type.Integer({ description: 'How long it took.' }),
    bytes: Type.Optional(Type.Integer({ description: 'Size of the answer.' })),
  }),
  { description: 'All requests for it, in order.' },
)

const findings = Type.Array(
  Type.Object({
    level: Enum(['error', 'warning'], { description: 'How grave it is.' }),
    message: Type.String({ description: 'What is wrong, and with which step.' }),
  }),
  { description: 'What is wrong with it, or may be.' },
)

const TestedObject = Type.Object({
  objectName: Type.String({ description: 'Name of the object.' }),
  reads: Type.Array(
    Type.Object({
      kind: Enum([...readKinds], { description: 'What starts the read. `triggered` is one without times.' }),
      request: Enum(['read', 'incremental.read'], {
        description: 'The key of the provider file that declares its request.',
      }),
      because: Type.String({ description: 'Why it is this one.' }),
      step: Enum([...triedSteps], { description: 'Which of the `requests` it sends, with pages of one record here.' }),
    }),
    { description: 'What each kind of read sends; empty where the object is only written.' },
  ),
  requests,
  records: Type.Integer({ description: 'Records of the first page of a backfill, which requests one.' }),
  recordFields: Type.Array(Type.String(), {
    description: 'Names of the first record’s fields, as a read delivers them. Values are left out.',
  }),
  describedFields: Type.Integer({ description: 'How many fields the object is described with.' }),
  writes: Type.Array(
    Type.Object({
      type: Enum(['create', 'update'], { description: 'What was tried.' }),
      id: Type.Optional(Type.String({ description: 'Id of the record that was to be changed.' })),
      outcome: Enum(['refused', 'written', 'failed'], {
        description: 'How Mortise classifies the answer: a refusal, a success, or another failure.',
      }),
      message: Type.String({ description: 'The response, without the credential.' }),
    }),
    { description: 'Writes that the application must refuse. Empty unless you send `writes`.' },
  ),
  findings,
})

const TestedTool = Type.Object({
  name: Type.String({ description: 'Name of the tool, as the server names it.' }),
  description: Type.Optional(Type.String({ description: 'What the server says about it. Long texts are cut.' })),
  inputSchema: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      ...FreeForm,
      description: 'JSON Schema of its arguments. Absent if it cannot be used, or if the list has too many.',
    }),
  ),
  digest: Type.String({ description: 'Digest of name, description and schema: for `providerTools` of a manifest.' }),
  fault: Type.Optional(Type.String({ description: 'Why agents cannot have the tool.' })),
})

const TestedCheck = Type.Object({
  check: Enum([...triedChecks], {
    description:
      'The health check of the file, the list of tools of its MCP server, or the request to the path of `get`.',
  }),
  requests,
  findings,
  tools: Type.Optional(
    Type.Array(TestedTool, { description: 'The tools of the MCP server: at most 1,000, in the order of the server.' }),
  ),
})

export const ProviderFileTest = named(
  'ProviderFileTest',
  Type.Object(
    {
      ok: Type.Boolean({ description: 'Neither the file nor a check or an object of it has an error.' }),
      faults: Type.Array(ProviderFileFault, {
        description: 'Errors in the file itself. If there are any, nothing was requested.',
      }),
      checks: Type.Array(TestedCheck, {
        description: 'Results of requests that need no object: the health check, and the request to the path of `get`.',
      }),
      objects: Type.Array(TestedObject, { description: 'Results of each object, in the order of the file.' }),
    },
    { description: 'Results of testing a provider file.' },
  ),
)
