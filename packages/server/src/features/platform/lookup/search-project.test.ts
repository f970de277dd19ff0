import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { type InstallationKit, startInstallationKit } from '../../../testkit/installation-kit.ts'
import type { SearchResult } from './model.ts'

let kit: InstallationKit
let ids: { installation: string; integration: string; connection: string; revision: string; operation: string }
let message: string
let destination: string
beforeAll(async () => {
  kit = await startInstallationKit()
  const connection = await kit.connect('acme-1', { groupName: 'ACME Rockets', consumerName: 'Ada 100%' })
  const created = (await kit.create('acme-1', { contacts: {} })).body
  const { projectId } = kit.app
  const [operation, config] = [newId(), newId()]
  ids = {
    installation: created.id,
    integration: created.integrationId,
    connection,
    revision: created.config.revisionId,
    operation,
  }
  await run(sql`insert into operations (project_id, id, integration_id, installation_id, config_id, action_type, resource, status)
    values (${projectId}, ${operation}, ${ids.integration}, ${created.id}, ${config}, 'read', 'contacts', 'success')`)
  const made = await kit.app.call<{ id: string }>('POST', '/projects/default/destinations', {
    name: 'Rocket-Hook',
    type: 'webhook',
    metadata: { url: 'https://example.com/hook' },
  })
  destination = made.body.id
  message = newId()
  await run(sql`insert into messages (project_id, id, destination_id, destination_name, kind, installation_id, payload, payload_bytes)
    values (${projectId}, ${message}, ${destination}, 'Rocket-Hook', 'read', ${created.id}, '{}', 2)`)
  await run(sql`insert into groups (project_id, group_ref, group_name) values
    (${projectId}, 'pct', '100% Widgets'), (${projectId}, 'under', 'a_b'), (${projectId}, 'rocket', 'Other'),
    (${projectId}, 'inner', 'The rockets of others')`)
})
afterAll(() => kit?.stop())

const run = (statement: ReturnType<typeof sql>) => statement.execute(kit.app.db.sql)
const search = async (query: string) => {
  const path = `/projects/default/search?${new URLSearchParams({ query })}`
  const { status, body } = await kit.app.call<{ results: SearchResult[] }>('GET', path)
  expect(status).toBe(200)
  return body.results
}
const found = async (query: string) => (await search(query)).map(({ kind, id }) => `${kind} ${id}`)

describe('a search', () => {
  it('finds a resource by its id, with what it belongs to', async () => {
    expect(await search(ids.installation)).toEqual([
      {
        kind: 'installation',
        id: ids.installation,
        name: 'ACME Rockets',
        integrationId: ids.integration,
        groupRef: 'acme-1',
      },
    ])
    expect(await search(message)).toEqual([
      {
        kind: 'message',
        id: message,
        name: 'Rocket-Hook',
        installationId: ids.installation,
        destinationId: destination,
      },
    ])
    expect(await search(ids.operation.toUpperCase())).toEqual([
      {
        kind: 'operation',
        id: ids.operation,
        name: 'contacts',
        installationId: ids.installation,
        integrationId: ids.integration,
      },
    ])
    for (const kind of ['connection', 'integration', 'revision'] as const)
      expect(await found(ids[kind])).toEqual([`${kind} ${ids[kind]}`])
    expect(await found(destination)).toEqual([`destination ${destination}`])
    expect(await found(newId())).toEqual([])
  })

  it('finds names and refs in any case: the whole name, its beginning, a part of it', async () => {
    expect(await found('ROCKET')).toEqual(['group rocket', `destination ${destination}`, 'group acme-1', 'group inner'])
    expect(await found('acme')).toEqual(['group acme-1'])
    expect((await search('acme'))[0]).toEqual({ kind: 'group', id: 'acme-1', name: 'ACME Rockets' })
    expect(await found('crm')).toEqual([`integration ${ids.integration}`])
  })

  it('takes wildcards as plain characters', async () => {
    expect(await found('100%')).toEqual(['group pct', 'consumer ada'])
    expect(await found('a_b')).toEqual(['group under'])
    expect(await found('%')).toEqual(['group pct', 'consumer ada'])
    expect(await found('\\')).toEqual([])
  })

  it('returns at most 20 results, and nothing of another project', async () => {
    await run(sql`insert into groups (project_id, group_ref, group_name)
      select ${kit.app.projectId}, 'many-' || n, 'Many ' || n from generate_series(1, 30) n`)
    expect(await search('many')).toHaveLength(20)
    const { apiKey, id } = kit.app.otherProject
    for (const query of ['many', ids.installation]) {
      const other = await kit.app.call('GET', `/projects/${id}/search?query=${query}`, undefined, { apiKey })
      expect(other.body).toEqual({ results: [] })
    }
  })

  it.each(['', 'x'.repeat(201), 'a\0b'])('refuses %j', async (query) => {
    const { status } = await kit.app.call('GET', `/projects/default/search?${new URLSearchParams({ query })}`)
    expect(status).toBe(400)
  })
})

describe('the filter `query` of groups and consumers', () => {
  const refs = async (list: string, query: string, more = '') => {
    const path = `/projects/default/${list}?${new URLSearchParams({ query })}${more}`
    const { body } = await kit.app.call<{ groupRef?: string; consumerRef?: string }[]>('GET', path)
    return body.map(({ groupRef, consumerRef }) => groupRef ?? consumerRef)
  }

  it('finds a part of the ref or the name in any case, in the order of the list', async () => {
    expect(await refs('groups', 'ROCKETS')).toEqual(['acme-1', 'inner'])
    expect(await refs('groups', '%')).toEqual(['pct'])
    expect(await refs('consumers', '100%')).toEqual(['ada'])
    expect(await refs('groups', 'rocket', '&pageSize=2')).toEqual(['acme-1', 'inner'])
  })
})
