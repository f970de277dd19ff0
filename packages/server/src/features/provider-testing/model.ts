import { readKinds, triedSteps } from '@mortise/providers'
import { Type } from 'typebox'
import { Enum, named } from '../../kernel/http/index.ts'

/** More is no provider file. */
export const textLengthMax = 262_144

const ProviderFileFault = Type.Object({
  line: Type.Integer({ description: 'Counted from 1.' }),
  column: Type.Integer({ description: 'Counted from 1.' }),
  path: Type.String({
    description: 'Place in the file, such as `objects.contacts.read.path`; empty for the whole file.',
  }),
  message: Type.String({ description: 'What is wrong.' }),
})

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
  requests: Type.Array(
    Type.Object({
      step: Enum([...triedSteps], {
        description: 'What it is for. `future` asks for changes after tomorrow, of which there can be none.',
      }),
      method: Type.String({ description: 'HTTP method.' }),
      url: Type.String({ description: 'What was asked for, without the credential.' }),
      status: Type.Optional(Type.Integer({ description: 'Status of the answer; absent when none came.' })),
      durationMs: Type.Integer({ description: 'How long it took.' }),
      bytes: Type.Optional(Type.Integer({ description: 'Size of the answer.' })),
    }),
    { description: 'Every request that was made for it, in order.' },
  ),
  records: Type.Integer({ description: 'Records of the first page of a backfill; one is asked for.' }),
  recordFields: Type.Array(Type.String(), {
    description: 'Names of the first record’s fields, as a read delivers them. Values are not told.',
  }),
  describedFields: Type.Integer({ description: 'How many fields the object is described with.' }),
  writes: Type.Array(
    Type.Object({
      type: Enum(['create', 'update'], { description: 'What was tried.' }),
      id: Type.Optional(Type.String({ description: 'Id of the record that was to be changed.' })),
      outcome: Enum(['refused', 'written', 'failed'], {
        description: 'What Mortise takes the answer for: a refusal, a success, or another failure.',
      }),
      message: Type.String({ description: 'What came, without the credential.' }),
    }),
    { description: 'Writes that the application has to refuse; empty unless `writes` asks for them.' },
  ),
  findings: Type.Array(
    Type.Object({
      level: Enum(['error', 'warning'], { description: 'How grave it is.' }),
      message: Type.String({ description: 'What is wrong, and with which step.' }),
    }),
    { description: 'What is wrong with it, or may be.' },
  ),
})

export const ProviderFileTest = named(
  'ProviderFileTest',
  Type.Object(
    {
      ok: Type.Boolean({ description: 'Neither the file nor an object of it has an error.' }),
      faults: Type.Array(ProviderFileFault, {
        description: 'What is wrong with the file itself; then nothing was asked.',
      }),
      objects: Type.Array(TestedObject, { description: 'What came of each object, in the order of the file.' }),
    },
    { description: 'What came of trying a provider file.' },
  ),
)
