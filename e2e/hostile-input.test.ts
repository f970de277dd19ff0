import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import fc from 'fast-check'
import { Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiOperations, commonOperations } from '../packages/server/src/features/index.ts'
import { sampleCrmProviders } from '../packages/server/src/features/reading/reading.testkit.ts'
import { type Operation, permissions } from '../packages/server/src/kernel/http/index.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { signInBuilder } from '../packages/server/src/testkit/test-builder.ts'
import { hostileJson, hostileRequest, type WireRequest } from './hostile-request.testkit.ts'
import { type Answer, expectProblem, expectRefusal } from './problem-answer.testkit.ts'
import { openStoredRows, type StoredRows } from './stored-rows.testkit.ts'
import { calls, createTenant, manifest, pathOf, type Tenant } from './tenant.testkit.ts'

/**
 * Whatever arrives gets an answer, and bad input a problem that says what to do; nothing is half done. Requests are made from a seed
 * that a failure prints; MORTISE_FUZZ_SEED and MORTISE_FUZZ_RUNS (of each operation) ask for others.
 */

const seed = Number(process.env['MORTISE_FUZZ_SEED'] ?? 20_260_101)
const numRuns = Number(process.env['MORTISE_FUZZ_RUNS'] ?? 30)
/** Longer than any answer takes on a busy machine. */
const patienceMs = 60_000

const operations = [...commonOperations, ...apiOperations] as Operation[]
let app: TestApp
let crm: SampleCrm
let tenant: Tenant
let rows: StoredRows
let wire: Pool

beforeAll(async () => {
  // Nothing runs in the background: what changes was changed by a request.
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api' } })
  crm = await startSampleCrm({ contacts: 3, rateLimit: 0 })
  tenant = await createTenant(app, crm, { apiKey: app.apiKey, project: 'default', name: 'crm' })
  rows = await openStoredRows(app.testDatabase.url)
  wire = new Pool(app.url, { connections: 2, headersTimeout: patienceMs, bodyTimeout: patienceMs })
})
afterAll(async () => {
  await wire?.destroy()
  await rows?.close()
  await app?.stop()
  await crm?.close()
})

/** Sends a request without making its path any better. */
async function send(
  method: string,
  { path, body, contentType }: WireRequest,
  credential: Record<string, string> = { 'x-api-key': app.apiKey },
): Promise<Answer> {
  const answer = await wire.request({
    method: method as 'GET',
    path,
    headers: { ...credential, ...(contentType !== undefined && { 'content-type': contentType }) },
    body: body ?? null,
  })
  const { statusCode: status, headers } = answer
  if (headers['content-type'] !== 'text/event-stream') return { status, headers, text: await answer.body.text() }
  // It ends when its reader goes.
  answer.body.on('error', () => undefined).destroy()
  return { status, headers, text: '' }
}

/** A key where keys may call; else an owner of the organisation, signed in anew: one operation ends sessions. */
async function credentialFor({ access }: Operation['declaration']): Promise<Record<string, string>> {
  if (permissions[access].fullKey === 'allow') return { 'x-api-key': app.apiKey }
  return (await signInBuilder(app, { email: 'owner@crm.example', role: 'owner' })).headers
}

/** These count attempts, refused ones above all. */
const counting = ['createSession', 'changePassword']

const secrets = () => [app.apiKey, app.frontendKey, app.otherProject.apiKey, crm.apiKey]

describe('hostile requests to', () => {
  it.each(operations.map(({ declaration }) => [declaration.id, declaration] as const))(
    '%s are answered, and what is refused changes nothing',
    async (id, declaration) => {
      const { method } = declaration
      // What a good request would remove is left for the operations that follow.
      // A connection that a request may point elsewhere is not the one that others ask through.
      const used = id === 'updateConnection' ? { ...tenant.ids, connectionId: tenant.spare.connectionId } : tenant.ids
      const ids = method === 'DELETE' ? tenant.missing : used
      const named = id === 'createInstallation' ? tenant.spare : tenant.ids
      const requests = hostileRequest(declaration, { ...ids }, calls(named, crm.url)[id] ?? {})
      const credential = await credentialFor(declaration)
      let before = await rows.fingerprint()
      const tally = { accepted: 0, refused: 0 }
      await fc.assert(
        fc.asyncProperty(requests, async (request) => {
          const answer = await send(method, request, credential)
          const after = await rows.fingerprint()
          const unchanged = after === before
          before = after
          tally[answer.status < 300 ? 'accepted' : 'refused']++
          if (answer.status < 400) return
          expect(answer.status, answer.text).toBeLessThan(500)
          expectRefusal(answer, { declaration }, secrets())
          expect(unchanged || counting.includes(id), `${answer.status} changed a row`).toBe(true)
        }),
        { seed, numRuns: declaration.body ? numRuns : Math.ceil(numRuns / 3), endOnFailure: true },
      )
      if (declaration.body) {
        if (tally.accepted === 0) {
          const { query, body } = calls(named, crm.url)[id] ?? {}
          const text = Buffer.from(JSON.stringify(body ?? {}))
          const good = { path: pathOf(declaration.path, ids, query), body: text, contentType: 'application/json' }
          const { status } = await send(method, good, credential)
          expect(status, 'none got in, but a good one does').toBeGreaterThanOrEqual(400)
        }
        expect(tally.refused).toBeGreaterThan(0)
      }
      expect(Object.keys(Object.prototype)).toEqual([])
      expect('polluted' in {}).toBe(false)
    },
    patienceMs + numRuns * 2_000,
  )

  it.each(['PUT', 'POST'] as const)('a deploy (%s) by a hostile manifest are answered', async (method) => {
    const path = `/v1/projects/default/integrations:${method === 'PUT' ? 'batch' : 'validate'}`
    let before = await rows.fingerprint()
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(hostileJson(manifest), async (sourceYaml) => {
        const body = Buffer.from(JSON.stringify({ sourceYaml }))
        const answer = await send(method, { path, body, contentType: 'application/json' })
        statuses.add(answer.status)
        const after = await rows.fingerprint()
        const unchanged = after === before
        before = after
        expect([200, 400, 422], answer.text).toContain(answer.status)
        if (answer.status === 200) return
        expectProblem(answer, secrets())
        expect(unchanged, 'a refused deploy changed a row').toBe(true)
      }),
      { seed, numRuns, endOnFailure: true },
    )
    expect(statuses).toContain(200)
  })

  it('the service are no error of its own', async () => {
    const { status } = await app.call('GET', '//readyz')
    expect(status).toBe(200)
    const levels = app.logs.map((line) => JSON.parse(line) as { level: number })
    expect(levels.filter(({ level }) => level >= 50)).toEqual([])
  })
})
