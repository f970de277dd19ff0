import { type Static, Type } from 'typebox'
import { timeOfId } from '../../../kernel/db/index.ts'
import { actorKinds, Enum, named, PageQuery, Timestamp } from '../../../kernel/http/index.ts'
import type { StoredEntry } from './entry.ts'
import { verifyTokenPattern } from './verify-token.ts'

const text = (description: string) => Type.String({ description })

export const AuditEntry = named(
  'AuditEntry',
  Type.Object(
    {
      id: text('Id of the entry. Ids of later entries sort later.'),
      time: { ...Timestamp, description: 'When the change was made.' },
      actor: Type.Object(
        {
          kind: Enum([...actorKinds], {
            description:
              'Who made the change. `consumerToken`: id of the JWT key. `anonymous`: not authenticated, as in a failed sign-in.',
          }),
          id: Type.Optional(text('Id of the person, the key or the connect session.')),
          name: Type.Optional(text('Email or label at the time of the change.')),
        },
        { description: 'Who made the change.' },
      ),
      action: text('The operationId of the endpoint.'),
      verb: text('What the endpoint does: `create`, `update`, `delete`, …'),
      outcome: Enum(['success', 'failure'], { description: '`failure`: a failed sign-in.' }),
      resource: Type.Object(
        {
          kind: text('Kind of the resource: `api-key`, `destination`, …'),
          id: Type.Optional(
            text('Id of the resource. References of groups and consumers are `sha256:` and the hash in hexadecimal.'),
          ),
        },
        { description: 'What was changed.' },
      ),
      address: Type.Optional(text('IP address of the client.')),
      userAgent: Type.Optional(text('The first 200 characters of the header User-Agent.')),
      requestId: Type.Optional(text('The `X-Request-Id` of the response.')),
      before: Type.Optional(
        Type.Unsafe<unknown>({
          description: 'The resource before the change. An update shows only what differs. Secrets are masked.',
        }),
      ),
      after: Type.Optional(Type.Unsafe<unknown>({ description: 'The resource after the change.' })),
    },
    { description: 'A change that somebody made: an entry of the audit log.' },
  ),
)
export type AuditEntry = Static<typeof AuditEntry>

export function entryResource(entry: StoredEntry): AuditEntry {
  return {
    id: entry.id,
    time: timeOfId(entry.id),
    actor: {
      kind: entry.actorKind as AuditEntry['actor']['kind'],
      ...(entry.actorId !== null && { id: entry.actorId }),
      ...(entry.actorName !== null && { name: entry.actorName }),
    },
    action: entry.action,
    verb: entry.verb,
    outcome: entry.outcome as AuditEntry['outcome'],
    resource: { kind: entry.resourceKind, ...(entry.resourceId !== null && { id: entry.resourceId }) },
    ...(entry.address !== null && { address: entry.address }),
    ...(entry.userAgent !== null && { userAgent: entry.userAgent }),
    ...(entry.requestId !== null && { requestId: entry.requestId }),
    ...(entry.before !== null && { before: JSON.parse(entry.before) as unknown }),
    ...(entry.after !== null && { after: JSON.parse(entry.after) as unknown }),
  }
}

const filter = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 512, description }))

/** Query parameters of the lists. */
export const AuditQuery = Type.Object({
  startTime: Type.Optional(Type.String({ format: 'date-time', description: 'Entries from this time on.' })),
  endTime: Type.Optional(Type.String({ format: 'date-time', description: 'Entries before this time.' })),
  actorId: filter('Entries of this actor alone.'),
  action: filter('Entries of this operationId alone.'),
  resourceKind: filter('Entries of resources of this kind alone.'),
  resourceId: filter('Entries of this resource alone.'),
  ...PageQuery,
})

/** Query parameters of a verification. */
export const VerifyQuery = Type.Object({
  pageToken: Type.Optional(
    Type.String({
      pattern: verifyTokenPattern,
      maxLength: 120,
      description: 'Where this part begins: `nextPageToken` of the part before it.',
    }),
  ),
})

const count = (description: string) => Type.Integer({ description })

export const AuditVerification = named(
  'AuditVerification',
  Type.Object(
    {
      checkedSeals: count('Intact seals in this part.'),
      checkedEntries: count('Intact sealed entries in this part.'),
      expiredEntries: count('Sealed entries that were deleted after their retention.'),
      unsealedEntries: count('New entries that are not sealed yet.'),
      fault: Type.Optional(
        Type.Object(
          {
            kind: Enum(['changedEntry', 'missingEntry', 'insertedEntry', 'changedSeal', 'missingSeal'], {
              description: 'What is wrong. `insertedEntry`: no seal contains the entry.',
            }),
            entryId: Type.Optional(text('Id of the entry.')),
            sealNumber: Type.Optional(count('Number of the seal.')),
            sequence: Type.Optional(count('Number of the entry in the log, from 1 on.')),
          },
          { description: 'The first broken place. Absent if this part is intact.' },
        ),
      ),
      lastSeal: Type.Optional(
        Type.Object(
          { number: count('Number of the seal.'), hash: text('SHA-256 of the seal, in hexadecimal.') },
          {
            description: 'The last seal of this part. Keep it elsewhere: a chain that was rewritten has another hash.',
          },
        ),
      ),
      nextPageToken: Type.Optional(text('Pass as `pageToken` for the next part. Absent on the last.')),
    },
    { description: 'The result of verifying a part of an audit log.' },
  ),
)
export type AuditVerification = Static<typeof AuditVerification>
