import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createKeyring } from '../../../kernel/encryption/index.ts'
import type { DeliveryTarget } from '../destinations/index.ts'
import { kindOf, type SendResult } from '../kinds/index.ts'
import { attemptDelivery } from './attempt.ts'

const secret = 'never-shown-secret'
const services = {
  keyring: createKeyring({ active: randomBytes(32) }),
  publicUrl: 'http://localhost',
  now: () => new Date(),
}
const target: DeliveryTarget = {
  ...{ id: 'destination-1', name: 'hook', urlChanges: 0, kind: kindOf('webhook'), collecting: undefined },
  ...{ isOrdered: false, settings: { url: 'https://example.com' }, keys: [], version: '1' },
  ...{ failureCount: 0, probeAt: null, failedProbes: 0 },
}
const message = { id: 'message-1', payload: Buffer.from('{}'), hasResult: false, kind: 'read', eventType: undefined }

async function attemptOf(result: SendResult) {
  const sender = { send: async () => [result], close: async () => undefined }
  const open = { target, sender, secrets: [secret] }
  const [attempt] = await attemptDelivery(services, open, 'project-1', [message as never], new AbortController().signal)
  return attempt
}

it('keeps no secret of the destination, neither of the answer nor of the sentence that says why', async () => {
  const text = `The server says: no user ${secret}.`
  const attempt = await attemptOf({ outcome: 'retry', error: text, response: Buffer.from(text) })
  expect(attempt).toMatchObject({
    error: 'The server says: no user [secret].',
    response: 'The server says: no user [secret].',
  })
})

it('keeps none of records that were not accepted, and all other words', async () => {
  const rejected = [{ entries: [0], outcome: 'refused' as const, error: `Row 1: ${secret}` }]
  const attempt = await attemptOf({ outcome: 'delivered', rejected })
  expect(attempt?.rejected?.map(({ attempt: { error } }) => error)).toEqual(['Row 1: [secret]'])
  expect((await attemptOf({ outcome: 'retry', error: 'example.com answered 500.' }))?.error).toBe(
    'example.com answered 500.',
  )
})
