import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import fc from 'fast-check'
import { Pool } from 'undici'
import { expect } from 'vitest'
import { apiEndpoints, commonEndpoints } from '../../packages/server/src/features/index.ts'
import { sampleCrmProviders } from '../../packages/server/src/features/sync/reading/reading.testkit.ts'
import { type Endpoint, permissions } from '../../packages/server/src/kernel/http/index.ts'
import { loadCases } from '../../packages/server/src/testkit/load-cases.ts'
import { createTenant, manifest, pathOf, type Tenant } from '../../packages/server/src/testkit/tenant.ts'
import { startTestApp, type TestApp } from '../../packages/server/src/testkit/test-app.ts'
import { signInBuilder } from '../../packages/server/src/testkit/test-builder.ts'
import { hostileJson, hostileRequest, type WireRequest } from '../hostile-request.testkit.ts'
import { type Answer, expectProblem, expectRefusal } from '../problem-answer.testkit.ts'
import { openStoredRows, type StoredRows } from '../stored-rows.testkit.ts'
import type { Attack, Outcome } from './attack.ts'
import { Faults } from './faults.testkit.ts'
import { timed } from './processor-time.testkit.ts'

export const attack: Attack = {
  id: 'S1',
  title:
    'Hostile inputs to every endpoint are answered within 2 s, never by a 5xx, and what is refused changes nothing.',
  run,
}

/** Requests are made from a seed; MORTISE_FUZZ_SEED and MORTISE_FUZZ_RUNS (of each endpoint) ask for others. */
const seed = Number(process.env['MORTISE_FUZZ_SEED'] ?? 20_260_101)
const slowMs = 2_000
/** Longer than any answer takes on a busy machine. */
const patienceMs = 60_000
const chunkSize = 50
/** Of a chunk of the long form, these are sent one by one between two looks at all rows, and the others together. */
const checkedOfChunk = 5
const together = 4

const cases = await loadCases()

interface Rig {
  app: TestApp
  crm: SampleCrm
  tenant: Tenant
  rows: StoredRows
  wire: Pool
  long: boolean
  faults: Faults
  tally: {
    requests: number
    accepted: number
    answers5xx: number
    providerAway: number
    badDocuments: number
    slowestMs: number
  }
}

async function run({ long }: { long: boolean }): Promise<Outcome> {
  const faults = new Faults()
  // Nothing runs in the background: what changes was changed by a request.
  const env = { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api' }
  const app = await startTestApp({ env, logLevel: 'warn' })
  const crm = await startSampleCrm({ contacts: 3, rateLimit: 0 })
  const tenant = await createTenant(app, crm, { apiKey: app.apiKey, project: 'default', name: 'crm' })
  const rows = await openStoredRows(app.testDatabase.url)
  const wire = new Pool(app.url, { connections: together, headersTimeout: patienceMs, bodyTimeout: patienceMs })
  const tally = { requests: 0, accepted: 0, answers5xx: 0, providerAway: 0, badDocuments: 0, slowestMs: 0 }
  const rig: Rig = { app, crm, tenant, rows, wire, long, faults, tally }
  try {
    const endpoints = [...commonEndpoints, ...apiEndpoints] as Endpoint[]
    for (const { declaration } of endpoints) await attackEndpoint(rig, declaration)
    for (const method of ['PUT', 'POST']) await attackByManifest(rig, method)
    const { status } = await app.call('GET', '//readyz')
    if (status !== 200) faults.add(`The service is not ready: ${status}.`)
    const errors = app.logs.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)
    if (errors.length > 0) faults.add(`The log has ${errors.length} errors: ${errors[0]?.slice(0, 500)}`)
    if ('polluted' in {} || Object.keys(Object.prototype).length > 0) faults.add('Object.prototype was changed.')
    const figures = { endpoints: endpoints.length, ...tally, slowestMs: Math.round(tally.slowestMs) }
    return { passed: tally.answers5xx + tally.badDocuments === 0, figures, faults: faults.list }
  } finally {
    await wire.destroy()
    await rows.close()
    await app.stop()
    await crm.close()
  }
}

function inputsOf(long: boolean, hasBody: boolean): number {
  const asked = process.env['MORTISE_FUZZ_RUNS']
  if (asked !== undefined) return Number(asked)
  return long ? 2_000 : hasBody ? 30 : 10
}

async function attackEndpoint(rig: Rig, declaration: Endpoint['declaration']): Promise<void> {
  const { tenant, crm, faults, tally } = rig
  const { id, method } = declaration
  const named = cases.of(id).usesSpareGroup ? tenant.spare : tenant.ids
  // What a good request would delete is left for the endpoints that follow.
  const ids = method === 'DELETE' ? tenant.missing : named
  const call = cases.request(id, named, crm.url)
  const requests = hostileRequest(declaration, { ...ids }, call)
  const credential = await credentialFor(rig, declaration)
  const inputs = inputsOf(rig.long, declaration.body !== undefined)
  const before = { ...tally }
  await sendAll(rig, id, requests, inputs, async (request) => {
    const answer = await send(rig, method, request, credential)
    return { answer, check: () => expectRefusal(answer, { declaration }, secretsOf(rig)) }
  })
  if (!declaration.body) return
  const accepted = tally.accepted - before.accepted
  if (accepted === inputs) faults.add(`${id}: nothing is refused.`)
  if (accepted > 0) return
  const body = Buffer.from(JSON.stringify(call.body ?? {}))
  const good = { path: pathOf(declaration.path, ids, call.query), body, contentType: 'application/json' }
  const { status } = await send(rig, method, good, credential)
  if (status < 400) faults.add(`${id}: no input got in, but a good one does.`)
}

