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
  requests: Type.Array(
    Type.Object({
      method: Type.String({ description: 'HTTP method.' }),
      url: Type.String({ description: 'What was asked for, without the credential.' }),
      status: Type.Optional(Type.Integer({ description: 'Status of the answer; absent when none came.' })),
      durationMs: Type.Integer({ description: 'How long it took.' }),
      bytes: Type.Optional(Type.Integer({ description: 'Size of the answer.' })),
    }),
    { description: 'Every request that was made for it, in order.' },
  ),
  records: Type.Integer({ description: 'Records of the first page; one is asked for.' }),
  recordFields: Type.Array(Type.String(), {
    description: 'Names of the first record’s fields, as a read delivers them. Values are not told.',
  }),
  describedFields: Type.Integer({ description: 'How many fields the object is described with.' }),
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
