import { generateKeyPairSync } from 'node:crypto'
import { sql } from 'kysely'
import { encryptCall } from '../features/agents/tools/approvals/approval-call.ts'
import { postMessages } from '../features/messaging/messages/index.ts'
import { deploy } from '../features/sync/reading/reading.testkit.ts'
import { newId, type ProjectDb } from '../kernel/db/index.ts'
import { pathParameters, publicPath } from '../kernel/http/routes.ts'
import { storeAgentRows } from './agent-rows.ts'
import { keepRecord } from './keep-record.ts'
import type { TestApp } from './test-app.ts'
import { signInBuilder } from './test-builder.ts'

/** One of each thing in a project and its organization, by the names of the path parameters. */
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
  deadLetterId: string
  replayId: string
  operationId: string
  /** A tool of the integration. */
  toolName: string
  /** Id of a call that waited for a person. */
  approvalId: string
  /** Id of a sign-in of an agent that was refused. */
  signInId: string
  agentSessionId: string
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
  const member = await signInBuilder(app, { email: `colleague@${name}.example`, orgId, role: 'developer' })
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
  const deadLetterId = await postedDeadLetter(app, project)
  const replay = await as.call<{ id: string }>('POST', '/projects/default/messages:replay', {
    messageIds: [message.id],
  })
  const topic = await created(as, '/projects/default/topics', { name: 'errors' })
  const route = await created(as, '/projects/default/notification-event-topic-routes', {
    eventType: 'connection.error',
    topicId: topic.id,
  })
  await created(as, '/projects/default/topic-destination-routes', { topicId: topic.id, destinationId: destination.id })
  const agent = { objects: [{ objectName: 'contacts', actions: ['list'] }] }
  await deploy(as, name, {}, false, 'sampleCrm', { agent })
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
    config: contactsConfig,
  })
  const projectId = project === 'default' ? app.projectId : app.otherProject.id
  await keepRecord(as, { projectId, installationId: installation.id, groupRef })
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
    deadLetterId,
    replayId: replay.body.id,
    operationId,
    toolName: 'list_contacts',
    approvalId: await requestedApproval(app, project, installation.id),
    ...(await storeAgentRows(dbOf(app, project), { groupRef, consumerRef })),
    objectName: 'contacts',
    groupRef,
    consumerRef,
  }
  const missing = { ...ids }
  for (const key of Object.keys(ids) as (keyof Ids)[])
    if (key !== 'projectIdOrName' && key !== 'orgId') missing[key] = newId()
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

/** The config of an installation that reads contacts. */
export const contactsConfig = {
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

function dbOf(app: TestApp, project: string): ProjectDb {
  return app.testDatabase.database.forProject(project === 'default' ? app.projectId : app.otherProject.id)
}

/** A call of an agent that a person refused. */
async function requestedApproval(app: TestApp, project: string, installationId: string): Promise<string> {
  const db = dbOf(app, project)
  const id = newId()
  await sql`
    insert into approvals (project_id, id, installation_id, tool_name, action, object_name, encrypted_call, state_digest,
      status, decided_by, decide_time, expire_time)
    values (${db.projectId}, ${id}, ${installationId}, 'create_contacts', 'create', 'contacts',
      ${encryptCall(db, app.keyring, id, { arguments: { fields: { email: 'grace@acme.example' } } })}, 'an older state',
      'refused', 'builder:somebody', now(), now() + interval '1 day')`.execute(db.sql)
  return id
}

/** A message that waits for the destination. */
async function posted(app: TestApp, as: TestApp, project: string): Promise<{ id: string }> {
  const db = dbOf(app, project)
  await db.transaction((tx) =>
    postMessages(tx, app.app.services, [{ destinationName: 'hook', kind: 'read', payload: Buffer.from('{}') }]),
  )
  const { body } = await as.call<{ id: string }[]>('GET', '/projects/default/messages')
  return body[0]!
}

/** Posts a message whose destination refused its record. Returns its id. */
async function postedDeadLetter(app: TestApp, project: string): Promise<string> {
  const payload = Buffer.from(
    '{"action":"read","objectName":"contacts","resultInfo":{"type":"inline","numRecords":1},"result":[{"id":"1","fields":{"size":"large"}}]}',
  )
  // In one transaction, so that no delivery sees the message before.
  return dbOf(app, project).transaction(async (tx) => {
    const message = { destinationName: 'hook', kind: 'read', objectName: 'contacts', payload } as const
    await postMessages(tx, app.app.services, [message])
    const { rows } = await sql<{ id: string; destinationId: string }>`
      update messages set state = 'failed', failure = 'refused', attempt = 1, end_time = now(), lease_token = null
      where project_id = ${tx.projectId} and id = (select max(id::text)::uuid from messages where project_id = ${tx.projectId})
      returning id, destination_id as "destinationId"`.execute(tx.sql)
    const { id, destinationId } = rows[0]!
    await sql`insert into attempts (project_id, message_id, number, destination_id, error, duration_ms)
              values (${tx.projectId}, ${id}, 1, ${destinationId}, 'The destination refused a value.', 3)`.execute(
      tx.sql,
    )
    return id
  })
}

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
/** A JWT key, as a builder sends it. */
export const newJwtKey = () => ({ label: 'a server', algorithm: 'RS256', publicKeyPem })

/** The manifest that requests deploy. */
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

const unknown = newId()

/** Returns the path of an endpoint with its parameters filled in. Parameters that `ids` lacks get an unknown id. */
export function pathOf(declared: string, ids: Ids, query: Record<string, string> = {}): string {
  const known: Record<string, string> = { ...ids }
  const path = pathParameters(declared).reduce(
    (text, name) => text.replace(`{${name}}`, encodeURIComponent(known[name] ?? unknown)),
    publicPath(declared),
  )
  const search = new URLSearchParams(query).toString()
  return search === '' ? path : `${path}?${search}`
}
