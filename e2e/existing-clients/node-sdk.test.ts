import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiEndpoints } from '../../packages/server/src/features/index.ts'
import { sampleCrmProviders } from '../../packages/server/src/features/sync/reading/reading.testkit.ts'
import { type Endpoint, permissions } from '../../packages/server/src/kernel/http/index.ts'
import { loadCases } from '../../packages/server/src/testkit/load-cases.ts'
import { createTenant, pathOf, type Tenant } from '../../packages/server/src/testkit/tenant.ts'
import { startTestApp, type TestApp } from '../../packages/server/src/testkit/test-app.ts'
import { expectMembers, expectTimes } from './answers.testkit.ts'

/**
 * What the older Node SDK relies on (contract 8.6): it takes the exact success code that its description names and
 * refuses any other, and parses answers strictly: a required member that is missing or null fails the call.
 */

const integration = 'id projectId name provider createTime latestRevision'
const connection = 'id projectId provider group consumer createTime authScheme status'
const installation = 'id projectId integrationId healthStatus connection createTime createdBy config'
const project = 'id name appName orgId createTime'
const providerApp = 'id projectId provider clientId createTime'
const apiKey = 'key label scopes projectId'
const jwtKey = 'id projectId label algorithm publicKeyPem active createTime updateTime'
const destination = 'id name type metadata createTime'
const topic = 'id name projectId createTime'
const eventRoute = 'id eventType topicId projectId createTime'
const destinationRoute = 'id topicId destinationId projectId createTime'
const operation = 'id projectId integrationId installationId configId actionType status'
const org = 'id label defaultTeamId createTime'
const invite = 'id invitedEmail parentType parentId status createTime'
const provider = 'name authType baseURL support providerOpts'
const [empty, gone] = ['', [204, '']] as const

/**
 * The one success code, and the members that must be there: of each item where the answer is a list; '' for an empty
 * body.
 */
const expected: Record<string, readonly [status: number, members: string]> = {
  listProviders: [200, 'sampleCrm'],
  getProvider: [200, provider],
  listProjects: [200, project],
  createProject: [201, project],
  getProject: [200, project],
  updateProject: [200, project],
  listProviderApps: [200, providerApp],
  createProviderApp: [200, providerApp],
  updateProviderApp: [200, providerApp],
  listIntegrations: [200, integration],
  createIntegration: [201, empty],
  getIntegration: [200, integration],
  batchUpsertIntegrations: [200, integration],
  createRevision: [201, empty],
  getHydratedRevision: [200, 'id specVersion createTime content'],
  generateUploadUrl: [200, 'url bucket path'],
  listConnections: [200, connection],
  generateConnection: [201, connection],
  getConnection: [200, connection],
  updateConnection: [200, connection],
  listInstallations: [200, installation],
  createInstallation: [201, installation],
  getInstallation: [200, installation],
  updateInstallation: [200, installation],
  patchObjectConfigContent: [200, installation],
  listInstallationsForProject: [200, installation],
  getObjectMetadataForInstallation: [200, 'name fields'],
  getObjectMetadataForConnection: [200, 'name fields'],
  triggerRead: [201, 'operationId'],
  pauseReads: [204, empty],
  unpauseReads: [204, empty],
  listOperations: [200, 'results pagination'],
  getBackfillProgress: [200, 'installationId objectName operationId recordsProcessed'],
  getOperation: [200, operation],
  listOperationLogs: [200, 'timestamp severity message'],
  listApiKeys: [200, apiKey],
  createApiKey: [201, apiKey],
  getApiKey: [200, apiKey],
  updateApiKey: [200, apiKey],
  createJWTKey: [201, 'kid'],
  listJWTKeys: [200, jwtKey],
  getJWTKey: [200, jwtKey],
  updateJWTKey: [200, jwtKey],
  createDestination: [201, destination],
  listDestinations: [200, destination],
  getDestination: [200, destination],
  updateDestination: [200, destination],
  createTopic: [201, topic],
  listTopics: [200, topic],
  updateTopic: [200, topic],
  createEventTopicRoute: [201, eventRoute],
  listEventTopicRoutes: [200, eventRoute],
  createTopicDestinationRoute: [201, destinationRoute],
  listTopicDestinationRoutes: [200, destinationRoute],
  createOrg: [201, org],
  getOrg: [200, org],
  updateOrg: [200, org],
  listOrgBuilders: [200, 'id idpProvider idpRef createTime'],
  createOrgInvite: [201, invite],
  listOrgInvites: [200, invite],
  getOrgInvite: [200, invite],
  addUserToOrg: [201, empty],
  getMyInfo: [200, 'builder projectRoles'],
  acceptInvite: [200, 'builder projectRoles'],
  checkClaimedDomain: [200, 'id parentType parentId domain'],
  // An empty body in the contract; the client reads none, so that a body is an addition.
  claimDomain: [201, 'id parentType parentId domain'],
  listOrgClaimedDomains: [200, 'id parentType parentId domain'],
  deleteEventTopicRoute: gone,
  deleteTopicDestinationRoute: gone,
  deleteTopic: gone,
  deleteInstallation: gone,
  deleteConnection: gone,
  deleteIntegration: gone,
  deleteDestination: gone,
  deleteProviderApp: gone,
  deleteApiKey: gone,
  deleteJWTKey: gone,
  deleteOrgInvite: gone,
}

