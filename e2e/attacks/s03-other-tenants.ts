import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { expect } from 'vitest'
import { apiEndpoints } from '../../packages/server/src/features/index.ts'
import { sampleCrmProviders } from '../../packages/server/src/features/sync/reading/reading.testkit.ts'
import { newId } from '../../packages/server/src/kernel/db/index.ts'
import { type Endpoint, permissions } from '../../packages/server/src/kernel/http/index.ts'
import { loadCases } from '../../packages/server/src/testkit/load-cases.ts'
import { createTenant, type Ids, pathOf, type Tenant } from '../../packages/server/src/testkit/tenant.ts'
import { startTestApp, type TestApp } from '../../packages/server/src/testkit/test-app.ts'
import { type Answer, expectProblem, textOf } from '../problem-answer.testkit.ts'
import { openStoredRows, type StoredRows } from '../stored-rows.testkit.ts'
import type { Attack, Outcome } from './attack.ts'
import { Faults } from './faults.testkit.ts'

export const attack: Attack = {
  id: 'S3',
  title: 'Ids of another project look like missing ones, wherever a request names them: in its path, query or body.',
  run,
}

interface Rig {
  app: TestApp
  crm: SampleCrm
  caller: Tenant
  owner: Tenant
  rows: StoredRows
}

const endpoints = apiEndpoints as Endpoint[]
const cases = await loadCases()

function requestOf({ crm }: Rig, { declaration }: Endpoint, ids: Ids): { path: string; body: string | undefined } {
  const { query, body } = cases.request(declaration.id, ids, crm.url)
  return { path: pathOf(declaration.path, ids, query), body: body === undefined ? undefined : JSON.stringify(body) }
}

