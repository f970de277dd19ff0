import type { DeliveryRig } from '../../packages/server/src/features/messaging/delivery/testing/delivery-rig.ts'
import type { TestedKind } from '../../packages/server/src/features/messaging/kinds/conformance.testkit.ts'
import type { DestinationKind } from '../../packages/server/src/features/messaging/kinds/kind.ts'
import { secretNames, withoutSecrets } from '../../packages/server/src/features/messaging/kinds/secret-settings.ts'
import { type Front, startFront } from './front.testkit.ts'
import { createRecordsInService } from './records-in-service.testkit.ts'
import type { TestedDestination } from './tested-destination.testkit.ts'

/** Settings as a request gives them. */
export function requestOf(kind: DestinationKind, settings: object): { metadata: object; secrets: object } {
  return {
    metadata: withoutSecrets(kind, settings),
    secrets: Object.fromEntries(
      secretNames(kind).flatMap((key) => (key in settings ? [[key, Reflect.get(settings, key)]] : [])),
    ),
  }
}

/** Settings of a server as they are behind a front, sent one message at a time. */
export function behindFront(settings: object, port: number, front: Pick<Front, 'port'>): object {
  const moved = JSON.parse(
    JSON.stringify(settings)
      .replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${front.port}`)
      .replaceAll(`"port":${port}`, `"port":${front.port}`),
  ) as object
  return { ...moved, ...('batchSize' in moved && { batchSize: 1 }) }
}

/** Creates a destination of a kind, with a server behind a front. */
export async function createTested(
  rig: Pick<DeliveryRig, 'app'>,
  tested: TestedKind,
  name: string,
): Promise<TestedDestination> {
  const { kind, harness } = tested
  if (harness.isInternal) return createRecordsInService(rig, name)
  const front = await startFront()
  const target = await harness.start({ advertisedPort: front.port })
  front.leadTo(target.port)
  const settings = behindFront(target.settings, target.port, front)
  const made = await rig.app.call<{ id: string }>('POST', '/projects/default/destinations', {
    name,
    type: kind.name,
    ...requestOf(kind, settings),
  })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  const received = async () => (await target.received()).map(({ id, body }) => ({ id, body }))
  const hold = async () => {
    const before = (await received()).length
    return { kept: front.hold(async () => (await received()).length > before) }
  }
  return {
    id: made.body.id,
    name,
    bodyOf: (text) => harness.bodyOf?.(text) ?? { text },
    received,
    down: front.down,
    up: front.up,
    answerLate: hold,
    storeUnanswered: hold,
    answer: async () => front.release(),
    async stop() {
      await front.stop()
      await target.stop()
    },
  }
}