/**
 * What the request of `calls` cannot succeed with, because what it makes is there already or what it asks for is not.
 */
const tried = new Set(Object.keys(expected))
for (const id of [
  'createRevision',
  'createInstallation',
  'createEventTopicRoute',
  'createTopicDestinationRoute',
  'deleteTopicDestinationRoute',
  'getBackfillProgress',
  'addUserToOrg',
  'acceptInvite',
  'checkClaimedDomain',
  // Goes with the last installation on it.
  'deleteConnection',
])
  tried.delete(id)

const cases = await loadCases()
let app: TestApp
let crm: SampleCrm
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api' } })
  crm = await startSampleCrm({ contacts: 3, rateLimit: 0 })
  tenant = await createTenant(app, crm, { apiKey: app.apiKey, project: 'default', name: 'crm' })
})
afterAll(async () => {
  await app?.stop()
  await crm?.close()
})

const declarations = new Map(
  (apiEndpoints as Endpoint[]).map(({ declaration }) => [declaration.id, declaration] as const),
)
const declarationOf = (id: string) => {
  const found = declarations.get(id)
  if (!found) throw new Error(`${id} is not declared`)
  return found
}

test.each(Object.entries(expected))('%s has one success code, and it is %j', (id, [status, members]) => {
  const { reply } = declarationOf(id)
  const successes = Object.keys(reply).filter((code) => Number(code) < 300)
  expect(successes).toEqual([String(status)])
  const schema = reply[status] as unknown as { type?: string }
  expect(schema.type === 'null').toBe(members === empty)
})

describe('in the order of a whole life', () => {
  test.each([...tried])('%s', async (id) => {
    const [status, members] = expected[id] ?? [0, '']
    const { method, path, access } = declarationOf(id)
    const { query, body } = cases.request(id, tenant.ids, crm.url)
    const asKey = access === 'public' || permissions[access].fullKey === 'allow'
    const answer = await app.call(method, `/${pathOf(path, tenant.ids, query)}`, body, {
      apiKey: asKey ? app.apiKey : null,
      headers: {
        accept: 'application/json;q=1, application/problem+json;q=0',
        'user-agent': 'speakeasy-sdk/typescript',
        ...(!asKey && tenant.owner),
      },
    })
    expect(answer.status, JSON.stringify(answer.body)).toBe(status)
    expectTimes(answer.body)
    if (members === empty) return expect(answer.body).toBe('')
    expect(answer.headers.get('content-type')).toMatch(/^application\/json(;|$)/)
    const items: unknown[] = Array.isArray(answer.body) ? answer.body : [answer.body]
    if (id !== 'listOperationLogs') expect(items).not.toEqual([])
    for (const item of items) expectMembers(item, members)
  })
})

test('every provider has what it requires, its old options too', async () => {
  const { body } = await app.call<Record<string, object>>('GET', '/providers')
  for (const info of Object.values(body)) {
    expectMembers(info, provider)
    expect(info).toMatchObject({ providerOpts: {} })
  }
})

test.each([
  ['POST', '/projects/default/groups', { groupRef: 'g', groupName: 'G' }],
  ['POST', '/projects/default/consumers', { consumerRef: 'c', consumerName: 'C' }],
  ['DELETE', '/projects/default', undefined],
])('%s %s, which the interface has no more, is a 404 that changes nothing', async (method, path, body) => {
  expect((await app.call(method, path, body)).status).toBe(404)
  expect((await app.call('GET', '/projects/default')).status).toBe(200)
})
