import { describe, expect, it } from 'vitest'
import { readProviderFile } from './catalogue/read-provider-file.ts'
import { createConnector } from './index.ts'
import { entryOf } from './testing/provider.testkit.ts'

const yaml = `name: test
baseUrl: https://api.example.com
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
objects:
  calls:
    displayName: Calls
    fields: [{ source: static, fields: { title: string } }]
    write: { create: { path: /calls } }
`

describe('an object that can only be written', () => {
  const entry = entryOf(yaml)
  const asked: string[] = []
  const connector = createConnector(
    entry,
    { metadata: {}, credential: { scheme: 'apiKey', apiKey: 'key' } },
    async ({ method, url }) => {
      asked.push(`${method} ${url}`)
      return { status: 201, headers: {}, body: '{"id":7}' }
    },
  )

  it('is no capability to read, and is told from the others in the catalogue', () => {
    expect(entry.implemented).toMatchObject({ read: false, write: true, search: false })
    expect(entry).toMatchObject({ objects: ['calls'], onlyWritten: ['calls'] })
    expect(connector.canRead('calls')).toBe(false)
    expect(connector.canFilter('calls')).toBe(false)
  })

  it('is written and described by its declared fields; a read is refused before anything is asked', async () => {
    const refused = { class: 'unsupported_object', message: 'test cannot read "calls" here.' }
    await expect(connector.readPage({ object: 'calls', fields: 'all' })).rejects.toMatchObject(refused)
    await expect(
      connector.search({ object: 'calls', fields: 'all', filters: [{ field: 'a', operator: 'eq', value: 1 }] }),
    ).rejects.toMatchObject({ class: 'unsupported_object' })
    expect(asked).toEqual([])
    expect(await connector.describeObject('calls')).toMatchObject({
      displayName: 'Calls',
      fields: { title: { valueType: 'string' } },
    })
    expect(await connector.write({ object: 'calls', type: 'create', record: { title: 'a' } })).toMatchObject({
      recordId: '7',
    })
    expect(asked).toEqual(['POST https://api.example.com/calls'])
  })

  it('has to be good for something, and nothing that builds on a read', () => {
    const faults = (object: string) =>
      readProviderFile('test.yaml', yaml.replace(/ {4}displayName[\s\S]*$/, object)).faults?.map(
        ({ path, message }) => `${path}: ${message}`,
      )
    expect(faults('    displayName: Calls\n')).toEqual([
      'objects.calls: objects.calls needs at least one of "read", "write" and "get".',
    ])
    expect(
      faults(`    incremental: { filter: { timestamp: a } }
    search: { path: /search }
    fields: [{ source: sample }]
    write: { create: { path: /calls } }
`),
    ).toEqual([
      'objects.calls.incremental: objects.calls.incremental needs "read", which the object does not have.',
      'objects.calls.search: objects.calls.search needs "read", which the object does not have.',
      'objects.calls.fields.0: objects.calls.fields.0 needs "read", which the object does not have.',
    ])
  })
})
