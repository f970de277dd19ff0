import { generateKeyPairSync } from 'node:crypto'
import { sql } from 'kysely'
import { postMessages } from '../packages/server/src/features/messaging/destinations/index.ts'
import { deploy } from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import { newId } from '../packages/server/src/kernel/db/index.ts'
import { pathParameters, publicPath } from '../packages/server/src/kernel/http/routes.ts'
import type { TestApp } from '../packages/server/src/testkit/test-app.ts'
import { signInBuilder } from '../packages/server/src/testkit/test-builder.ts'

/** Names one of everything that a project and its organisation can hold, as the paths of the operations call it. */
export interface Ids {
  projectIdOrName: string
  orgId: string
  /** Id of a member of the organization. */
  builderId: string
  inviteId: string
  /** Id of a claim that is verified. */
  claimedDomainId: string
  /** Id of an API key that nobody calls with. */
  apiKey: string
  /** Id of a JWT key. */
  keyId: string
  integrationIdOrName: string
  integrationId: string
  revisionId: string
  installationId: string
  connectionId: string
  providerAppId: string
  connectSessionId: string
  provider: string
  destination: string
  topicId: string
  routeId: string
  messageId: string
  replayId: string
  operationId: string
  objectName: string
  groupRef: string
  consumerRef: string
}

/** A project with one of everything. */
export interface Tenant {
  apiKey: string
  /** Headers of an owner of the organisation, for what no key may call. */
  owner: { authorization: string }
  ids: Ids
  /** Ids of the project that name nothing. */
  missing: Ids
  /** The same with another group and its connection, which nothing is installed on. */
  spare: Ids
}

/** The parts of a request below the method and the path of its operation. */
export interface Call {
  query?: Record<string, string>
  body?: unknown
}

/**
 * Fills a project through the API: an integration, a connection, an installation of it, a destination, an operation.
 */
export async function createTenant(
  app: TestApp,
  crm: { url: string; apiKey: string },
  { apiKey, project, name }: { apiKey: string; project: string; name: string },
): Promise<Tenant> {
  const as: TestApp = { ...app, call: (method, path, body) => app.call(method, inProject(path), body, { apiKey }) }
  const inProject = (path: string) => path.replace('/projects/default/', `/projects/${project}/`)
  const groupRef = `${name}-group`
  const consumerRef = `${name}-person`
  const { orgId } = (await as.call<{ orgId: string }>('GET', `/projects/${project}`)).body
  const owner = await signInBuilder(app, { email: `owner@${name}.example`, orgId, role: 'owner' })
  const member = await signInBuilder(app, { email: `colleague@${name}.example`, orgId, role: 'member' })
  const invite = await app.call<{ id: string }>(
    'POST',
    `/orgs/${orgId}/invites`,
    { email: `guest@${name}.example` },
    { apiKey: null, headers: owner.headers },
  )
  const claim = await app.call<{ id: string }>(
    'POST',
    '/claimed-domains',
    { domain: `mail.${name}.example`, parentType: 'org', parentId: orgId },
    { apiKey: null, headers: owner.headers },
  )
  // No name server is asked about a claim that is verified.
  const { system } = app.testDatabase.database
  await sql`update claimed_domains set verify_time = now() where id = ${claim.body.id}`.execute(system)
  const spareKey = await created(as, '/projects/default/api-keys', { label: 'spare' })
  const jwtKey = await created(as, '/projects/default/jwt-keys', newJwtKey())
  const destination = await created(as, '/projects/default/destinations', {
    name: 'hook',
    type: 'webhook',
    metadata: { url: `${crm.url}/hooks` },
  })
  const message = await posted(app, as, project)
  const replay = await as.call<{ id: string }>('POST', '/projects/default/messages:replay', {
    messageIds: [message.id],
  })
  const topic = await created(as, '/projects/default/topics', { name: 'errors' })
  const route = await created(as, '/projects/default/notification-event-topic-routes', {
    eventType: 'connection.error',
    topicId: topic.id,
  })
  await created(as, '/projects/default/topic-destination-routes', { topicId: topic.id, destinationId: destination.id })
  await deploy(as, name)
  const integration = (
    await as.call<{ id: string; latestRevision: { id: string } }>('GET', `/projects/default/integrations/${name}`)
  ).body
  const connect = (group: string) =>
    created(as, '/projects/default/connections:generate', {
      groupRef: group,
      consumerRef,
      provider: 'sampleCrm',
      apiKey: crm.apiKey,
      providerMetadata: { url: crm.url },
    })
  const connection = await connect(groupRef)
  const providerApp = (
    await as.call<{ id: string }>('POST', '/projects/default/provider-apps', {
      provider: 'salesforce',
      clientId: 'a-client',
      clientSecret: 'a-client-secret',
    })
  ).body
  const connectSession = await created(as, '/projects/default/connect-sessions', {
    groupRef,
    consumerRef,
    provider: 'sampleCrm',
  })
  const installation = await created(as, `/projects/default/integrations/${name}/installations`, {
    groupRef,
    connectionId: connection.id,
    config,
  })
  const { operationId } = await created(as, `//read/v1/projects/default/integrations/${name}/objects/contacts`, {
    groupRef,
    mode: 'async',
  })
  const ids: Ids = {
    projectIdOrName: project,
    orgId,
    builderId: member.builderId,
    inviteId: invite.body.id,
    claimedDomainId: claim.body.id,
    apiKey: spareKey.id,
    keyId: jwtKey.kid,
    integrationIdOrName: name,
    integrationId: integration.id,
    revisionId: integration.latestRevision.id,
    installationId: installation.id,
    connectionId: connection.id,
    providerAppId: providerApp.id,
    connectSessionId: connectSession.id,
    provider: 'sampleCrm',
    destination: destination.id,
    topicId: topic.id,
    routeId: route.id,
    messageId: message.id,
    replayId: replay.body.id,
    operationId,
    objectName: 'contacts',
    groupRef,
    consumerRef,
  }
  const missing = Object.fromEntries(
    Object.keys(ids).map((key) => [key, key === 'projectIdOrName' ? project : key === 'orgId' ? orgId : newId()]),
  ) as unknown as Ids
  const spareGroup = `${name}-spare`
  const spareConnection = await connect(spareGroup)
  return {
    apiKey,
    owner: owner.headers,
    ids,
    missing,
    spare: { ...ids, groupRef: spareGroup, connectionId: spareConnection.id },
  }
}

