import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiOperations, commonOperations } from '../packages/server/src/features/index.ts'
import { sampleCrmProviders } from '../packages/server/src/features/reading/reading.testkit.ts'
import type { Operation } from '../packages/server/src/kernel/http/index.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { insertApiKey } from '../packages/server/src/testkit/test-project.ts'
import { type Answer, expectProblem } from './problem-answer.testkit.ts'
import { openStoredRows, type StoredRows } from './stored-rows.testkit.ts'
import { calls, createTenant, pathOf, type Tenant } from './tenant.testkit.ts'

/** Every operation, called by everybody. */

/**
 * Who may call, and what the call is answered when it is let through: requests are those of `calls`, a DELETE of what is not there.
 */
const table: Record<string, ['public' | 'frontend' | 'full', number]> = {
  getHealth: ['public', 200],
  getReadiness: ['public', 200],
  getMetrics: ['public', 200],
  getProblemPage: ['public', 404],
  listProjects: ['full', 200],
  getProject: ['frontend', 200],
  listIntegrations: ['frontend', 200],
  batchUpsertIntegrations: ['full', 200],
  validateManifest: ['full', 200],
  getIntegration: ['frontend', 200],
  deleteIntegration: ['full', 404],
  generateUploadUrl: ['full', 200],
  putUpload: ['public', 403],
  generateConnection: ['frontend', 201],
  listConnections: ['frontend', 200],
  getConnection: ['frontend', 200],
  deleteConnection: ['frontend', 404],
  createInstallation: ['frontend', 400],
  listInstallations: ['frontend', 200],
  listInstallationsForProject: ['frontend', 200],
  getInstallation: ['frontend', 200],
  updateInstallation: ['frontend', 200],
  deleteInstallation: ['frontend', 404],
  patchObjectConfigContent: ['frontend', 200],
  listOperations: ['full', 200],
  getOperation: ['full', 200],
  listOperationLogs: ['full', 200],
  triggerRead: ['full', 201],
  pauseReads: ['full', 204],
  unpauseReads: ['full', 204],
  getBackfillProgress: ['full', 404],
  createDestination: ['full', 201],
  listDestinations: ['full', 200],
  getDestination: ['full', 200],
  updateDestination: ['full', 200],
  deleteDestination: ['full', 404],
  getResult: ['public', 403],
}

const operations = [...commonOperations, ...apiOperations] as Operation[]
const principals = [
  'no key',
  'garbage',
  'a key with a broken checksum',
  'an unknown key',
  'an inactive key',
  'a foreign bearer token',
  'a frontend key',
  'a full key',
  'a full key as bearer token',
  'a key of another project',
] as const
type Principal = (typeof principals)[number]

let app: TestApp
let crm: SampleCrm
let tenant: Tenant
let rows: StoredRows
let headers: Record<Principal, Record<string, string>>

beforeAll(async () => {
  // Nothing runs in the background: what changes was changed by a request.
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api' } })
  crm = await startSampleCrm({ contacts: 3, rateLimit: 0 })
  tenant = await createTenant(app, crm, { apiKey: app.apiKey, project: 'default', name: 'crm' })
  rows = await openStoredRows(app.testDatabase.url)
  const { database } = app.testDatabase
  const inactive = await insertApiKey({ database, keyring: app.keyring }, app.projectId, 'full')
  await sql`update api_keys set active = false where hint = ${inactive.slice(-4)}`.execute(database.system)
  const last = app.apiKey.at(-1)
  headers = {
    'no key': {},
    garbage: { 'x-api-key': 'nonsense' },
    'a key with a broken checksum': { 'x-api-key': `${app.apiKey.slice(0, -1)}${last === 'x' ? 'y' : 'x'}` },
    'an unknown key': { 'x-api-key': 'mortise_of_somebody_else' },
    'an inactive key': { 'x-api-key': inactive },
    'a foreign bearer token': { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.' },
    'a frontend key': { 'x-api-key': app.frontendKey },
    'a full key': { 'x-api-key': app.apiKey },
    'a full key as bearer token': { authorization: `Bearer ${app.apiKey}` },
    'a key of another project': { 'x-api-key': app.otherProject.apiKey },
  }
})
afterAll(async () => {
  await rows?.close()
  await app?.stop()
  await crm?.close()
})

function expected(operation: Operation, principal: Principal): number {
  const { id, path } = operation.declaration
  const [access, granted] = table[id]!
  if (access === 'public') return granted
  switch (principal) {
    case 'a full key':
    case 'a full key as bearer token':
      return granted
    case 'a frontend key':
      return access === 'full' ? 403 : granted
    case 'a key of another project':
      return path.includes('{projectIdOrName}') ? 404 : granted
    default:
      return 401
  }
}

async function callAs(principal: Principal, { declaration }: Operation): Promise<Answer> {
  const { method, path, id } = declaration
  const { query, body } = calls(tenant.ids, crm.url)[id] ?? {}
  const answer = await fetch(`${app.url}${pathOf(path, method === 'DELETE' ? tenant.missing : tenant.ids, query)}`, {
    method,
    headers: { ...headers[principal], ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() }
}

it('every operation has its row, and is declared as the row says', () => {
  const declared = operations.map(({ declaration: { id, access } }) => [id, access])
  expect(Object.fromEntries(declared)).toEqual(
    Object.fromEntries(Object.entries(table).map(([id, [access]]) => [id, access])),
  )
  expect(Object.keys(calls(tenant.ids)).toSorted()).toEqual(Object.keys(table).toSorted())
})

describe('who may call', () => {
  it.each(operations.map((operation) => [operation.declaration.id, operation] as const))(
    '%s',
    async (id, operation) => {
      const cells = principals.map((principal) => ({ principal, status: expected(operation, principal) }))
      const granted = table[id]?.[1]
      const [admitted, refused] = [
        cells.filter(({ status }) => status === granted),
        cells.filter(({ status }) => status !== granted),
      ]
      const before = await rows.fingerprint()
      let lastText = ''
      const answered: { principal: Principal; status: number }[] = []
      const ask = async ({ principal }: { principal: Principal }) => {
        const answer = await callAs(principal, operation)
        answered.push({ principal, status: answer.status })
        lastText = answer.text
        if (answer.status >= 400)
          expectProblem(answer, [app.apiKey, app.frontendKey, app.otherProject.apiKey, crm.apiKey])
        return answer
      }
      for (const cell of refused) await ask(cell)
      expect(await rows.fingerprint(), 'a refused caller changes nothing').toBe(before)
      for (const cell of admitted) await ask(cell)
      expect(answered, lastText).toEqual([...refused, ...admitted])
    },
  )

  it('another project’s key is answered as if the project were not there', async () => {
    const [operation] = operations.filter(({ declaration }) => declaration.id === 'getProject')
    const theirs = expectProblem(await callAs('a key of another project', operation!))
    const missing = await app.call<typeof theirs>('GET', '/projects/no-such-project')
    const { requestId, instance, time, ...rest } = missing.body
    expect(theirs).toMatchObject(rest)
  })
})
