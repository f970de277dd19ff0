import { generateKeyPairSync } from 'node:crypto'
import pg from 'pg'
import { newId } from '../../packages/server/src/kernel/db/index.ts'
import { signInBuilder } from '../../packages/server/src/testkit/test-builder.ts'
import type { AppBeside } from './app-beside.ts'
import { install, prepare } from './bench-crm.ts'
import { first } from './first.ts'
import type { Service } from './service.ts'

/** Rows of every list. */
export const rowsEach = 20

/** What of a project the paths of operations name, by parameter. */
export type Ids = Record<string, string>

export interface FullProject {
  ids: Ids
  /** Values of query parameters that an operation requires. */
  query: Ids
  /** A bearer token of an owner of the organisation, for what no key may ask. */
  ownerToken: string
}

/**
 * Fills the project `default` and its organisation until every list has twenty rows: through the API where rows have to
 * be as the service makes them, and by copies of what it made where that would take long (operations, their log,
 * messages, attempts).
 *
 * @param superuser of the database, for the copies
 */
export async function fillProject(
  service: Service,
  app: AppBeside,
  superuser: pg.ClientConfig,
  parts: { providerUrl: string; receiverUrl: string },
): Promise<FullProject> {
  const { orgId, id: projectId } = await service.call<{ orgId: string; id: string }>('GET', '')
  const each = async <T>(make: (row: number) => Promise<T>): Promise<T[]> => {
    const made: T[] = []
    for (let row = 0; row < rowsEach; row++) made.push(await make(row))
    return made
  }
  const post = <T = { id: string }>(path: string, body: unknown) => service.call<T>('POST', path, body)

  const owner = await signInBuilder(app, { email: 'owner@bench.example', orgId, role: 'owner' })
  const people = await each((row) =>
    signInBuilder(app, { email: `member-${row}@bench.example`, orgId, role: 'developer' }),
  )
  const asOwner = (path: string, body: unknown) => service.callAs(owner.headers, 'POST', path, body)
  const invites = await each((row) => asOwner(`/orgs/${orgId}/invites`, { email: `guest-${row}@bench.example` }))
  await each((row) => asOwner('/projects', { name: `project-${row}`, appName: `Project ${row}`, orgId }))

  const apiKeys = await each((row) => post('/api-keys', { label: `key ${row}` }))
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const jwtKeys = await each((row) =>
    post<{ kid: string }>('/jwt-keys', { label: `key ${row}`, algorithm: 'RS256', publicKeyPem }),
  )
  await each((row) =>
    post('/provider-apps', { provider: 'salesforce', clientId: `client-${row}`, clientSecret: 'secret' }),
  )

  const destinations = await each((row) =>
    post('/destinations', {
      name: `destination-${row}`,
      type: 'webhook',
      metadata: { url: `${parts.receiverUrl}${row}` },
    }),
  )
  const topics = await each((row) => post('/topics', { name: `topic-${row}` }))
  const destinationId = first(destinations).id
  for (const { id: topicId } of topics) {
    await post('/notification-event-topic-routes', { eventType: 'connection.error', topicId })
    await post('/topic-destination-routes', { topicId, destinationId })
  }

  const integrationId = await prepare(service, parts.receiverUrl, rowsEach)
  await each((row) =>
    install(service, { integrationId, groupRef: `group-${row}`, providerUrl: parts.providerUrl, pages: 1 }),
  )
  const client = new pg.Client({ ...superuser, options: '-c search_path=mortise' })
  await client.connect()
  try {
    const [delivered, another] = await untilDelivered(client)
    if (!delivered || !another) throw new Error('nothing was delivered')
    const ids: Ids = {
      projectIdOrName: 'default',
      orgId,
      inviteId: first(invites).id,
      apiKey: first(apiKeys).id,
      keyId: first(jwtKeys).kid,
      integrationIdOrName: 'benchCrm',
      integrationId,
      groupRef: 'group-0',
      consumerRef: 'group-0',
      objectName: 'contacts',
      provider: 'benchCrm',
      destination: destinationId,
      messageId: delivered.message_id,
      operationId: delivered.operation_id,
      installationId: delivered.installation_id,
      ...(await copyHistory(client, projectId, delivered)),
    }
    const { id: replayId } = await post('/messages:replay', { messageIds: [another.message_id] })
    const connection = first(await service.call<{ id: string }[]>('GET', '/connections'))
    ids['replayId'] = replayId
    const account = { provider: 'benchCrm', groupRef: 'group-0', consumerRef: 'consumer-0' }
    ids['connectSessionId'] = (await post('/connect-sessions', account)).id
    ids['connectionId'] = connection.id
    const domains = people.map((_, row) => `claimed-${row}.example`)
    await client.query(
      `insert into claimed_domains (id, org_id, domain) select gen_random_uuid(), $1, unnest($2::text[])`,
      [orgId, domains],
    )
    await client.query('vacuum analyze')
    const query = { connectionId: connection.id, groupRef: 'group-0', domain: first(domains) }
    return { ids, query, ownerToken: owner.token }
  } finally {
    await client.end()
  }
}

interface Delivered {
  message_id: string
  operation_id: string
  installation_id: string
}

/** Waits until every backfill has been delivered; answers their messages. */
async function untilDelivered(client: pg.Client): Promise<Delivered[]> {
  const until = performance.now() + 60_000
  while (performance.now() < until) {
    const { rows } = await client.query<Delivered>(
      `select m.id as message_id, operation_id, m.installation_id
         from messages m join operations o on o.project_id = m.project_id and o.id = m.operation_id
        where m.state = 'delivered' and o.status = 'success' order by m.id`,
    )
    if (rows.length >= rowsEach) return rows
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the backfills were not delivered within a minute')
}

/** Twenty operations of one installation, lines of one operation, messages and attempts at one message. */
async function copyHistory(client: pg.Client, projectId: string, of: Delivered): Promise<Ids> {
  for (let row = 1; row < rowsEach; row++) {
    await copy(client, 'operations', { project_id: projectId, id: of.operation_id }, { id: newId() })
    await copy(client, 'attempts', { project_id: projectId, message_id: of.message_id, number: 1 }, { number: row + 1 })
  }
  const { rows: lines } = await client.query<{ count: number }>(
    'select count(*)::int as count from operation_logs where project_id = $1 and operation_id = $2',
    [projectId, of.operation_id],
  )
  for (let line = first(lines).count; line < rowsEach; line++)
    await client.query(
      `insert into operation_logs (project_id, operation_id, id, severity, message) values ($1, $2, $3, 'INFO', '{"msg":"a line"}')`,
      [projectId, of.operation_id, newId()],
    )
  const { rows: revisions } = await client.query<{ id: string }>(
    'select latest_revision_id as id from integrations where project_id = $1 and name = $2',
    [projectId, 'benchCrm'],
  )
  return { revisionId: first(revisions).id }
}

/** Inserts a copy of a row with other values in some columns. */
async function copy(client: pg.Client, table: string, key: Record<string, unknown>, other: Record<string, unknown>) {
  const names = Object.keys(key)
  const where = names.map((name, at) => `${name} = $${at + 1}`).join(' and ')
  await client.query(
    `insert into ${table} select (jsonb_populate_record(t, $${names.length + 1}::jsonb)).* from ${table} t where ${where}`,
    [...Object.values(key), JSON.stringify(other)],
  )
}
