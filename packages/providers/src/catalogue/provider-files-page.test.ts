import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { createConnector, loadCatalogue } from '../index.ts'
import { filterNames } from '../interpreter/quoting.ts'
import { plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import { ProviderFileOutline } from './format/provider-file.ts'
import { Webhooks } from './format/webhooks.ts'
import { readProviderFile } from './read-provider-file.ts'

/** docs/provider-files.md stays true: its examples pass the check. */

const page = readFileSync(new URL('../../../../docs/provider-files.md', import.meta.url), 'utf8')

it('the guide names every filter', () => {
  const said = /\*\*Templates\.\*\*[\s\S]*?\n\n[\s\S]*?\n\n/.exec(page)?.[0] ?? ''
  expect(filterNames.filter((filter) => !said.includes(`\`${filter}\``))).toEqual([])
})

const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text)

it.each(examples)('an example passes the check: %s', (text) => {
  const shown = parse(text) as Record<string, unknown>
  const isOfFile = Object.keys(shown).every((key) => key in ProviderFileOutline.properties)
  const base = { name: 'example', baseUrl: 'https://api.example.com', authentication: [{ scheme: 'none' }] }
  const listed = { read: { path: '/contacts', query: { since: '{{since}}' } }, incremental: {} }
  const webhooks = webhooksWith(shown)
  const file = isOfFile
    ? { ...base, objects: { contacts: { read: { path: '/contacts' } } }, ...shown }
    : webhooks
      ? { ...base, objects: { contacts: listed, events: listed, meetings: listed }, webhooks }
      : { ...base, objects: { contacts: { read: { path: '/contacts' }, ...shown } } }
  const name = (file as { name: string }).name
  expect(readProviderFile(`${name}.yaml`, stringify(file)).faults).toBeUndefined()
})

/** Webhooks with a part of them that the guide shows; undefined for an example of something else. */
function webhooksWith(shown: Record<string, unknown>): Record<string, unknown> | undefined {
  const isPart = (schema: { properties: object }) => Object.keys(shown).every((key) => key in schema.properties)
  const event = { name: 'type', id: ['id'] }
  const own = { endpoint: 'installation', event, objects: { contacts: { create: ['contact.created'] } } }
  if ('secret' in shown)
    return { ...own, verify: { by: 'hmac', algorithm: 'sha256', encoding: 'hex', header: 'X-Signature', ...shown } }
  if ('key' in shown)
    return {
      ...own,
      verify: { by: 'publicKey', algorithm: 'rsaSha256', encoding: 'base64', header: 'X-Signature', ...shown },
    }
  if (!isPart(Webhooks)) return undefined
  if (shown['endpoint'] === 'app') {
    const key = { from: 'url', url: 'https://keys.example.com/certs' }
    const verify = { by: 'oidc', header: 'Authorization', issuers: ['x'], email: 'sender', toleranceSeconds: 60, key }
    return { verify, objects: { events: { changed: ['mailbox.changed'] } }, ...shown }
  }
  const create = { path: '/hooks', body: { url: '{{url}}', secret: '{{secret}}' } }
  const registration = { per: 'installation', create, id: 'id' }
  return { ...own, registration, verify: { by: 'token', header: 'X-Token', secret: { from: 'generated' } }, ...shown }
}

const contacts = Array.from({ length: 5 }, (_, index) => ({
  id: `c${index}`,
  name: `Contact ${index}`,
  updated_at: `2026-01-0${index + 1}T00:00:00.000Z`,
}))

/** The API that the example describes. */
function sampleCrm({ url, headers }: SeenRequest) {
  if (headers['x-api-key'] !== 'good-key') return { status: 401, body: { error: { message: 'Unknown key.' } } }
  if (url.pathname === '/me') return { body: { user: 'me' } }
  if (url.pathname === '/schema/contacts') {
    return {
      body: [
        { name: 'id', label: 'Id', type: 'text', read_only: true },
        { name: 'stage', label: 'Stage', type: 'select', options: ['new', 'won'], custom: true, required: true },
        { name: 'rank', label: 'Rank', type: 'select', options: [{ value: '1', label: 'First' }] },
      ],
    }
  }
  const since = url.searchParams.get('updated_since') ?? ''
  const limit = Number(url.searchParams.get('limit'))
  const from = Number(url.searchParams.get('cursor') ?? 0)
  const found = contacts.filter(({ updated_at }) => updated_at >= since)
  const next = from + limit < found.length ? String(from + limit) : null
  return { body: { data: found.slice(from, from + limit), next_cursor: next, total: found.length } }
}

it('the example, dropped into a folder, connects, describes and reads', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'mortise-providers-'))
  await using server = await startServer(sampleCrm)
  try {
    await writeFile(join(dir, 'sampleCrm.yaml'), /```yaml\n(name: sampleCrm\n[\s\S]*?)```/.exec(page)?.[1] ?? '')
    const catalogue = await loadCatalogue({ cacheDir: testCache, providerDirs: [dir] })
    expect(catalogue.faults).toEqual([])
    const entry = catalogue.find('sampleCrm')
    if (entry === undefined) throw new Error('not in the catalogue')
    expect(entry).toMatchObject({ authType: 'apiKey', implemented: { read: true } })
    expect(entry.objects).toEqual(['contacts'])

    const connect = (apiKey: string) =>
      createConnector(
        entry,
        { metadata: { baseUrl: `${server.origin}/` }, credential: { scheme: 'apiKey', apiKey } },
        plainHttp(fetch),
      )
    const connector = connect('good-key')
    await connector.checkHealth()
    await expect(connect('bad-key').checkHealth()).rejects.toMatchObject({
      class: 'auth_invalidated',
      providerMessage: 'Unknown key.',
    })

    const { fields } = await connector.describeObject('contacts')
    expect(fields).toEqual({
      id: {
        fieldName: 'id',
        displayName: 'Id',
        valueType: 'string',
        providerType: 'text',
        readOnly: true,
        isCustom: false,
        isRequired: false,
      },
      stage: {
        fieldName: 'stage',
        displayName: 'Stage',
        valueType: 'singleSelect',
        providerType: 'select',
        readOnly: false,
        isCustom: true,
        isRequired: true,
        values: [
          { value: 'new', displayValue: 'new' },
          { value: 'won', displayValue: 'won' },
        ],
      },
      rank: expect.objectContaining({ values: [{ value: '1', displayValue: 'First' }] }) as unknown,
    })

    const first = await connector.readPage({ object: 'contacts', fields: ['Name'], pageSize: 3 })
    expect(first.total).toBe(5)
    expect(first.records[0]).toEqual({ id: 'c0', fields: { name: 'Contact 0' }, raw: contacts[0] })
    const last = await connector.readPage({
      object: 'contacts',
      fields: ['Name'],
      pageSize: 3,
      page: first.nextPage ?? '',
    })
    expect(last.records.map(({ id }) => id)).toEqual(['c3', 'c4'])
    expect(last.nextPage).toBeUndefined()
    const since = new Date('2026-01-04T00:00:00Z')
    const changed = await connector.readPage({ object: 'contacts', fields: 'all', since })
    expect(changed.records.map(({ fields: all }) => all['id'])).toEqual(['c3', 'c4'])
  } finally {
    await rm(dir, { recursive: true })
  }
})
