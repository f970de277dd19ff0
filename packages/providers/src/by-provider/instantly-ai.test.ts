import { expect, it } from 'vitest'
import { openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What Instantly's OpenAPI document says of audit logs, as far as the provider file relies on it. */

it('audit logs of a window begin with its day, and those before it are dropped', async () => {
  const items = ['2026-01-02T03:00:00Z', '2026-01-02T05:00:00Z'].map((timestamp, at) => ({ id: `${at}`, timestamp }))
  await using provider = await openProvider('instantlyAI', () => ({ body: { items } }), {
    credential: { scheme: 'apiKey', apiKey: 'k' },
  })
  const since = new Date('2026-01-02T04:00:00Z')
  const records = await readAll(provider.connector, { object: 'audit-logs', fields: ['timestamp'], since })
  expect(records.map(({ id }) => id)).toEqual(['1'])
  expect(provider.seen[0]?.url.searchParams.get('start_date')).toBe('2026-01-01')
})
