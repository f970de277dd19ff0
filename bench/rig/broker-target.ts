import type { openForTest } from '../../packages/server/src/features/messaging/kinds/conformance.testkit.ts'
import type { OutgoingMessage } from '../../packages/server/src/features/messaging/kinds/kind.ts'
import { newId } from '../../packages/server/src/kernel/db/index.ts'

/** A server that messages are sent to, and the loop that a program without Mortise would send them with. */
export interface BrokerTarget extends AsyncDisposable {
  /** Maximum number of messages in a batch: that of the kind. */
  maxBatch: number
  /** Opens a sender of the kind. */
  open(): ReturnType<typeof openForTest>
  /** Sends messages together by the usual client, as a sender does. Resolves when all are confirmed. */
  send(batch: readonly OutgoingMessage[]): Promise<void>
  /** Returns the number of messages that the server has received since it was started or cleared. */
  arrived(): Promise<number>
  /** Removes what was sent. */
  clear(): Promise<void>
}

/** What a sender adds to each message. Nothing is signed: the signature is as long as a real one. */
export const project = newId()
export const timestamp = '1800000000'
const signature = `v1,${Buffer.alloc(32).toString('base64')}`

export const signed = (id: string) => ({
  'webhook-id': id,
  'webhook-timestamp': timestamp,
  'webhook-signature': signature,
})

/** The body of a message and its headers, as senders of streams and queues wrap them. */
export function wrapped({ id, body }: OutgoingMessage): Buffer {
  return Buffer.concat([Buffer.from('{"data":'), body, Buffer.from(`,"headers":${JSON.stringify(signed(id))}}`)])
}