const config = {
  content: { provider: 'sampleCrm', read: { objects: { contacts: { objectName: 'contacts' } } } },
}

interface Created {
  id: string
  operationId: string
  kid: string
}

async function created(app: TestApp, path: string, body: unknown): Promise<Created> {
  const answer = await app.call<Created>('POST', path, body)
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** A message that waits for the destination. */
async function posted(app: TestApp, as: TestApp, project: string): Promise<{ id: string }> {
  const db = app.testDatabase.database.forProject(project === 'default' ? app.projectId : app.otherProject.id)
  await db.transaction((tx) =>
    postMessages(tx, app.app.services, [{ destinationName: 'hook', kind: 'read', payload: Buffer.from('{}') }]),
  )
  const { body } = await as.call<{ id: string }[]>('GET', '/projects/default/messages')
  return body[0]!
}

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const newJwtKey = () => ({ label: 'a server', algorithm: 'RS256', publicKeyPem })

/** What the deploys of `calls` send, as a document. */
export const manifest = {
  specVersion: '1.0.0',
  integrations: [
    {
      name: 'other',
      provider: 'sampleCrm',
      read: {
        objects: [
          {
            objectName: 'contacts',
            destination: 'hook',
            schedule: '0 0 29 2 *',
            requiredFields: [{ fieldName: 'email' }],
          },
        ],
      },
    },
  ],
}

/**
 * A request that each operation takes, by operationId; the operation's path takes `ids` too. Every declared operation
 * has its line: a test compares.
 */
export function calls(ids: Ids, crmUrl = 'http://127.0.0.1:9'): Record<string, Call> {
  return {
    getHealth: {},
    getReadiness: {},
    getMetrics: {},
    openFrontPage: {},
    getReference: {},
    getReferencePage: {},
    getProviderPage: {},
    getProblemPage: {},
    getSchema: {},
    listTokenKeys: {},
    getClient: { query: { _clerk_js_version: '4.50.1', __dev_session: 'not-a-token' } },
    showSignInPage: { query: { next: '/signin/done' } },
    submitSignIn: {},
    showForgotPage: {},
    submitForgot: {},
    showResetPage: { query: { token: 'not-a-token' } },
    submitReset: {},
    showSignedInPage: {},
    submitSignOut: {},
    showSetupPage: { query: { token: 'not-a-token' } },
    submitSetup: {},
    showInvitePage: { query: { token: 'not-a-token' } },
    submitInvite: {},
    showCliConsentPage: { query: { port: '0', challenge: 'x', state: 'x' } },
    submitCliConsent: {},
    showAmpCliPage: {},
    submitAmpCli: {},
    startSingleSignOn: { query: { next: '/signin/done' } },
    finishSingleSignOn: { query: { state: 'x' } },
    createSession: { body: { email: `${newId()}@nowhere.example`, password: 'not the password' } },
    refreshSession: { body: { refreshToken: 'not-a-token' } },
    exchangeSignInCode: { body: { code: 'not-a-code', verifier: 'v'.repeat(43) } },
    endSession: {},
    changePassword: { body: { currentPassword: 'not the password', newPassword: 'twelve characters and more' } },
    requestPasswordReset: { body: { email: `${newId()}@nowhere.example` } },
    createPasswordReset: {},
    completePasswordReset: { body: { token: 'not-a-token', newPassword: 'twelve characters and more' } },
    getMyInfo: {},
    acceptInvite: { body: { invitedEmail: `${newId()}@nowhere.example` } },
    createOrg: { body: { label: 'Another' } },
    getOrg: {},
    updateOrg: { body: { updateMask: ['label'], org: { label: 'Renamed' } } },
    listOrgBuilders: {},
    updateOrgBuilder: { body: { updateMask: ['role'], builder: { role: 'member' } } },
    deleteOrgBuilder: {},
    addUserToOrg: { body: { builderId: newId() } },
    createOrgInvite: { body: { email: `${newId()}@nowhere.example` } },
    listOrgInvites: {},
    getOrgInvite: {},
    deleteOrgInvite: {},
    checkClaimedDomain: { query: { domain: 'unclaimed.example' } },
    claimDomain: { body: { domain: `d-${newId()}.example`, parentType: 'org', parentId: ids.orgId } },
    listOrgClaimedDomains: {},
    verifyClaimedDomain: {},
    deleteClaimedDomain: {},
    listApiKeys: { query: { active: 'true' } },
    createApiKey: { body: { label: 'made', scopes: ['frontend'] } },
    getApiKey: {},
    updateApiKey: { body: { updateMask: ['label'], apiKey: { label: 'renamed' } } },
    deleteApiKey: {},
    listJWTKeys: { query: { active: 'true' } },
    createJWTKey: { body: newJwtKey() },
    getJWTKey: {},
    updateJWTKey: { body: { updateMask: ['label'], jwtKey: { label: 'renamed' } } },
    deleteJWTKey: {},
    listProjects: {},
    createProject: { body: { name: `made-${newId()}`, appName: 'Made', orgId: ids.orgId } },
    updateProject: { body: { updateMask: ['appName'], project: { appName: 'Renamed' } } },
    getProject: {},
    listIntegrations: {},
    createIntegration: {
      body: {
        name: `made-${newId()}`,
        provider: 'sampleCrm',
        latestRevision: { specVersion: '1.0.0', content: { read: manifest.integrations[0]?.read } },
      },
    },
    batchUpsertIntegrations: { query: { destructive: 'false' }, body: { sourceYaml: JSON.stringify(manifest) } },
    validateManifest: { query: { strict: 'true' }, body: { sourceYaml: JSON.stringify(manifest) } },
    getIntegration: {},
    deleteIntegration: {},
    listRevisions: { query: { pageSize: '10' } },
    // The manifest does not define the integration.
    createRevision: { query: { destructive: 'false' }, body: { sourceYaml: JSON.stringify(manifest) } },
    getHydratedRevision: { query: { connectionId: ids.connectionId } },
    getObjectMetadataForInstallation: { query: { groupRef: ids.groupRef, excludeReadOnly: 'false' } },
    getObjectMetadataForConnection: { query: { groupRef: ids.groupRef, excludeReadOnly: 'true' } },
    generateUploadUrl: { query: { projectIdOrName: ids.projectIdOrName } },
    putUpload: { query: { expires: '1', claims: 'x', signature: 'x' } },
    generateConnection: {
      body: {
        groupRef: ids.groupRef,
        groupName: 'A group',
        consumerRef: 'a-person',
        consumerName: 'A person',
        provider: 'sampleCrm',
        // The one that the sample CRM takes: from then on this is the newest connection of the group.
        apiKey: 'demo-key',
        providerMetadata: { url: { value: crmUrl, source: 'input' } },
      },
    },
    listConnections: { query: { groupRef: ids.groupRef, provider: 'sampleCrm' } },
    getConnection: { query: { includeCreds: 'false' } },
    updateConnection: {
      body: {
        updateMask: ['providerMetadata'],
        connection: { apiKey: 'ignored', providerMetadata: { url: { value: crmUrl, source: 'input' } } },
      },
    },
    deleteConnection: {},
    oauthConnect: {
      body: {
        projectIdOrName: ids.projectIdOrName,
        groupRef: ids.groupRef,
        groupName: 'A group',
        consumerRef: 'a-person',
        consumerName: 'A person',
        provider: 'salesforce',
        providerWorkspaceRef: 'acme',
        providerAppId: ids.providerAppId,
        providerMetadata: {},
        enableCSRFProtection: true,
      },
    },
    oauthUpdate: {},
    startOAuth: { query: { state: 'not-a-state' } },
    showOAuthCallback: { query: { state: 'not-a-state', code: 'a-code' } },
    submitOAuthCallback: {},
    customAuthConnect: {
      body: {
        projectIdOrName: ids.projectIdOrName,
        groupRef: ids.groupRef,
        groupName: 'A group',
        consumerRef: 'a-person',
        consumerName: 'A person',
        provider: 'microsoftAdminConsent',
        providerAppId: ids.providerAppId,
        providerMetadata: {},
        customAuth: {},
      },
    },
    createConnectSession: {
      body: {
        groupRef: ids.groupRef,
        groupName: 'A group',
        consumerRef: ids.consumerRef,
        consumerName: 'A person',
        provider: 'sampleCrm',
        connectionId: ids.connectionId,
        redirectUrl: 'https://app.example/connected',
      },
    },
    getConnectSession: {},
    showConnectPage: { query: { with: 'apiKey' } },
    submitConnectPage: {},
    showCustomAuthCallback: { query: { state: 'not-a-state' } },
    submitCustomAuthCallback: {},
    listGroups: {},
    getGroup: {},
    deleteGroup: {},
    listConsumers: {},
    getConsumer: {},
    deleteConsumer: {},
    listProviders: {},
    getProvider: {},
    createProviderApp: {
      body: {
        provider: 'salesforce',
        clientId: 'a-client',
        clientSecret: 'a-client-secret',
        externalRef: 'an-app',
        scopes: [['api'], 'refresh_token'],
        metadata: {
          authQueryParams: { prompt: ['login'] },
          providerParams: { packageInstallURL: 'https://example.com' },
        },
      },
    },
    listProviderApps: {},
    updateProviderApp: { body: { updateMask: ['scopes'], providerApp: { scopes: ['api'] } } },
    deleteProviderApp: {},
    createInstallation: { body: { groupRef: ids.groupRef, connectionId: ids.connectionId, config } },
    listInstallations: { query: { groupRef: ids.groupRef } },
    listInstallationsForProject: { query: { groupRef: ids.groupRef } },
    getInstallation: {},
    updateInstallation: {
      body: {
        updateMask: ['connectionId', 'config.content.read.objects.contacts'],
        installation: {
          connectionId: ids.connectionId,
          config: { content: { read: { objects: { contacts: { objectName: 'contacts', schedule: '0 0 29 2 *' } } } } },
        },
      },
    },
    deleteInstallation: {},
    receiveInstallationEvents: {},
    receiveAppEvents: {},
    patchObjectConfigContent: {
      body: {
        installationId: ids.installationId,
        action: 'read',
        changes: [{ op: 'add', path: '/selectedFields/phone', value: true }],
      },
    },
    testProviderFile: { body: { name: 'sampleCrm.yaml', text: 'name: sampleCrm', objects: [ids.objectName] } },
    listProviderFileFaults: {},
    listSchemaWatches: {},
    listSchemaChanges: { query: { objectName: ids.objectName, pageSize: '10' } },
    listOperations: { query: { pageSize: '10' } },
    getOperation: {},
    listOperationLogs: {},
    streamOperationLogs: { query: { severity: 'INFO' } },
    streamLogs: { query: { installationId: ids.installationId } },
    triggerRead: {
      body: { groupRef: ids.groupRef, mode: 'async', sinceTimestamp: '2026-01-01T00:00:00Z' },
    },
    writeRecords: { body: { groupRef: ids.groupRef, type: 'create', record: { email: 'a@b.example' } } },
    pauseReads: { body: { objects: [ids.objectName], note: 'a note' } },
    unpauseReads: { body: { objects: [ids.objectName] } },
    searchRecords: {
      query: { groupRef: ids.groupRef },
      body: { objectName: ids.objectName, fieldFilters: [{ fieldName: 'stage', operator: 'eq', value: 'lead' }] },
    },
    upsertMetadataForInstallation: {
      body: {
        groupRef: ids.groupRef,
        fields: { [ids.objectName]: [{ fieldName: 'tier', displayName: 'Tier', valueType: 'string' }] },
      },
    },
    upsertMetadataForConnection: {
      body: {
        groupRef: ids.groupRef,
        fields: { [ids.objectName]: [{ fieldName: 'level', displayName: 'Level', valueType: 'int' }] },
      },
    },
    deliverResults: { body: { groupRef: ids.groupRef, pages: 1 } },
    getBackfillProgress: {},
    createDestination: {
      body: {
        name: `made-${newId()}`,
        type: 'webhook',
        metadata: { url: 'https://203.0.114.5/hooks', headers: { 'X-Tenant': 'a' } },
      },
    },
    listDestinations: {},
    getDestination: { query: { includeSecrets: 'false' } },
    updateDestination: {
      body: {
        updateMask: ['metadata.headers'],
        destination: { metadata: { headers: { 'X-Tenant': 'b' } } },
      },
    },
    deleteDestination: {},
    testDestination: {},
    enableDestination: {},
    rotateDestinationSecret: { query: { includeSecrets: 'false' } },
    disableDestination: { body: { reason: 'A reason.' } },
    listMessages: {
      query: { destination: ids.destination, installationId: ids.installationId, operationId: ids.operationId },
    },
    streamMessages: { query: { destination: ids.destination } },
    getMessage: {},
    listMessageAttempts: {},
    replayMessages: { body: { failedOf: ids.destination } },
    getMessageReplay: {},
    getResult: {},
    createTopic: { body: { name: `made-${newId()}` } },
    listTopics: {},
    updateTopic: { body: { name: 'renamed' } },
    deleteTopic: {},
    createEventTopicRoute: { body: { eventType: 'connection.error', topicId: ids.topicId } },
    listEventTopicRoutes: { query: { topicId: ids.topicId, eventType: 'connection.error' } },
    deleteEventTopicRoute: {},
    createTopicDestinationRoute: { body: { topicId: ids.topicId, destinationId: ids.destination } },
    listTopicDestinationRoutes: { query: { topicId: ids.topicId, destinationId: ids.destination } },
    deleteTopicDestinationRoute: {},
  }
}

const unknown = newId()
/** The same for every tenant. */
const shared: Record<string, string> = { provider: 'sampleCrm' }

/** The path of an operation with its parameters filled in; what `ids` does not name names nothing. */
export function pathOf(declared: string, ids: Ids, query: Record<string, string> = {}): string {
  const path = pathParameters(declared).reduce((text, name) => {
    const id = (ids as unknown as Record<string, string>)[name] ?? shared[name] ?? unknown
    return text.replace(`{${name}}`, encodeURIComponent(id))
  }, publicPath(declared))
  const search = new URLSearchParams(query).toString()
  return search === '' ? path : `${path}?${search}`
}
