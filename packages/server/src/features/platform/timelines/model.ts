import { type Static, Type } from 'typebox'
import { actorKinds, Enum, FreeForm, named, Timestamp } from '../../../kernel/http/index.ts'

/** Kinds that `resource_events` stores. The others are found in the tables of what they are about. */
export const storedKinds = [
  'connection.created',
  'connection.updated',
  'connection.status',
  'connection.deleted',
  'installation.created',
  'installation.config',
  'installation.connection',
  'installation.health',
  'installation.deleted',
  'reads.paused',
  'reads.resumed',
  'subscription.failed',
  'subscription.recovered',
] as const
export type StoredKind = (typeof storedKinds)[number]

export const timelineKinds = [
  ...storedKinds,
  'schema.changed',
  'operation.read',
  'operation.write',
  'operation.subscribe',
  'operation.proxy',
  'audit',
] as const
export type TimelineKind = (typeof timelineKinds)[number]

/** The part of kinds before the point. */
export const kindFamilies = ['connection', 'installation', 'reads', 'subscription', 'schema', 'operation'] as const

/** Returns whether a filter selects a kind. */
export function selects(filter: string | undefined, kind: TimelineKind): boolean {
  return filter === undefined || filter === kind || kind.startsWith(`${filter}.`)
}

const text = (description: string) => Type.Optional(Type.String({ description }))

export const TimelineEntry = named(
  'TimelineEntry',
  Type.Object(
    {
      id: Type.String({ description: 'Id of the entry. Ids of later entries sort later.' }),
      time: { ...Timestamp, description: 'When it happened, or when the operation began.' },
      kind: Enum([...timelineKinds], { description: 'What happened.' }),
      title: Type.String({ description: 'What happened, in a sentence.' }),
      status: Type.Optional(
        Enum(['success', 'failure', 'in_progress'], {
          description: 'Of operations, and of changes for the better or the worse.',
        }),
      ),
      objectName: text('The provider’s name of the object.'),
      groupRef: text('Your id of the group. Absent if neither the installation nor the connection exists any more.'),
      integrationId: text('Id of the integration.'),
      installationId: text('Id of the installation.'),
      connectionId: text('Id of the connection.'),
      operationId: text('Id of the operation, whose log has more.'),
      actor: Type.Optional(
        Type.Object(
          {
            kind: Enum([...actorKinds], { description: 'As in the audit log.' }),
            id: text('Id of the person, the key or the connect session.'),
            name: text('Email or label at the time.'),
          },
          { description: 'Who did it, if a request caused it.' },
        ),
      ),
      details: Type.Optional(
        Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description: 'Facts about it, by kind. Never secrets.' }),
      ),
    },
    { description: 'Something that happened to a group, an installation or a connection.' },
  ),
)
export type TimelineEntry = Static<typeof TimelineEntry>

export const TimelinePage = named(
  'TimelinePage',
  Type.Object({
    results: Type.Array(TimelineEntry, { description: 'Newest first.' }),
    pagination: Type.Object(
      {
        done: Type.Boolean({ description: 'Whether this page is the last. A page that is not may be empty.' }),
        nextPageToken: Type.Optional(
          Type.String({ description: 'Pass as `pageToken` for the next page. Absent on the last.' }),
        ),
      },
      { description: 'How to continue.' },
    ),
  }),
)
