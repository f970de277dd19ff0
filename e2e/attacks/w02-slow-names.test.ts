import { expect, test } from 'vitest'
import { run } from './w02-slow-names.ts'

test('a healthy destination gets each message with the first attempt while 60 names are not resolved', async () => {
  const { figures } = await run({ long: false })
  expect(figures).toMatchObject({
    slowNames: 60,
    slowMessagesWaiting: 60,
    busyCountedAsAttempt: 0,
    healthyMessages: 50,
    healthyDelivered: 50,
    healthyFailedAttempts: 0,
  })
}, 300_000)
