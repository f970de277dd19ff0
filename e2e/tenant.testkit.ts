import { deploy } from '../packages/server/src/features/reading/reading.testkit.ts'
import { newId } from '../packages/server/src/kernel/db/index.ts'
import { pathParameters, publicPath } from '../packages/server/src/kernel/http/routes.ts'
import type { TestApp } from '../packages/server/src/testkit/test-app.ts'

/** Names one of everything that a project can hold, as the paths of the operations call it. */
export interface Ids {
  projectIdOrName: string
  integrationIdOrName: string
  integrationId: string
  installationId: string
  connectionId: string
  destination: string
  operationId: string
  objectName: string
  groupRef: string
}

/** A project with one of everything. */
export interface Tenant {
  apiKey: string
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

/** Fills a project through the API: an integration, a connection, an installation of it, a destination, an operation. */
export async function createTenant(
  app: TestApp,
  crm: { url: string; apiKey: string },
  { apiKey, project, name }: { apiKey: string; project: string; name: string },
): Promise<Tenant> {
  const as: TestApp = { ...app, call: (method, path, body) => app.call(method, inProject(path), body, { apiKey }) }
  const inProject = (path: string) => path.replace('/projects/default/', `/projects/${project}/`)
  const groupRef = `${name}-group`
  const destination = await created(as, '/projects/default/destinations', {
    name: 'hook',
    type: 'webhook',
    metadata: { url: 'https://203.0.114.5/hooks' },
  })
  await deploy(as, name)
  const integration = (await as.call<{ id: string }>('GET', `/projects/default/integrations/${name}`)).body
  const connect = (group: string) =>
    created(as, '/projects/default/connections:generate', {
      groupRef: group,
      consumerRef: `${name}-person`,
      provider: 'sampleCrm',
      apiKey: crm.apiKey,
      providerMetadata: { url: crm.url },
    })
  const connection = await connect(groupRef)
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
    integrationIdOrName: name,
    integrationId: integration.id,
    installationId: installation.id,
    connectionId: connection.id,
    destination: destination.id,
    operationId,
    objectName: 'contacts',
    groupRef,
  }
  const missing = Object.fromEntries(
    Object.keys(ids).map((key) => [key, key === 'projectIdOrName' ? project : newId()]),
  ) as unknown as Ids
  const spareGroup = `${name}-spare`
  const spareConnection = await connect(spareGroup)
  return { apiKey, ids, missing, spare: { ...ids, groupRef: spareGroup, connectionId: spareConnection.id } }
}

const config = {
  content: { provider: 'sampleCrm', read: { objects: { contacts: { objectName: 'contacts' } } } },
}

async function created(app: TestApp, path: string, body: unknown): Promise<{ id: string; operationId: string }> {
  const answer = await app.call<{ id: string; operationId: string }>('POST', path, body)
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

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
 * A request that each operation takes, by operationId; the operation's path takes `ids` too. Every declared operation has its line:
 * a test compares.
 */
export function calls(ids: Ids, crmUrl = 'http://127.0.0.1:9'): Record<string, Call> {
  return {
    getHealth: {},
    getReadiness: {},
    getMetrics: {},
    getProblemPage: {},
    listProjects: {},
    getProject: {},
    listIntegrations: {},
    batchUpsertIntegrations: { query: { destructive: 'false' }, body: { sourceYaml: JSON.stringify(manifest) } },
    validateManifest: { query: { strict: 'true' }, body: { sourceYaml: JSON.stringify(manifest) } },
    getIntegration: {},
    deleteIntegration: {},
    generateUploadUrl: {},
    putUpload: { query: { expires: '1', claims: 'x', signature: 'x' } },
    generateConnection: {
      body: {
        groupRef: ids.groupRef,
        groupName: 'A group',
        consumerRef: 'a-person',
        consumerName: 'A person',
        provider: 'sampleCrm',
        apiKey: 'a-key',
        providerMetadata: { url: { value: crmUrl, source: 'input' } },
      },
    },
    listConnections: { query: { groupRef: ids.groupRef, provider: 'sampleCrm' } },
    getConnection: { query: { includeCreds: 'false' } },
    deleteConnection: {},
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
    patchObjectConfigContent: {
      body: {
        installationId: ids.installationId,
        action: 'read',
        changes: [{ op: 'add', path: '/selectedFields/phone', value: true }],
      },
    },
    listOperations: { query: { pageSize: '10' } },
    getOperation: {},
    listOperationLogs: {},
    triggerRead: {
      body: { groupRef: ids.groupRef, mode: 'async', sinceTimestamp: '2026-01-01T00:00:00Z' },
    },
    pauseReads: { body: { objects: [ids.objectName], note: 'a note' } },
    unpauseReads: { body: { objects: [ids.objectName] } },
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
    getResult: {},
  }
}

const unknown = newId()

/** The path of an operation with its parameters filled in; what `ids` does not name names nothing. */
export function pathOf(declared: string, ids: Ids, query: Record<string, string> = {}): string {
  const path = pathParameters(declared).reduce((text, name) => {
    const id = (ids as unknown as Record<string, string>)[name] ?? unknown
    return text.replace(`{${name}}`, encodeURIComponent(id))
  }, publicPath(declared))
  const search = new URLSearchParams(query).toString()
  return search === '' ? path : `${path}?${search}`
}
