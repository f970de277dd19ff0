import { expect, it } from 'vitest'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

const credential = { scheme: 'apiKey', apiKey: 'k1' } as const

it('an email account is deleted', async () => {
  await using provider = await openProvider('smartlead', () => ({ body: { ok: true } }), { credential })
  await provider.connector.write({ object: 'email-accounts', type: 'delete', id: '7', record: {} })
  expect(asked(provider.seen)).toEqual(['DELETE /api/v1/email-accounts/7?api_key=k1'])
})

it('a refused request says why', async () => {
  const error = { code: 'RATE_LIMIT_EXCEEDED', message: 'Rate limit exceeded' }
  await using provider = await openProvider('smartlead', () => ({ status: 429, body: { error } }), { credential })
  const read = provider.connector.readPage({ object: 'campaigns', fields: ['id'] })
  await expect(read).rejects.toMatchObject({ class: 'rate_limited', providerMessage: 'Rate limit exceeded' })
})

it('nothing is sent while nothing of the limit is left', async () => {
  const now = Date.parse('2026-11-28T12:00:00Z')
  const headers = { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(now / 1000 + 30) }
  const given = { credential, now: () => now }
  await using provider = await openProvider('smartlead', () => ({ headers, body: [] }), given)
  const read = () => provider.connector.readPage({ object: 'campaigns', fields: ['id'] })
  await read()
  await expect(read()).rejects.toMatchObject({ class: 'rate_limited', retryAfterMs: 30_000 })
  expect(provider.seen).toHaveLength(1)
})

it('campaigns have their tags', async () => {
  await using provider = await openProvider('smartlead', () => ({ body: [] }), { credential })
  await provider.connector.readPage({ object: 'campaigns', fields: ['tags'] })
  expect(asked(provider.seen)).toEqual(['GET /api/v1/campaigns?include_tags=true&api_key=k1'])
})
