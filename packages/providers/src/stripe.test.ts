import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from './testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from './testing/open-provider.testkit.ts'

/** What docs.stripe.com/api shows as answers, as far as the provider file relies on it. */

const list = (...data: object[]): Answer => ({ body: { object: 'list', has_more: false, data } })

function stripe({ url }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (pathname === '/v1/treasury/financial_accounts') {
    if (searchParams.get('starting_after') === 'fa_1') return list({ id: 'fa_2' })
    return { body: { object: 'list', has_more: true, data: [{ id: 'fa_1' }] } }
  }
  const account = searchParams.get('financial_account')
  if (pathname.startsWith('/v1/treasury/'))
    return account === null
      ? { status: 400, body: { error: { message: 'Missing required param: financial_account.' } } }
      : list({ id: `of-${account}`, financial_account: account })
  return searchParams.get('status') === 'all' ? list({ id: 'sub_1' }, { id: 'sub_canceled' }) : list({ id: 'sub_1' })
}

it('subscriptions are read whatever their status is', async () => {
  await using provider = await openProvider('stripe', stripe)
  const { records } = await provider.connector.readPage({ object: 'subscriptions', fields: ['status'] })
  expect(records.map(({ id }) => id)).toEqual(['sub_1', 'sub_canceled'])
})

it('lists of the treasury are read for each financial account', async () => {
  await using provider = await openProvider('stripe', stripe)
  const since = new Date('2026-01-01T00:00:00Z')
  const found: string[] = []
  for (const object of ['treasury/received_credits', 'treasury/transactions']) {
    const records = await readAll(provider.connector, { object, fields: ['id'], since })
    found.push(...records.map(({ id }) => `${object} ${id}`))
  }
  expect(found).toEqual([
    'treasury/received_credits of-fa_1',
    'treasury/received_credits of-fa_2',
    'treasury/transactions of-fa_1',
    'treasury/transactions of-fa_2',
  ])
  const windows = asked(provider.seen).filter((path) => path.includes('created'))
  expect(windows).toHaveLength(2)
  expect(windows.every((path) => path.includes('/v1/treasury/transactions?'))).toBe(true)
})
