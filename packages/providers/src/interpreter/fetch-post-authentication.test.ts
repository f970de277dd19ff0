import { expect, test } from 'vitest'
import { loadCatalogue } from '../catalogue/load-catalogue.ts'
import type { ProviderHttp, ProviderHttpRequest } from '../connector.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import { capturedText } from './captured-text.ts'
import { fetchPostAuthentication } from './fetch-post-authentication.ts'

const catalogue = await loadCatalogue({ cacheDir: testCache })

/** What the provider of this name tells, when it answers so. */
async function told(name: string, body: unknown, metadata: Record<string, string> = {}, status = 200) {
  const requests: ProviderHttpRequest[] = []
  const http: ProviderHttp = async (request) => {
    requests.push(request)
    return { status, headers: {}, body: JSON.stringify(body) }
  }
  const entry = catalogue.find(name)!
  const scheme = entry.authentication[0]?.scheme
  const credential = scheme === 'apiKey' ? { scheme, apiKey: 'k' } : { scheme: 'oauth2' as const, accessToken: 'at' }
  const { workspace, ...others } = metadata
  const context = { metadata: others, credential, ...(workspace !== undefined && { workspaceRef: workspace }) }
  const values = await fetchPostAuthentication(entry, context, http)
  const texts = Object.fromEntries(Object.entries(values).map(([key, { value }]) => [key, value]))
  return { texts, requests }
}

const sites = [
  { id: '1', name: 'acme' },
  { id: '2', name: 'other' },
]

test.each<[string, unknown, Record<string, string>, Record<string, string>?]>([
  ['atlassian', sites, { cloudId: '2' }, { workspace: 'other' }],
  ['atlassian', sites, {}, { workspace: 'neither' }],
  ['atlassian', sites.slice(0, 1), { cloudId: '1' }, { workspace: 'the only one there is' }],
  ['callRail', { accounts: [{ id: 'ACC1' }] }, { accountId: 'ACC1' }],
  [
    'docusign',
    {
      accounts: [{ base_uri: 'https://eu.docusign.net' }, { is_default: true, base_uri: 'https://na3.docusign.net' }],
    },
    { server: 'na3' },
  ],
  ['docusign', { accounts: [{ is_default: true, base_uri: 'https://evil.example/.docusign.net' }] }, {}],
  ['gusto', { resource: { type: 'Company', uuid: 'u-1' } }, { companyId: 'u-1' }],
  ['slack', { ok: true, team_id: 'T1' }, { teamId: 'T1' }],
  ['slack', { ok: false, error: 'invalid_auth' }, {}],
  ['snapchatAds', { organizations: [{ organization: { id: 'o-1' } }] }, { organizationId: 'o-1' }],
  ['xero', [{ tenantId: 't-1' }], { tenantId: 't-1' }],
  ['xero', [], {}],
])('%s tells what comes after authentication: %o', async (name, body, expected, metadata) => {
  expect((await told(name, body, metadata)).texts).toEqual(expected)
})

test('values of one answer are asked for once, with the credential', async () => {
  const resource = {
    uri: 'https://api.calendly.com/users/1',
    current_organization: 'https://api.calendly.com/organizations/2',
  }
  const { texts, requests } = await told('calendly', { resource })
  expect(texts).toEqual({ UserURI: resource.uri, OrganizationURI: resource.current_organization })
  expect(requests).toMatchObject([
    { method: 'GET', url: 'https://api.calendly.com/users/me', headers: { authorization: 'Bearer at' } },
  ])
})

test('a provider that refuses is not asked again; one that is down may tell later', async () => {
  expect((await told('slack', {}, {}, 403)).texts).toEqual({})
  await expect(told('slack', {}, {}, 503)).rejects.toMatchObject({ class: 'provider_5xx' })
  await expect(told('slack', {}, {}, 429)).rejects.toMatchObject({ class: 'rate_limited' })
})

test('only texts that can be kept are kept', () => {
  for (const value of ['', 'a\0b', '\ud800', 'x'.repeat(2_001), null, {}, [1]])
    expect(capturedText({ value }, { path: 'value' })).toBeUndefined()
  expect(capturedText({ value: 7 }, { path: 'value' })).toBe('7')
  expect(capturedText({ value: 'eu-west' }, { path: 'value', capture: '^(?<result>\\w+)-' })).toBe('eu')
})
