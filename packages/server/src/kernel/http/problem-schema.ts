import { Type } from 'typebox'
import { Enum, FreeForm, named, Timestamp } from './schema.ts'

const shared = {
  type: Type.String({
    description: 'Problem type (RFC 9457, 3.1.1): always about:blank; the machine code is `context.code`.',
  }),
  href: Type.Optional(Type.String({ description: 'The page that explains this kind of problem.' })),
  title: Type.String({ description: 'Short English summary.' }),
  status: Type.Integer({ minimum: 400, maximum: 599, description: 'HTTP status.' }),
  detail: Type.String({ description: 'What happened in this occurrence.' }),
  instance: Type.Optional(Type.String({ description: 'Identifies this occurrence.' })),
  subsystem: Type.Optional(Type.String({ description: 'The part of the service that answered.' })),
  time: Type.Optional(Timestamp),
  requestId: Type.Optional(Type.String({ description: 'Look the request up in the log under this id.' })),
  causes: Type.Optional(Type.Array(Type.String())),
  remedy: Type.Optional(Type.String({ description: 'How to resolve it.' })),
  supportEmail: Type.Optional(Type.String()),
  supportPhone: Type.Optional(Type.String()),
  supportUrl: Type.Optional(Type.String()),
  retryable: Type.Optional(Type.Boolean({ description: 'Whether the same request may succeed later.' })),
  retryAfter: Type.Optional(Timestamp),
  context: Type.Optional(FreeForm),
}

const issueSchema = named(
  'InputValidationIssue',
  Type.Object({
    ...shared,
    in: Enum(['body', 'header', 'path', 'query'], { description: 'Where the invalid input is.' }),
    name: Type.String({ description: 'Name of the invalid input, as `items[0].x` in a body.' }),
    value: Type.Optional(Type.Unknown({ description: 'The erroneous value.' })),
  }),
)

/** Problem Details (RFC 9457) with the extensions of the interface. */
export const problemSchema = named(
  'Problem',
  Type.Object({
    ...shared,
    issues: Type.Optional(Type.Array(issueSchema, { description: 'Every invalid input of the request.' })),
  }),
)
