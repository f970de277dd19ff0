import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import pg from 'pg'
import { createCall } from '../../examples/demo/src/api.ts'

/**
 * A project with what a product has after some months: customers with accounts at three providers, a broken one, a
 * destination that fails, and a month of counts. The sample CRM answers for all providers.
 */
export interface ExampleProject {
  /** Ids that pages need in their addresses. */
  ids: { integrationId: string; installationId: string; failingInstallationId: string; connectionId: string }
  close(): Promise<void>
}

const providers = [
  { name: 'hubspotCrm', title: 'HubSpot' },
  { name: 'salesforceCrm', title: 'Salesforce' },
  { name: 'closeCrm', title: 'Close' },
]
const customers = [
  ['acme', 'Acme Corporation', 'hubspotCrm'],
  ['globex', 'Globex', 'salesforceCrm'],
  ['initech', 'Initech', 'hubspotCrm'],
  ['umbrella', 'Umbrella Health', 'closeCrm'],
  ['hooli', 'Hooli', 'salesforceCrm'],
  ['vandelay', 'Vandelay Industries', 'hubspotCrm'],
  ['wayne', 'Wayne Logistics', 'salesforceCrm'],
  ['stark', 'Stark Robotics', 'closeCrm'],
  ['soylent', 'Soylent Foods', 'hubspotCrm'],
  ['tyrell', 'Tyrell Analytics', 'salesforceCrm'],
] as const
/** The customer whose key is revoked. */
const broken = 'initech'

/** Writes provider files by which the sample CRM answers for each of the providers. */
export async function writeProviders(folder: string, crmUrl: string): Promise<void> {
  const file = await readFile(new URL('../../examples/sample-crm/providers/sampleCrm.yaml', import.meta.url), 'utf8')
  await mkdir(folder, { recursive: true })
  for (const { name, title } of providers) {
    const text = file
      .replace('name: sampleCrm', `name: ${name}`)
      .replace('displayName: Sample CRM', `displayName: ${title}`)
    await writeFile(join(folder, `${name}.yaml`), text.replaceAll('http://127.0.0.1:4200', crmUrl))
  }
}

export function startCrm(): Promise<SampleCrm> {
  return startSampleCrm({ contacts: 1_200, rateLimit: 0 })
}

/** Fills the project through the API, and the past into its tables. */
export async function fillExampleProject(
  service: { url: string; apiKey: string; superuser: pg.ClientConfig },
  crm: SampleCrm,
): Promise<ExampleProject> {
  const own = await startSampleCrm({ contacts: 900, rateLimit: 0 })
  const receiver = await startWebhookReceiver()
  const send = createCall(service.url, service.apiKey)
  const call: Call = (method, path, body) => send(method, `/v1${path}`, body)
  await createDestinations(call, receiver)
  const deployed = await call<{ id: string; name: string }[]>('PUT', '/projects/default/integrations:batch', {
    sourceYaml: manifest(),
  })
  const installed = new Map<string, { connectionId: string; installationId: string; integrationId: string }>()
  for (const [groupRef, groupName, provider] of customers) {
    const account = groupRef === broken ? own : crm
    const connection = await call('POST', '/projects/default/connections:generate?verify=true', {
      groupRef,
      groupName,
      consumerRef: `admin@${groupRef}.example`,
      consumerName: `Admin of ${groupName}`,
      provider,
      apiKey: account.apiKey,
      providerMetadata: { url: account.url },
    })
    const integrationId = deployed.find(({ name }) => name === `${provider}-contacts`)?.id ?? ''
    const installation = await call('POST', `/projects/default/integrations/${integrationId}/installations`, {
      groupRef,
      connectionId: connection.id,
      config: {
        content: { provider, read: { objects: { contacts: contactsConfig(), companies: companiesConfig() } } },
      },
    })
    installed.set(groupRef, { connectionId: connection.id, installationId: installation.id, integrationId })
  }
  await allRead(call)
  own.revokeKey()
  const failing = found(installed, broken)
  await send('POST', `/read/v1/projects/default/integrations/${failing.integrationId}/objects/contacts`, {
    groupRef: broken,
    mode: 'async',
  })
  const { id: projectId } = await call('GET', '/projects/default')
  await insertPast(service.superuser, projectId)
  await until(
    async () =>
      (await call<{ status: string }>('GET', `/projects/default/connections/${failing.connectionId}`)).status ===
      'bad_credentials',
  )
  const { installationId, integrationId, connectionId } = found(installed, 'acme')
  return {
    ids: { installationId, integrationId, connectionId, failingInstallationId: failing.installationId },
    close: async () => {
      await Promise.all([own.close(), receiver.close()])
    },
  }
}

type Call = <T = { id: string }>(method: string, path: string, body?: unknown) => Promise<T>

