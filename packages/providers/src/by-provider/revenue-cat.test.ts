import { expect, it } from 'vitest'
import { parseEvents } from '../index.ts'
import { openProvider } from '../testing/open-provider.testkit.ts'
import { entryFor } from '../webhook-cases/webhook-case.testkit.ts'

it('a transfer is an event of each customer that loses or gets what was bought', async () => {
  const { webhooks } = (await entryFor('revenueCat')).file ?? {}
  if (webhooks === undefined) throw new Error('no webhooks')
  const transfer = {
    event: {
      type: 'TRANSFER',
      id: 'CD489E0E',
      event_timestamp_ms: 1_767_225_600_000,
      transferred_from: ['a1'],
      transferred_to: ['b1', 'b2'],
    },
  }
  const events = parseEvents(webhooks, transfer, {})
  expect(events.map(({ id, key }) => [id, key])).toEqual([
    ['a1', undefined],
    ['b1', undefined],
    ['b2', undefined],
  ])
})

it('a refusal says in milliseconds how long to wait', async () => {
  const headers = { 'Retry-After': '1000' }
  const given = { credential: { scheme: 'apiKey', apiKey: 'k' }, metadata: { project_id: 'p1' } } as const
  const answer = () => ({ status: 429, headers, body: { type: 'rate_limit_error', backoff_ms: 1000 } })
  await using provider = await openProvider('revenueCat', answer, given)
  const page = provider.connector.readPage({ object: 'apps', fields: [] })
  await expect(page).rejects.toMatchObject({ class: 'rate_limited', retryAfterMs: 1000 })
})
