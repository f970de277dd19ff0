import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiOperations } from '../packages/server/src/features/index.ts'
import { sampleCrmProviders } from '../packages/server/src/features/reading/reading.testkit.ts'
import { newId } from '../packages/server/src/kernel/db/index.ts'
import { type Operation, permissions } from '../packages/server/src/kernel/http/index.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { type Answer, expectProblem, textOf } from './problem-answer.testkit.ts'
import { openStoredRows, type StoredRows } from './stored-rows.testkit.ts'
import { calls, createTenant, type Ids, pathOf, type Tenant } from './tenant.testkit.ts'

/** What belongs to another project looks exactly like what is not there, wherever it is named: in a path, a query or a body. */

let app: TestApp
let crm: SampleCrm
let caller: Tenant
let owner: Tenant
let rows: StoredRows

beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api' } })
  crm = await startSampleCrm({ contacts: 3, rateLimit: 0 })
  owner = await createTenant(app, crm, { apiKey: app.apiKey, project: 'default', name: 'theirs' })
  caller = await createTenant(app, crm, { apiKey: app.otherProject.apiKey, project: 'other', name: 'ours' })
  rows = await openStoredRows(app.testDatabase.url)
})
afterAll(async () => {
  await rows?.close()
  await app?.stop()
  await crm?.close()
})

const operations = apiOperations as Operation[]

function requestOf({ declaration }: Operation, ids: Ids): { path: string; body: string | undefined } {
  const { query, body } = calls(ids, crm.url)[declaration.id] ?? {}
  return { path: pathOf(declaration.path, ids, query), body: body === undefined ? undefined : JSON.stringify(body) }
}

async function send(
  { declaration: { method, access } }: Operation,
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
  const { requestId, instance, time, ...rest } = JSON.parse(text.replaceAll(id, '(the id)')) as Record<string, unknown>
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
  'groupRef',
  'consumerRef',
] as const
const reads = (operation: Operation, key: (typeof swapped)[number]) => {
  if (
    ['generateConnection', 'oauthConnect', 'customAuthConnect', 'createConnectSession'].includes(
      operation.declaration.id,
    ) &&
    key === 'groupRef'
  )
    return false
  const request = (id: string) =>
    JSON.stringify(requestOf(operation, { ...caller.ids, [key]: id })).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '')
  return request('a') !== request('b')
}

describe('another project’s ids', () => {
  it('are tried at every operation that takes some', () => {
    const tried = operations.filter((operation) => swapped.some((key) => reads(operation, key)))
    const names = (list: Operation[]) => list.map(({ declaration }) => declaration.id)
    expect(names(operations.filter((operation) => !tried.includes(operation))).toSorted()).toEqual([
      'acceptInvite',
      'changePassword',
      'checkClaimedDomain',
      'createOrg',
      'createSession',
      'endSession',
      'exchangeSignInCode',
      'finishSingleSignOn',
      'getClient',
      'getMyInfo',
      'getProvider',
      'getResult',
      'listProjects',
      'listProviders',
      'listTokenKeys',
      'putUpload',
      'refreshSession',
      'showAmpCliPage',
      'showCliConsentPage',
      'showConnectPage',
      'showCustomAuthCallback',
      'showInvitePage',
      'showOAuthCallback',
      'showSetupPage',
      'showSignInPage',
      'showSignedInPage',
      'startOAuth',
      'startSingleSignOn',
      'submitAmpCli',
      'submitCliConsent',
      'submitConnectPage',
      'submitCustomAuthCallback',
      'submitInvite',
      'submitOAuthCallback',
      'submitSetup',
      'submitSignIn',
      'submitSignOut',
    ])
  })

  it.each(operations.map((operation) => [operation.declaration.id, operation] as const))(
    'look like missing ones to %s',
    async (_, operation) => {
      for (const key of swapped.filter((key) => reads(operation, key))) {
        const missing = key === 'projectIdOrName' ? 'no-such-project' : key === 'orgId' ? newId() : caller.missing[key]
        const before = await rows.fingerprint()
        const theirs = await send(operation, requestOf(operation, { ...caller.ids, [key]: owner.ids[key] }))
        const nothing = await send(operation, requestOf(operation, { ...caller.ids, [key]: missing }))
        expect(withoutChance(theirs, owner.ids[key]), key).toEqual(withoutChance(nothing, missing))
        if (theirs.status === 200) expect(theirs.text, key).toBe('[]')
        else {
          expect([400, 404, 422], theirs.text).toContain(theirs.status)
          expectProblem(theirs)
        }
        expect(await rows.fingerprint(), `${key} of another project changed a row`).toBe(before)
      }
    },
  )

  it('are not found by the id of the project either', async () => {
    const theirs = await app.call<{ detail: string }>('GET', `/projects/${app.projectId}`, undefined, {
      apiKey: caller.apiKey,
    })
    const nothing = await app.call<{ detail: string }>('GET', `/projects/${caller.missing.connectionId}`, undefined, {
      apiKey: caller.apiKey,
    })
    expect([theirs.status, theirs.body.detail]).toEqual([404, nothing.body.detail])
  })
})

it('a list holds nothing of another project', async () => {
  const foreign = Object.entries(owner.ids).filter(
    ([key]) => !['objectName', 'provider', 'projectIdOrName'].includes(key),
  )
  for (const operation of operations.filter(({ declaration }) => declaration.id.startsWith('list'))) {
    const { text, status } = await send(operation, requestOf(operation, caller.ids))
    expect(status).toBe(200)
    for (const [key, id] of foreign) expect(text.includes(id), `${operation.declaration.id} tells ${key}`).toBe(false)
  }
})
