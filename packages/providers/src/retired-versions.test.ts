import { expect, it } from 'vitest'
import { openProvider } from './testing/open-provider.testkit.ts'

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

// developers.facebook.com/docs/apps/versions: a version ends two years after the next one begins.
it('Facebook Pages receives a version that it still answers', async () => {
  await using opened = await openProvider('facebookPages', () => ({ body: { id: '1' } }))
  await opened.connector.fetchRecord('posts', '1', ['message'])
  expect(Number(/^\/v(\d+)\.0\//.exec(opened.seen[0]?.url.pathname ?? '')?.[1])).toBeGreaterThan(20)
})
