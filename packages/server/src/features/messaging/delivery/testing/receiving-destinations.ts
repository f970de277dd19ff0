import { type Answer, startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import type { DeliveryRig } from './delivery-rig.ts'

/** Creates webhooks, each with a receiver that keeps bodies and checks signatures, until `close`. */
export function receivingDestinations(rig: () => DeliveryRig) {
  const receivers: WebhookReceiver[] = []
  return {
    async create(respond: () => Answer | Promise<Answer> = () => ({ status: 204 })) {
      const receiver = await startWebhookReceiver({ storeBodies: true, respond })
      receivers.push(receiver)
      const destination = await rig().create(receiver.url)
      receiver.setSecret(destination.secret)
      return { ...destination, receiver }
    },
    async close(): Promise<void> {
      await Promise.all(receivers.splice(0).map((receiver) => receiver.close()))
    },
  }
}
