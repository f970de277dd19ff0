import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { apiEndpoints, commonEndpoints } from '../../packages/server/src/features/index.ts'
import { proxyDeclaration } from '../../packages/server/src/features/provider-calls/proxying/index.ts'
import { sampleCrmProviders } from '../../packages/server/src/features/sync/reading/reading.testkit.ts'
import {
  type Endpoint,
  neededRole,
  orgRoles,
  type Principal,
  permissions,
  type SessionPurpose,
  sessionPermissions,
  type Verdict,
} from '../../packages/server/src/kernel/http/index.ts'
import type { SampleRequest, SpecialCaller } from '../../packages/server/src/testkit/cases.ts'
import { loadCases } from '../../packages/server/src/testkit/load-cases.ts'
import { createTenant, pathOf, type Tenant } from '../../packages/server/src/testkit/tenant.ts'
import { startTestApp, type TestApp } from '../../packages/server/src/testkit/test-app.ts'
import { signInBuilder } from '../../packages/server/src/testkit/test-builder.ts'
import { createSigner, type TestSigner } from '../../packages/server/src/testkit/test-consumer.ts'
import { insertApiKey } from '../../packages/server/src/testkit/test-project.ts'
import { type Answer, expectProblem, expectRefusal, textOf } from '../problem-answer.testkit.ts'
import { openStoredRows, type StoredRows } from '../stored-rows.testkit.ts'
import type { Attack, Outcome } from './attack.ts'
import { Faults } from './faults.testkit.ts'

export const attack: Attack = {
  id: 'S2',
  title:
    'Every caller is answered at every endpoint as the table of permissions says, and who is refused changes nothing.',
  run,
}

/**
 * Every endpoint, called by everybody. Who may call is not said here: it is expected as `kernel/http/permissions.ts`
 * says, by the row that the endpoint names. The request, and what a permitted caller gets, stand beside the endpoint in
 * `NAME.cases.ts`.
 */
const cases = await loadCases()

interface CallerKind {
  is: Principal
  elsewhere?: boolean
  otherGroup?: boolean
  /** Purpose of the connect session whose token it is. */
  session?: SessionPurpose
}

/** Who calls: as whom the table of permissions sees them, and what else keeps them out. */
const callers = {
  nobody: { is: 'none' },
  garbage: { is: 'none' },
  'a key with a broken checksum': { is: 'none' },
  'an unknown key': { is: 'none' },
  'an inactive key': { is: 'none' },
  'a foreign bearer token': { is: 'none' },
  'a frontend key': { is: 'frontendKey' },
  'a full key': { is: 'fullKey' },
  'a full key as bearer token': { is: 'fullKey' },
  'a frontend key of another project': { is: 'frontendKey', elsewhere: true },
  'a full key of another project': { is: 'fullKey', elsewhere: true },
  'a consumer of the group': { is: 'consumer' },
  'a consumer of another group': { is: 'consumer', otherGroup: true },
  'a consumer of another project': { is: 'consumer', elsewhere: true },
  'an expired consumer token': { is: 'none' },
  'a consumer token of eleven minutes': { is: 'none' },
  'a consumer token without algorithm': { is: 'none' },
  'a consumer token signed with the public key': { is: 'none' },
  'a consumer token of an unknown key': { is: 'none' },
  'a consumer token of an inactive key': { is: 'none' },
  'a connect session': { is: 'consumer', session: 'connect' },
  'a connect session of another group': { is: 'consumer', session: 'connect', otherGroup: true },
  'an install session': { is: 'consumer', session: 'install' },
  'an install session of another group': { is: 'consumer', session: 'install', otherGroup: true },
  'a manage session': { is: 'consumer', session: 'manage' },
  'a manage session of another group': { is: 'consumer', session: 'manage', otherGroup: true },
  'a manage session of another project': { is: 'consumer', session: 'manage', elsewhere: true },
  'an expired connect session': { is: 'none' },
  'the token of a session that never was': { is: 'none' },
  'a viewer': { is: 'viewer' },
  'an operator': { is: 'operator' },
  'a developer': { is: 'developer' },
  'an owner': { is: 'owner' },
  'a builder of another organisation': { is: 'builder' },
  'a builder whose session has ended': { is: 'none' },
} satisfies Record<SpecialCaller | string, CallerKind>
type CallerName = keyof typeof callers
const callerNames = Object.keys(callers) as CallerName[]

