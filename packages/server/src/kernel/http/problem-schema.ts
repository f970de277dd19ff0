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
  time: Type.Optional(Type.Unsafe<string | Date>({ ...Timestamp, description: 'When it happened.' })),
  requestId: Type.Optional(Type.String({ description: 'Look the request up in the log under this id.' })),
  causes: Type.Optional(Type.Array(Type.String(), { description: 'Root causes, in sentences, in no order.' })),
  remedy: Type.Optional(Type.String({ description: 'How to resolve it.' })),
  supportEmail: Type.Optional(Type.String({ description: 'Whom to write to, where the operator set it.' })),
  supportPhone: Type.Optional(Type.String({ description: 'Whom to call, where the operator set it.' })),
  supportUrl: Type.Optional(Type.String({ description: 'Where help is, where the operator set it.' })),
  retryable: Type.Optional(Type.Boolean({ description: 'Whether the same request may succeed later.' })),
  retryAfter: Type.Optional(
    Type.Unsafe<string | Date>({ ...Timestamp, description: 'Not before this is it worth trying again.' }),
  ),
  context: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      ...FreeForm,
      description: '`code` is the stable code of the kind of problem; more depends on the kind.',
    }),
  ),
}

const issueSchema = named(
  'InputValidationIssue',
  Type.Object(
    {
      ...shared,
      in: Enum(['body', 'header', 'path', 'query'], { description: 'Where the invalid input is.' }),
      name: Type.String({ description: 'Name of the invalid input, as `items[0].x` in a body.' }),
      value: Type.Optional(Type.Unknown({ description: 'The erroneous value.' })),
    },
    { description: 'One invalid input of a request.' },
  ),
)

/** Problem Details (RFC 9457) with the extensions of the interface. */
export const problemSchema = named(
  'Problem',
  Type.Object(
    {
      ...shared,
      issues: Type.Optional(Type.Array(issueSchema, { description: 'Every invalid input of the request.' })),
    },
    { description: 'Every response other than 2xx and 3xx: Problem Details (RFC 9457).' },
  ),
)
