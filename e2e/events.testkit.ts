import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { Webhook as SvixWebhook } from 'svix'
import {
  type Installed,
  type ReadingKit,
  startReadingKit,
} from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import type { TestApp } from '../packages/server/src/testkit/test-app.ts'

/** A notification as it arrived, its signature verified. */
export interface Notification {
  /** `webhook-id`. */
  id: string
  notificationType: string
  data: Record<string, unknown>
}

/** A destination for notifications, with whoever receives them. */
export interface Listener {
  id: string
  name: string
  receiver: WebhookReceiver
  received: Notification[]
  of(type: string): Notification[]
  close(): Promise<void>
}

/**
 * Makes a destination, and a receiver that verifies every request with both libraries that receivers use.
 *
 * @param respond status of each answer
 */
export async function listen(app: TestApp, name: string, respond: () => number = () => 204): Promise<Listener> {
  const received: Notification[] = []
  let verifier: SvixWebhook | undefined
  const receiver = await startWebhookReceiver({
    respond({ id, body, headers, message }) {
      verifier?.verify(body.toString(), headers as Record<string, string>)
      const status = respond()
      if (status < 300) received.push({ id: id ?? '', ...(message as Omit<Notification, 'id'>) })
      return { status }
    },
  })
  const made = await ok<{ id: string }>(
    app.call('POST', '/projects/default/destinations', { name, type: 'webhook', metadata: { url: receiver.url } }),
  )
  const { secrets } = await ok<{ secrets: { webhookSigningKey: string } }>(
    app.call('GET', `/projects/default/destinations/${name}?includeSecrets=true`),
  )
  receiver.setSecret(secrets.webhookSigningKey)
  verifier = new SvixWebhook(secrets.webhookSigningKey)
  return {
    id: made.id,
    name,
    receiver,
    received,
    of: (type) => received.filter(({ notificationType }) => notificationType === type),
    close: () => receiver.close(),
  }
}

/** Makes a topic that leads events of these types to destinations. Answers its id. */
export async function route(app: TestApp, name: string, eventTypes: string[], listeners: { id: string }[]) {
  const { id: topicId } = await ok<{ id: string }>(app.call('POST', '/projects/default/topics', { name }))
  for (const eventType of eventTypes)
    await ok(app.call('POST', '/projects/default/notification-event-topic-routes', { eventType, topicId }))
  for (const { id: destinationId } of listeners)
    await ok(app.call('POST', '/projects/default/topic-destination-routes', { topicId, destinationId }))
  return topicId
}

/** The body of an answer that is 2xx. @throws when it is not */
export async function ok<T = Record<string, unknown>>(answer: ReturnType<TestApp['call']>): Promise<T> {
  const { status, body } = await answer
  if (status < 200 || status > 299) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body as T
}

/** Whether every notification to these destinations has ended. */
export async function nothingWaits({ app }: ReadingKit, ...destinations: string[]): Promise<boolean> {
  const row = await app.db.sql
    .selectFrom('messages')
    .select('id')
    .where('kind', '=', 'notification')
    .where('state', '=', 'pending')
    .where('destination_name', 'in', destinations)
    .executeTakeFirst()
  return row === undefined
}

/** What notifications say of a connection that the kit made. */
export function connectionData(
  { app }: ReadingKit,
  { connectionId, groupRef }: Pick<Installed, 'connectionId' | 'groupRef'>,
) {
  return {
    projectId: app.projectId,
    connectionId,
    provider: 'sampleCrm',
    groupRef,
    consumerRef: `${groupRef}-user`,
    consumerName: `${groupRef}-user`,
  }
}

/** What they say of an installation. */
export function installationData(kit: ReadingKit, installed: Installed) {
  const { integrationId, installationId, name, groupRef } = installed
  return {
    ...connectionData(kit, installed),
    integrationId,
    integrationName: name,
    installationId,
    groupName: groupRef,
  }
}

export { type ReadingKit, startReadingKit }