const endpoints = [...commonEndpoints, ...apiEndpoints] as Endpoint[]
/**
 * The proxy is not declared as an endpoint: it takes any method, and any path below its own. The requests here lack
 * what it needs, and it says so.
 */
const relayed = (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) => ({
  declaration: { ...proxyDeclaration, id: `proxy:${method}`, method, path: `${proxyDeclaration.path}/x` },
})) as unknown as Endpoint[]
const isRole = (principal: Principal) => orgRoles.some((role) => role === principal)
const isRelayed = (id: string) => id.startsWith('proxy:')

interface Rig {
  app: TestApp
  crm: SampleCrm
  tenant: Tenant
  rows: StoredRows
  signers: Record<'own' | 'inactive' | 'theirs', TestSigner>
  inactiveKey: string
  theirFrontendKey: string
}

async function startRig(): Promise<Rig> {
  // Nothing runs in the background: what changes was changed by a request. Everybody calls from one address, and most
  // in vain.
  const env = { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api', MORTISE_RATE_LIMIT: '0' }
  const app = await startTestApp({ env })
  const crm = await startSampleCrm({ contacts: 3, rateLimit: 0 })
  const tenant = await createTenant(app, crm, { apiKey: app.apiKey, project: 'default', name: 'crm' })
  const rows = await openStoredRows(app.testDatabase.url)
  const { database } = app.testDatabase
  const inactiveKey = await insertApiKey({ database, keyring: app.keyring }, app.projectId, 'full')
  await sql`update api_keys set active = false where hint = ${inactiveKey.slice(-4)}`.execute(database.system)
  const theirFrontendKey = await insertApiKey({ database, keyring: app.keyring }, app.otherProject.id, 'frontend')
  const signers = {
    own: await createSigner(app),
    inactive: await createSigner(app),
    theirs: await createSigner(app, { apiKey: app.otherProject.apiKey, project: 'other' }),
  }
  const off = { updateMask: ['active'], jwtKey: { active: false } }
  await app.call('PATCH', `/projects/default/jwt-keys/${signers.inactive.kid}`, off)
  return { app, crm, tenant, rows, signers, inactiveKey, theirFrontendKey }
}

const callOf = ({ tenant, crm }: Rig, id: string): SampleRequest & { headers?: Record<string, string> } => {
  const { projectIdOrName } = tenant.ids
  if (isRelayed(id)) return { headers: { 'x-mortise-project-id': projectIdOrName } }
  return cases.request(id, tenant.ids, crm.url)
}
const statusOf = (id: string) => (isRelayed(id) ? 400 : cases.of(id).status)
/** The group and the consumer that the request of an endpoint names, or that what it names belongs to. */
function refsOf(rig: Rig, id: string): { groupRef: string; consumerRef: string } {
  const { groupRef, consumerRef } = rig.tenant.ids
  const { query, body } = callOf(rig, id)
  const named = { ...query, ...(body as object | undefined) } as { consumerRef?: string }
  return { groupRef, consumerRef: named.consumerRef ?? consumerRef }
}

/** Everybody's credentials, made anew for each endpoint: one of them ends sessions. */
async function credentials(rig: Rig, id: string): Promise<Record<CallerName, Record<string, string>>> {
  const { app, tenant, inactiveKey, theirFrontendKey } = rig
  const { own, inactive, theirs } = rig.signers
  const refs = refsOf(rig, id)
  const now = Math.floor(app.clock.now().getTime() / 1000)
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const unsigned = `${encode({ alg: 'none', kid: own.kid })}.${encode({ ...refs, iat: now, exp: now + 60 })}.`
  const another = await signInBuilder(app, { email: 'stranger@elsewhere.example' })
  const gone = await signInBuilder(app, { email: 'gone@crm.example', role: 'owner' })
  await app.call('DELETE', '/sessions/current', undefined, { apiKey: null, headers: gone.headers })
  const spare = { groupRef: tenant.spare.groupRef }
  const session = async (body: object, apiKey = app.apiKey, project = 'default') => {
    const path = `/projects/${project}/connect-sessions`
    const answer = await app.call<{ id: string; token: string }>('POST', path, { ...refs, ...body }, { apiKey })
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return bearer(answer.body.token)
  }
  const expired = await session({ purpose: 'manage' })
  await sql`update connect_sessions set expire_time = now() - interval '1 day' where id = (
    select id from connect_sessions order by create_time desc, id desc limit 1)`.execute(
    app.testDatabase.database.system,
  )
  return {
    nobody: {},
    garbage: { 'x-api-key': 'nonsense' },
    'a key with a broken checksum': {
      'x-api-key': `${app.apiKey.slice(0, -1)}${app.apiKey.at(-1) === 'x' ? 'y' : 'x'}`,
    },
    'an unknown key': { 'x-api-key': 'mortise_of_somebody_else' },
    'an inactive key': { 'x-api-key': inactiveKey },
    'a foreign bearer token': bearer('eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.'),
    'a frontend key': { 'x-api-key': app.frontendKey },
    'a full key': { 'x-api-key': app.apiKey },
    'a full key as bearer token': bearer(app.apiKey),
    'a frontend key of another project': { 'x-api-key': theirFrontendKey },
    'a full key of another project': { 'x-api-key': app.otherProject.apiKey },
    'a consumer of the group': bearer(await own.sign(refs)),
    'a consumer of another group': bearer(await own.sign({ ...refs, groupRef: tenant.spare.groupRef })),
    'a consumer of another project': bearer(await theirs.sign(refs)),
    'an expired consumer token': bearer(await own.sign({ ...refs, iat: now - 640, exp: now - 40 })),
    'a consumer token of eleven minutes': bearer(await own.sign({ ...refs, exp: now + 660 })),
    'a consumer token without algorithm': bearer(unsigned),
    'a consumer token signed with the public key': bearer(
      await own.sign(refs, { alg: 'HS256' }, Buffer.from(own.publicKeyPem)),
    ),
    'a consumer token of an unknown key': bearer(await own.sign(refs, { kid: app.app.services.newId() })),
    'a consumer token of an inactive key': bearer(await inactive.sign(refs)),
    'a connect session': await session({ purpose: 'connect', provider: 'sampleCrm' }),
    'a connect session of another group': await session({ purpose: 'connect', provider: 'sampleCrm', ...spare }),
    'an install session': await session({ purpose: 'install', integration: 'crm' }),
    'an install session of another group': await session({ purpose: 'install', integration: 'crm', ...spare }),
    'a manage session': await session({ purpose: 'manage' }),
    'a manage session of another group': await session({ purpose: 'manage', ...spare }),
    'a manage session of another project': await session({ purpose: 'manage' }, app.otherProject.apiKey, 'other'),
    'an expired connect session': expired,
    'the token of a session that never was': bearer(`connect_${'A'.repeat(43)}`),
    'a viewer': (await signInBuilder(app, { email: 'viewer@crm.example', role: 'viewer' })).headers,
    'an operator': (await signInBuilder(app, { email: 'operator@crm.example', role: 'operator' })).headers,
    'a developer': (await signInBuilder(app, { email: 'developer@crm.example', role: 'developer' })).headers,
    'an owner': (await signInBuilder(app, { email: 'owner@crm.example', role: 'owner' })).headers,
    'a builder of another organisation': another.headers,
    'a builder whose session has ended': gone.headers,
  }
}

const refusals: Record<Exclude<Verdict, 'allow'>, number> = { unauthenticated: 401, forbidden: 403, hidden: 404 }

function expected(
  rig: Rig,
  { declaration: { id, path, access, projectIn, session } }: Endpoint,
  name: CallerName,
): number {
  const caller: CallerKind = callers[name]
  const verdict: Verdict = permissions[access][caller.is]
  if (verdict !== 'allow') return refusals[verdict]
  const status = statusOf(id)
  const others: Partial<Record<string, number>> = isRelayed(id) ? {} : (cases.of(id).statusFor ?? {})
  if (access === 'public') return status
  if (caller.elsewhere && (projectIn || /\{(projectIdOrName|orgId)\}/.test(path))) return 404
  if (caller.session && (!session || sessionPermissions[session][caller.session] === 'forbidden')) return 403
  if (caller.session && id === 'getConnectSession') return 404
  const like = caller.session && caller.otherGroup ? 'a consumer of another group' : name
  if (others[like] !== undefined) return others[like]
  if (caller.otherGroup) {
    const { query, body } = callOf(rig, id)
    if ('groupRef' in { ...query, ...(body as object | undefined) } || path.includes('{groupRef}')) return 403
    if (/\{(connectionId|installationId)\}/.test(path)) return 404
  }
  return status
}

async function callAs(rig: Rig, headers: Record<string, string>, { declaration }: Endpoint): Promise<Answer> {
  const { app, tenant } = rig
  const { method, path, id } = declaration
  const { query, body, headers: more } = callOf(rig, id)
  const answer = await fetch(`${app.url}${pathOf(path, method === 'DELETE' ? tenant.missing : tenant.ids, query)}`, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...more, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await textOf(answer) }
}

async function run(): Promise<Outcome> {
  const faults = new Faults()
  const rig = await startRig()
  try {
    let cells = 0
    let wrong = 0
    for (const endpoint of [...endpoints, ...relayed]) {
      const answers = await walk(rig, endpoint, faults)
      cells += answers.length
      wrong += answers.filter(({ expected, answered }) => expected !== answered).length
    }
    await faults.check('another project’s key is answered as if the project were not there', () => lookAway(rig))
    const figures = { endpoints: endpoints.length, callers: callerNames.length, cells, wrong }
    return { passed: wrong === 0, figures, faults: faults.list }
  } finally {
    await rig.rows.close()
    await rig.app.stop()
    await rig.crm.close()
  }
}

/** Calls one endpoint as everybody: first those who are refused, between two looks at all rows. */
async function walk(rig: Rig, endpoint: Endpoint, faults: Faults) {
  const { id, access } = endpoint.declaration
  const { app, crm, rows } = rig
  const headers = await credentials(rig, id)
  const passes = statusOf(id)
  const cells = callerNames.map((caller) => ({ caller, expected: expected(rig, endpoint, caller), answered: 0 }))
  const secrets = [
    app.apiKey,
    app.frontendKey,
    app.otherProject.apiKey,
    crm.apiKey,
    ...Object.values(headers).flatMap(({ authorization }) => authorization?.slice('Bearer '.length) ?? []),
  ]
  const ask = async (cell: (typeof cells)[number]) => {
    const answer = await callAs(rig, headers[cell.caller], endpoint)
    cell.answered = answer.status
    const what = `${id} called by ${cell.caller}`
    if (answer.status !== cell.expected)
      faults.add(`${what} is answered ${answer.status}, not ${cell.expected}: ${answer.text.slice(0, 500)}`)
    if (answer.status >= 400) await faults.check(what, () => expectRefusal(answer, endpoint, secrets))
    if (permissions[access][callers[cell.caller].is] === 'forbidden' && isRole(callers[cell.caller].is))
      await faults.check(`${what} names the role`, () =>
        expect(expectProblem(answer).context).toMatchObject({ neededRole: neededRole(access) }),
      )
  }
  const before = await rows.fingerprint()
  for (const cell of cells.filter(({ expected }) => expected !== passes)) await ask(cell)
  if ((await rows.fingerprint()) !== before) faults.add(`${id}: a refused caller changes rows.`)
  const calls = await toolCalls(app)
  for (const cell of cells.filter(({ expected }) => expected === passes)) await ask(cell)
  if (id === 'callTool') {
    const stored = calls + cells.filter(({ answered }) => answered === passes).length
    await expect.poll(() => toolCalls(app)).toBe(stored)
  }
  return cells
}

/** Number of calls of tools that are stored: a call that only reads is stored a moment after its response. */
async function toolCalls({ testDatabase }: TestApp): Promise<number> {
  const { rows } = await sql`select from operations where action_type = 'tool'`.execute(testDatabase.database.system)
  return rows.length
}

async function lookAway(rig: Rig): Promise<void> {
  const endpoint = endpoints.find(({ declaration }) => declaration.id === 'getProject')
  const { 'a full key of another project': headers } = await credentials(rig, 'getProject')
  const theirs = expectProblem(await callAs(rig, headers, endpoint!))
  const missing = await rig.app.call<typeof theirs>('GET', '/projects/no-such-project')
  const { requestId, instance, time, ...rest } = missing.body
  expect(theirs).toMatchObject(rest)
}
