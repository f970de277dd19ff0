import { expect, it } from 'vitest'
import { createConnector, loadCatalogue, proxyBase } from './index.ts'
import { plainHttp, startServer } from './testing/http-server.testkit.ts'
import { openProvider } from './testing/open-provider.testkit.ts'
import { testCache } from './testing/test-cache.testkit.ts'

/** Versions of APIs that their providers no longer answer, by the header that names them. */
const retired = [
  // developers.klaviyo.com/en/docs/api_versioning_and_deprecation_policy
  { provider: 'klaviyo', object: 'profiles', header: 'revision', before: '2025-01-01' },
  // docs.gusto.com/embedded-payroll/docs/version-upgrade-guide
  { provider: 'gusto', object: 'locations', header: 'x-gusto-api-version', before: '2025-11-15' },
]

it.each(retired)('$provider receives a version that it still answers', async ({ provider, object, ...of }) => {
  const metadata = { companyId: 'c1' }
  await using opened = await openProvider(provider, () => ({ body: { data: [] } }), { metadata })
  await opened.connector.readPage({ object, fields: [] }).catch(() => undefined)
  expect(opened.seen[0]?.headers[of.header]).toMatch(/^\d{4}-\d{2}-\d{2}$/)
  expect(String(opened.seen[0]?.headers[of.header]) >= of.before).toBe(true)
})

it.each(['gusto', 'gustoDemo'])('%s receives the version of the objects of Gusto', async (name) => {
  const entry = (await loadCatalogue({ cacheDir: testCache })).find(name)
  if (entry === undefined) throw new Error(`no provider ${name}`)
  await using server = await startServer(() => ({ body: [] }))
  const connection = { metadata: { companyId: 'c1' }, credential: { scheme: 'oauth2', accessToken: 't1' } } as const
  const http = plainHttp(fetch, { from: proxyBase(entry, connection).origin, to: server.origin })
  await createConnector(entry, connection, http).readPage({ object: 'locations', fields: [] })
  expect(server.seen[0]?.headers['x-gusto-api-version']).toBe('2026-02-01')
})

// developers.facebook.com/docs/apps/versions: a version ends two years after the next one begins.
it('Facebook Pages receives a version that it still answers', async () => {
  await using opened = await openProvider('facebookPages', () => ({ body: { id: '1' } }))
  await opened.connector.fetchRecord('posts', '1', ['message'])
  expect(Number(/^\/v(\d+)\.0\//.exec(opened.seen[0]?.url.pathname ?? '')?.[1])).toBeGreaterThan(20)
})
