import { Type } from 'typebox'
import { named, type WebhookDeclaration } from '../../../kernel/http/index.ts'
import { dataMessageSchema, schemaWatchMessageSchema } from '../../messaging/messages/index.ts'
import { type EventDeclaration, eventTypes } from '../../messaging/notifications/index.ts'

const header = {
  projectId: '019a8f00-0000-7000-8000-000000000001',
  provider: 'hubspot',
  groupRef: 'acme',
  groupName: 'Acme',
  consumerRef: 'u1',
  consumerName: 'Ada Example',
  installationId: '019a8f00-0000-7000-8000-000000000003',
  installationUpdateTime: '2026-03-01T09:00:00.000Z',
  objectName: 'people',
  rawObjectName: 'contacts',
}

const dataMessage: WebhookDeclaration = {
  name: 'dataMessage',
  tag: 'Webhooks',
  summary: 'Records of an object: a page of a read, or events of the provider.',
  description:
    'Posted to the destination that the manifest names for the object. At most 300 KB. Larger results arrive as several messages. A single larger record is downloaded from a URL.',
  body: dataMessageSchema,
  example: {
    action: 'read',
    ...header,
    operationId: '019a8f00-0000-7000-8000-000000000005',
    operationTime: '2026-03-01T09:30:00.000Z',
    readType: 'scheduled',
    resultInfo: { type: 'inline', numRecords: 1 },
    result: [
      {
        fields: { email: 'ada@acme.example' },
        mappedFields: { fullName: 'Ada Example' },
        raw: { id: '17', properties: { email: 'ada@acme.example', name: 'Ada Example' } },
      },
    ],
  },
}

const schemaWatchMessage: WebhookDeclaration = {
  name: 'schemaWatchMessage',
  tag: 'Webhooks',
  summary: 'Change of the fields of an object in a customer’s account.',
  description:
    'Posted to the destination in `watchSchema` of the manifest: one message per object, on its schedule. The first check of an object sends nothing. If the changes exceed 300 KB, download them from a URL: the only item of the array is the result.',
  body: schemaWatchMessageSchema,
  example: {
    action: 'schema.watch',
    ...header,
    resultInfo: { type: 'inline', numRecords: 1 },
    result: {
      createdFields: [{ fieldName: 'tier', displayName: 'Tier', valueType: 'string', isCustom: true, readOnly: false }],
    },
  },
}

/** Every message that is posted to webhooks. */
export const webhooks: WebhookDeclaration[] = [
  dataMessage,
  schemaWatchMessage,
  ...(eventTypes as readonly EventDeclaration[]).map(notification),
]

function notification({ name, when, sent, extension, data, example }: EventDeclaration): WebhookDeclaration {
  const body = Type.Object(
    {
      notificationType: Type.Unsafe<string>({ type: 'string', const: name, description: `Always \`${name}\`.` }),
      data,
    },
    { description: `Notification: ${when}` },
  )
  return {
    name,
    tag: 'Webhooks',
    summary: `Notification \`${name}\`.`,
    description: `${when} Posted to the destinations of the topics that this type of event is routed to.${sent ? '' : ' Not sent by this release yet.'}`,
    ...(extension && { extension }),
    body: named(schemaName(name), body),
    example,
  }
}

/** `read.backfill.done` as ReadBackfillDoneNotification. */
function schemaName(event: string): string {
  const words = event.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Notification`
}

/** What `data` of each notification is, by the name of its schema. */
export const notificationTexts: Record<string, string> = Object.fromEntries(
  eventTypes.map(({ name }) => [
    schemaName(name).replace(/Notification$/, 'Data'),
    `What a notification \`${name}\` tells.`,
  ]),
)
