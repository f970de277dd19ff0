import { type Static, Type } from 'typebox'
import type { NewId } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { endpoint, named, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import type { AddressGuard, NameResolver, Outbound } from '../../../../kernel/net/index.ts'
import { DestinationNotFound, deliveryTarget, findDestination } from '../../destinations/index.ts'
import { type Attempt, attemptDelivery } from '../attempt.ts'
import { openTarget } from '../open-target.ts'

const DestinationTest = named(
  'DestinationTest',
  Type.Object({
    messageId: Type.String({ description: '`webhook-id` of the test message. It is not kept.' }),
    delivered: Type.Boolean({ description: 'Whether the destination confirmed it: a webhook by 2xx.' }),
    status: Type.Optional(Type.Integer({ description: 'Status of the answer; absent when there was none.' })),
    durationMs: Type.Integer({ description: 'How long it took.' }),
    error: Type.Optional(Type.String({ description: 'Why it was not delivered, in a sentence.' })),
    response: Type.Optional(Type.String({ description: 'The beginning of the answer: 2 KB at most.' })),
  }),
)

export const testDestination = endpoint({
  id: 'testDestination',
  method: 'POST',
  path: '/projects/{projectIdOrName}/destinations/{destination}:test',
  access: 'operate',
  summary: 'Send a test message to a destination.',
  description:
    'Sends one signed message of type `destination.test` now, waits up to 15 seconds for the response, and returns it. It is not retried, does not affect the health of the destination, and also reaches a disabled one.',
  tag: 'Destinations',
  extension: true,
  params: Path({ ...ProjectPath.properties, destination: Ref }),
  reply: { 200: DestinationTest },
  problems: [DestinationNotFound],
  run: async (
    { db, params, signal },
    services: {
      guard: AddressGuard
      names: NameResolver
      outbound: Outbound
      keyring: Keyring
      publicUrl: string
      now: () => Date
      newId: NewId
    },
  ) => {
    const row = await findDestination(db, params.destination)
    if (!row) throw new DestinationNotFound()
    const id = services.newId()
    const { projectId } = db
    const body = {
      notificationType: 'destination.test',
      data: { projectId, destinationId: row.id, destinationName: row.name, time: services.now().toISOString() },
    }
    const payload = Buffer.from(JSON.stringify(body))
    const message = { id, payload, hasResult: false, kind: 'notification', eventType: body.notificationType }
    const open = openTarget(services, db, deliveryTarget(row, services))
    try {
      const [attempt] = await attemptDelivery(services, open, projectId, [message], signal)
      if (!attempt) throw new Error('the sender returned no result')
      return reply(200, outcomeOf(id, attempt))
    } finally {
      await open.sender.close()
    }
  },
})

function outcomeOf(messageId: string, attempt: Attempt): Static<typeof DestinationTest> {
  const { outcome, status, durationMs, error, response } = attempt
  return {
    messageId,
    delivered: outcome === 'delivered',
    ...(status !== undefined && { status }),
    durationMs,
    ...(error !== undefined && { error }),
    ...(response !== undefined && { response }),
  }
}
