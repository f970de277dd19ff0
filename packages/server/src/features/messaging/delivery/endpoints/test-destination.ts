import { type Static, Type } from 'typebox'
import type { NewId, ProjectDb } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { endpoint, named, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import type { AddressGuard, NameResolver, Outbound } from '../../../../kernel/net/index.ts'
import {
  type DestinationHooks,
  DestinationNotFound,
  type DestinationRow,
  deliveryTarget,
  findDestination,
  findDestinationsNamed,
} from '../../destinations/index.ts'
import { type Attempt, attemptDelivery } from '../attempt.ts'
import { type OpenTarget, openTarget } from '../open-target.ts'

const outcome = {
  delivered: Type.Boolean({ description: 'Whether the destination confirmed it: a webhook by 2xx.' }),
  status: Type.Optional(Type.Integer({ description: 'Status of the answer; absent when there was none.' })),
  checkedOnly: Type.Optional(
    Type.Boolean({
      description:
        'Whether nothing was sent, because tables of records only check what a delivery needs. `delivered` says then whether a message would have been stored.',
    }),
  ),
  durationMs: Type.Integer({ description: 'How long it took.' }),
  error: Type.Optional(Type.String({ description: 'Why it was not delivered, in a sentence.' })),
  response: Type.Optional(Type.String({ description: 'The beginning of the answer: 2 KB at most.' })),
}

const DestinationTest = named(
  'DestinationTest',
  Type.Object({
    messageId: Type.String({ description: '`webhook-id` of the test message. It is not kept.' }),
    ...outcome,
    destinations: Type.Optional(
      Type.Array(
        Type.Object({
          destinationName: Type.String({ description: 'Name of the destination.' }),
          ...outcome,
        }),
        {
          description:
            'For a fan-out: how the test of each of its destinations ended. For `by-group`: how that of its default ended. It is delivered if it was delivered to all of them.',
        },
      ),
    ),
  }),
)
type DestinationTest = Static<typeof DestinationTest>
type Outcome = Omit<DestinationTest, 'messageId' | 'destinations'>

interface Services {
  guard: AddressGuard
  names: NameResolver
  outbound: Outbound
  keyring: Keyring
  publicUrl: string
  now: () => Date
  newId: NewId
  hooks: Pick<DestinationHooks, 'fieldTypes' | 'originsOf'>
}

export const testDestination = endpoint({
  id: 'testDestination',
  method: 'POST',
  path: '/projects/{projectIdOrName}/destinations/{destination}:test',
  access: 'operate',
  summary: 'Send a test message to a destination.',
  description:
    'Sends one signed message of type `destination.test` now, waits up to 15 seconds for the response, and returns it. It is not retried, does not affect the health of the destination, and also reaches a disabled one. Of types `postgres` and `mysql`, and of a warehouse with `layout` `tables`, it checks what a delivery needs, and stores nothing. A fan-out sends it to each of its destinations, and a destination of type `by-group` to its default.',
  tag: 'Destinations',
  extension: true,
  params: Path({ ...ProjectPath.properties, destination: Ref }),
  reply: { 200: DestinationTest },
  problems: [DestinationNotFound],
  run: async ({ db, params, signal }, services: Services) => {
    const row = await findDestination(db, params.destination)
    if (!row) throw new DestinationNotFound()
    const messageId = services.newId()
    const test = (tested: DestinationRow) => testOne(db, services, { row: tested, messageId, signal })
    if (row.members === null) return reply(200, { messageId, ...(await test(row)) })
    const members = row.group_default === null ? row.members : [row.group_default]
    if (members.length === 0) return reply(200, { messageId, ...withoutDefault })
    const byName = new Map((await findDestinationsNamed(db, members)).map((member) => [member.name, member]))
    const destinations = await Promise.all(
      members.map(async (destinationName) => {
        const member = byName.get(destinationName)
        return { destinationName, ...(member?.members === null ? await test(member) : missing) }
      }),
    )
    return reply(200, { messageId, ...togetherOf(destinations), destinations })
  },
})

const withoutDefault: Outcome = {
  delivered: false,
  durationMs: 0,
  error: 'It has no default, and a test message belongs to no group. Test the destinations of your groups.',
}

const missing: Outcome = {
  delivered: false,
  durationMs: 0,
  error: 'This project has no destination of this name. Messages wait for one.',
}

/** Sends the test message to a destination. */
async function testOne(
  db: ProjectDb,
  services: Services,
  { row, messageId, signal }: { row: DestinationRow; messageId: string; signal: AbortSignal },
): Promise<Outcome> {
  const { projectId } = db
  const body = {
    notificationType: 'destination.test',
    data: { projectId, destinationId: row.id, destinationName: row.name, time: services.now().toISOString() },
  }
  const payload = Buffer.from(JSON.stringify(body))
  const message = { id: messageId, payload, hasResult: false, kind: 'notification', eventType: body.notificationType }
  const open = openTarget(services, db, deliveryTarget(row, services))
  try {
    const [attempt] = await attemptDelivery(services, checkingOnly(open), projectId, [message], signal)
    if (!attempt) throw new Error('the sender returned no result')
    return { ...outcomeOf(attempt), ...(open.sender.check !== undefined && { checkedOnly: true }) }
  } finally {
    await open.sender.close()
  }
}

/** The target, with a sender that checks in place of sending if it can. */
function checkingOnly(open: OpenTarget): OpenTarget {
  const { sender } = open
  if (sender.check === undefined) return open
  const check = sender.check.bind(sender)
  return { ...open, sender: { ...sender, send: async (_batch, options) => [await check(options)] } }
}

function togetherOf(results: readonly ({ destinationName: string } & Outcome)[]): Outcome {
  const failed = results.filter(({ delivered }) => !delivered).map(({ destinationName }) => destinationName)
  return {
    delivered: failed.length === 0,
    durationMs: Math.max(...results.map(({ durationMs }) => durationMs)),
    ...(failed.length > 0 && { error: `It was not delivered to ${failed.join(', ')}.` }),
  }
}

function outcomeOf({ outcome, status, durationMs, error, response }: Attempt): Outcome {
  return {
    delivered: outcome === 'delivered',
    ...(status !== undefined && { status }),
    durationMs,
    ...(error !== undefined && { error }),
    ...(response !== undefined && { response }),
  }
}