async function send(
  { app, caller }: Rig,
  { declaration: { method, access } }: Endpoint,
  { path, body }: { path: string; body: string | undefined },
): Promise<Answer> {
  const isForKeys = permissions[access].fullKey === 'allow'
  const answer = await fetch(`${app.url}${path}`, {
    method,
    headers: {
      accept: 'application/json, */*;q=0.1',
      ...(isForKeys ? { 'x-api-key': caller.apiKey } : caller.owner),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await textOf(answer) }
}

/** An answer without what differs in each, and with the id that was asked for in one spelling. */
function withoutChance({ status, text }: Answer, id: string): unknown {
  if (!text.startsWith('{')) return { status, text }
  const answer = JSON.parse(text.replaceAll(id, '(the id)')) as Record<string, unknown>
  // A cursor has a hash of the filters of its request.
  const { requestId, instance, time, nextCursor, ...rest } = answer
  return { status, ...rest }
}

/** The ids of a request that are names of rows; a group is what its caller calls so, and connecting makes it. */
const swapped = [
  'projectIdOrName',
  'orgId',
  'builderId',
  'inviteId',
  'claimedDomainId',
  'apiKey',
  'keyId',
  'integrationIdOrName',
  'integrationId',
  'revisionId',
  'installationId',
  'connectionId',
  'providerAppId',
  'connectSessionId',
  'destination',
  'topicId',
  'routeId',
  'messageId',
  'replayId',
  'operationId',
  'approvalId',
  'signInId',
  'agentSessionId',
  'groupRef',
  'consumerRef',
] as const
function reads(rig: Rig, endpoint: Endpoint, key: (typeof swapped)[number]): boolean {
  if (key === 'groupRef' && cases.of(endpoint.declaration.id).createsGroup) return false
  const request = (id: string) =>
    JSON.stringify(requestOf(rig, endpoint, { ...rig.caller.ids, [key]: id })).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '')
  return request('a') !== request('b')
}

/** Whether ids of a tenant are expected in the request of an endpoint. */
function takesIds({ declaration: { id, access, path } }: Endpoint): boolean {
  if (access !== 'public') return !cases.of(id).namesNoIds
  return swapped.some((key) => path.includes(`{${key}}`))
}

async function run({ long }: { long: boolean }): Promise<Outcome> {
  const faults = new Faults()
  const app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api' } })
  const crm = await startSampleCrm({ contacts: 3, rateLimit: 0 })
  const owner = await createTenant(app, crm, { apiKey: app.apiKey, project: 'default', name: 'theirs' })
  const caller = await createTenant(app, crm, { apiKey: app.otherProject.apiKey, project: 'other', name: 'ours' })
  const rows = await openStoredRows(app.testDatabase.url)
  const rig: Rig = { app, crm, caller, owner, rows }
  try {
    const untried = endpoints.filter((endpoint) => !swapped.some((key) => reads(rig, endpoint, key)))
    await faults.check('ids are tried at every endpoint that takes some', () =>
      expect(untried.map(({ declaration }) => declaration.id)).toEqual(
        endpoints.filter((endpoint) => !takesIds(endpoint)).map(({ declaration }) => declaration.id),
      ),
    )
    const tally = { endpoints: endpoints.length - untried.length, swaps: 0, foreignAnswers: 0, changedRows: 0 }
    const times: Times = { missing: [], differences: [] }
    for (let round = long ? 10 : 1; round > 0; round--)
      for (const endpoint of endpoints)
        for (const key of swapped.filter((key) => reads(rig, endpoint, key)))
          await swap(rig, endpoint, key, { tally, times, faults })
    await faults.check('the id of the project', () => swapProjectId(rig))
    for (const endpoint of endpoints.filter(({ declaration }) => declaration.id.startsWith('list')))
      await faults.check(`${endpoint.declaration.id} holds nothing of another project`, () => readList(rig, endpoint))
    const figures = { ...tally, medianMs: median(times.missing), medianDifferenceMs: median(times.differences) }
    // A foreign id must not be told from a missing one by the time that it takes. The short form sends too few.
    if (long && Math.abs(figures.medianDifferenceMs) > 0.5)
      faults.add('Foreign ids take another time than missing ones.')
    return { passed: tally.foreignAnswers + tally.changedRows === 0, figures, faults: faults.list }
  } finally {
    await rows.close()
    await app.stop()
    await crm.close()
  }
}

/** Milliseconds. */
interface Times {
  missing: number[]
  /** By how much the same request took longer with a foreign id. */
  differences: number[]
}

interface Found {
  tally: { swaps: number; foreignAnswers: number; changedRows: number }
  times: Times
  faults: Faults
}

/** Sends a request with one id of another project, and the same with an id of nothing. */
async function swap(rig: Rig, endpoint: Endpoint, key: (typeof swapped)[number], found: Found): Promise<void> {
  const { caller, owner, rows } = rig
  const { tally, times, faults } = found
  const missing = key === 'projectIdOrName' ? 'no-such-project' : key === 'orgId' ? newId() : caller.missing[key]
  const before = await rows.fingerprint()
  const ask = async (id: string) => {
    const start = performance.now()
    const answer = await send(rig, endpoint, requestOf(rig, endpoint, { ...caller.ids, [key]: id }))
    return { answer, ms: performance.now() - start }
  }
  tally.swaps++
  // Neither of the two finds less warmed up than the other: one request goes before both, and chance says which of them
  // is next.
  await ask(missing)
  const early = Math.random() < 0.5 ? undefined : await ask(missing)
  const foreign = await ask(owner.ids[key])
  const absent = early ?? (await ask(missing))
  times.missing.push(absent.ms)
  times.differences.push(foreign.ms - absent.ms)
  const [theirs, nothing] = [foreign.answer, absent.answer]
  const known = faults.list.length
  await faults.check(`${endpoint.declaration.id} with ${key} of another project`, () => {
    expect(withoutChance(theirs, owner.ids[key])).toEqual(withoutChance(nothing, missing))
    if (theirs.status === 200) expect(holdsNothing(theirs.text), theirs.text).toBe(true)
    else {
      expect([400, 404, 409, 422], theirs.text).toContain(theirs.status)
      expectProblem(theirs)
    }
  })
  tally.foreignAnswers += faults.list.length - known
  if ((await rows.fingerprint()) === before) return
  tally.changedRows++
  faults.add(`${endpoint.declaration.id}: ${key} of another project changed a row.`)
}

/** A stream without events, an empty list, an empty page of one, or counts in which nothing happened. */
function holdsNothing(text: string): boolean {
  if (text === '') return true
  const answer = JSON.parse(text) as
    | unknown[]
    | { results: { counts?: Record<string, number> }[]; result?: { tools: unknown[] }; isError?: boolean }
  if (Array.isArray(answer)) return answer.length === 0
  // Of a tool that the group does not have, and of MCP.
  if (answer.isError !== undefined) return answer.isError
  if (answer.result) return answer.result.tools.length === 0
  return answer.results.every(({ counts }) => counts && Object.values(counts).every((count) => count === 0))
}

async function swapProjectId({ app, caller }: Rig): Promise<void> {
  const of = (id: string) =>
    app.call<{ detail: string }>('GET', `/projects/${id}`, undefined, { apiKey: caller.apiKey })
  const theirs = await of(app.projectId)
  const nothing = await of(caller.missing.connectionId)
  expect([theirs.status, theirs.body.detail]).toEqual([404, nothing.body.detail])
}

async function readList(rig: Rig, endpoint: Endpoint): Promise<void> {
  const foreign = Object.entries(rig.owner.ids).filter(
    ([key]) => !['objectName', 'provider', 'projectIdOrName', 'toolName'].includes(key),
  )
  const { text, status } = await send(rig, endpoint, requestOf(rig, endpoint, rig.caller.ids))
  // The list of groups is refused for the destination of the tenant: `delivery/by-group.test.ts` tries others.
  expect(status).toBe(cases.of(endpoint.declaration.id).status)
  for (const [key, id] of foreign) expect(text.includes(id), `tells ${key}`).toBe(false)
}

function median(times: number[]): number {
  return Math.round((times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0) * 100) / 100
}