/** Deploys, and validates, manifests with hostile parts. */
async function attackByManifest(rig: Rig, method: string): Promise<void> {
  const path = `/v1/projects/default/integrations:${method === 'PUT' ? 'batch' : 'validate'}`
  const headers = { 'x-api-key': rig.app.apiKey }
  const before = { ...rig.tally }
  await sendAll(rig, path, hostileJson(manifest), inputsOf(rig.long, true), async (sourceYaml) => {
    const body = Buffer.from(JSON.stringify({ sourceYaml }))
    const answer = await send(rig, method, { path, body, contentType: 'application/json' }, headers)
    if (![200, 400, 422].includes(answer.status)) rig.faults.add(`${path}: answers ${answer.status}.`)
    return { answer, check: () => expectProblem(answer, secretsOf(rig)) }
  })
  if (rig.tally.accepted === before.accepted) rig.faults.add(`${path}: none of the manifests is accepted.`)
}

/** An input can name an address where nothing listens; that is told as 502. */
function isProviderAway({ status, text }: Answer): boolean {
  return status === 502 && /"code":"provider-un(?:available|reachable)"/.test(text)
}

/** Sends inputs and looks at each answer; in the long form, at all rows only around one of ten. */
async function sendAll<T>(
  rig: Rig,
  id: string,
  inputs: fc.Arbitrary<T>,
  count: number,
  ask: (input: T) => Promise<{ answer: Answer; check: () => unknown }>,
): Promise<void> {
  const { rows, tally, faults, long } = rig
  const one = async (input: T): Promise<Answer> => {
    const { result, ms } = await timed(() => ask(input))
    const { answer, check } = result
    tally.requests++
    tally.slowestMs = Math.max(tally.slowestMs, ms)
    if (answer.status < 300) tally.accepted++
    const isAway = isProviderAway(answer)
    if (isAway) tally.providerAway++
    else if (answer.status >= 500) tally.answers5xx++
    const what = `${id} (seed ${seed}): ${fc.stringify(input).slice(0, 300)}`
    if (ms > slowMs) faults.add(`${what} takes ${Math.round(ms)} ms.`)
    if (answer.status >= 500 && !isAway) faults.add(`${what} answers ${answer.text.slice(0, 300)}`)
    else if (answer.status >= 400) {
      const known = faults.list.length
      await faults.check(what, check)
      tally.badDocuments += faults.list.length - known
    }
    return answer
  }
  const mayChange = !id.startsWith('/') && cases.of(id).countsRefusals
  for (let sent = 0; sent < count; sent += chunkSize) {
    const numRuns = Math.min(chunkSize, count - sent)
    const chunk = fc.sample(inputs, { numRuns, seed: seed + sent })
    const others = long ? chunk.splice(checkedOfChunk) : []
    let before = await rows.fingerprint()
    for (const input of chunk) {
      const answer = await one(input)
      if (id === 'callTool') await callLogged(rig, answer)
      const { status } = answer
      const after = await rows.fingerprint()
      if (status >= 400 && after !== before && !mayChange)
        faults.add(`${id} (seed ${seed}): ${status} changed a row: ${fc.stringify(input).slice(0, 300)}`)
      before = after
    }
    const next = async () => {
      for (let input = others.pop(); input !== undefined; input = others.pop()) await one(input)
    }
    await Promise.all(Array.from({ length: together }, next))
  }
}

/** Waits for the operation of a call: one that only reads is stored a moment after its response. */
async function callLogged({ app }: Rig, { text }: Answer): Promise<void> {
  const [, operationId] = /"operationId":"([0-9a-f-]{36})"/.exec(text) ?? []
  if (operationId === undefined) return
  const path = `/projects/default/operations/${operationId}`
  await expect.poll(async () => (await app.call('GET', path)).status).toBe(200)
}

/** Sends a request without making its path any better. */
async function send(
  { wire }: Rig,
  method: string,
  { path, body, contentType }: WireRequest,
  credential: Record<string, string>,
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

/** A key where keys may call; else an owner of the organization, signed in again: one endpoint ends sessions. */
async function credentialFor({ app }: Rig, { access }: Endpoint['declaration']): Promise<Record<string, string>> {
  if (permissions[access].fullKey === 'allow') return { 'x-api-key': app.apiKey }
  return (await signInBuilder(app, { email: 'owner@crm.example', role: 'owner' })).headers
}

function secretsOf({ app, crm }: Rig): string[] {
  return [app.apiKey, app.frontendKey, app.otherProject.apiKey, crm.apiKey]
}