async function createDestinations(call: Call, receiver: WebhookReceiver): Promise<void> {
  const webhook = (name: string, url: string) =>
    call('POST', '/projects/default/destinations', { name, type: 'webhook', metadata: { url } })
  await webhook('crm-webhook', receiver.url)
  await webhook('warehouse', receiver.url)
  const alerts = await webhook('on-call', receiver.url)
  const topic = await call('POST', '/projects/default/topics', { name: 'incidents' })
  for (const eventType of ['connection.error', 'read.failed'])
    await call('POST', '/projects/default/notification-event-topic-routes', { eventType, topicId: topic.id }).catch(
      () => undefined,
    )
  await call('POST', '/projects/default/topic-destination-routes', { topicId: topic.id, destinationId: alerts.id })
  await call('POST', '/projects/default/api-keys', { label: 'backend', scopes: ['full'] })
  await call('POST', '/projects/default/api-keys', { label: 'app', scopes: ['frontend'] })
}

function manifest(): string {
  const object = (name: string, destination: string, schedule: string, field: string) => `
        - objectName: ${name}
          destination: ${destination}
          schedule: '${schedule}'
          deletions: { schedule: '0 3 * * *' }
          requiredFields:
            - fieldName: ${field}
          optionalFieldsAuto: all
          backfill: { defaultPeriod: { fullHistory: true } }`
  return `specVersion: 1.0.0
integrations:${providers
    .map(
      ({ name, title }) => `
  - name: ${name}-contacts
    displayName: ${title} contacts
    provider: ${name}
    read:
      objects:${object('contacts', 'crm-webhook', '*/10 * * * *', 'email')}${object('companies', 'warehouse', '0 3 * * *', 'name')}
    proxy: { enabled: true }`,
    )
    .join('')}
`
}

const contactsConfig = () => ({
  objectName: 'contacts',
  selectedFields: { email: true, phone: true, stage: true },
  backfill: { defaultPeriod: { fullHistory: true } },
})
const companiesConfig = () => ({
  objectName: 'companies',
  selectedFields: { name: true },
  backfill: { defaultPeriod: { fullHistory: true } },
})

function found<T>(map: Map<string, T>, key: string): T {
  const value = map.get(key)
  if (value === undefined) throw new Error(`there is no ${key}`)
  return value
}

/** Waits until the backfills are read and delivered. */
async function allRead(call: Call): Promise<void> {
  await until(async () => {
    const { running, backlog } = await call<{
      running: Record<string, { count: number }>
      backlog: { waiting: { count: number } }
    }>('GET', '/projects/default/overview')
    return Object.values(running).every(({ count }) => count === 0) && backlog.waiting.count === 0
  })
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 180_000; Date.now() < end; ) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new Error('it took longer than three minutes')
}

/** Counts of the past month: more by day than by night, less on weekends, and some that fail. */
async function insertPast(superuser: pg.ClientConfig, projectId: string): Promise<void> {
  const client = new pg.Client(superuser)
  await client.connect()
  try {
    await client.query('set search_path = mortise')
    await client.query(`select ensure_count_partitions(current_date - 32, current_date)`)
    for (const [period, step] of [
      ['hour', '1 hour'],
      ['day', '1 day'],
    ] as const) {
      await client.query(past('installation_counts', period, step), [projectId])
      await client.query(pastOfIntegrations(period), [projectId])
    }
  } finally {
    await client.end()
  }
}

const numbers = `reads, failed_reads, records, messages, deliveries, failed_deliveries, provider_calls, failed_provider_calls`

function past(table: string, period: 'hour' | 'day', step: string): string {
  return `
  insert into ${table} (project_id, period, start_time, installation_id, object_name, integration_id, ${numbers})
  select project_id, '${period}', at, id, 'contacts', integration_id, reads, reads / 60, reads * 9 + extract(dow from at)::int * 11,
         reads, reads + reads / 40, reads / 40, reads * 2, reads / 30
    from installations,
         generate_series(date_trunc('${period}', now() - interval '31 days'), date_trunc('${period}', now()) - interval '${step}', interval '${step}') at,
         lateral (select (${period === 'hour' ? '8 + 10 * sin(pi() * extract(hour from at) / 24)' : '300'}
                    * (case when extract(isodow from at) > 5 then 0.35 else 1 end)
                    * (1 + (hashtext(id::text || at::text) % 100) / 300.0))::int as reads) volume
   where project_id = $1
  on conflict do nothing`
}

function pastOfIntegrations(period: 'hour' | 'day'): string {
  const sums = numbers.split(', ').map((name) => `sum(${name})::bigint`)
  return `
  insert into integration_counts (project_id, period, start_time, integration_id, object_name, ${numbers})
  select project_id, period, start_time, integration_id, object_name, ${sums.join(', ')}
    from installation_counts where project_id = $1 and period = '${period}'
   group by 1, 2, 3, 4, 5
  on conflict do nothing`
}
