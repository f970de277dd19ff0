import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { createCall } from './api.ts'
import { connect, deploy, install } from './customer.ts'
import { createDemoDatabase } from './demo-database.ts'
import { freePort } from './free-port.ts'
import { startMortise } from './mortise-process.ts'
import { good, say, step, table, title } from './show.ts'

/**
 * `npm run demo -- --to postgres`: contacts of three customers in one table, then an update and a deletion. It needs no
 * network.
 */

const providersDir = fileURLToPath(new URL('../../sample-crm/providers', import.meta.url))
const destination = 'crmTables'
const contactsEach = 3
const givenUpMs = 60_000
const dataDir = await mkdtemp(join(tmpdir(), 'mortise-demo-'))
const begun = new Date()
const mortise = await startMortise({ port: await freePort(), dataDir, providersDir })
const call = createCall(mortise.url, mortise.apiKey)
const database = await createDemoDatabase(dataDir)
const crms = new Map<string, SampleCrm>()
for (const [index, groupRef] of ['acme', 'globex', 'initech'].entries())
  crms.set(groupRef, await startSampleCrm({ contacts: contactsEach, seed: index + 1, workspace: groupRef }))

try {
  title('Mortise: from three CRMs to one table')
  step('Three customers with a CRM each, a PostgreSQL database and Mortise are running')
  say(`Mortise   ${mortise.url}/v1`)
  say(`database  ${database.url}`)

  step('Deploy the manifest, and create a destination of type postgres')
  const integrationId = await deploy(call)
  await call('POST', '/v1/projects/default/destinations', {
    name: destination,
    type: 'postgres',
    metadata: { url: database.url },
  })
  good('Mortise creates the table with the first record')

  step('The customers connect their accounts and install the integration')
  for (const [groupRef, crm] of crms) {
    const connectionId = await connect(call, groupRef, crm)
    await install(call, { integrationId, groupRef, connectionId, destination, deletions: { enabled: 'always' } })
  }
  await show('one row for each contact', (rows) => rows.length === crms.size * contactsEach)

  step('A contact of acme becomes a customer')
  await change('acme', 'con_0000001', { method: 'PATCH', body: JSON.stringify({ stage: 'customer', score: 100 }) })
  await readAgain('acme', integrationId)
  await show('the row has the new values', (rows) =>
    rows.some(({ customer, score }) => customer === 'acme' && score === '100'),
  )

  step('globex deletes a contact')
  await change('globex', 'con_0000002', { method: 'DELETE' })
  await readAgain('globex', integrationId)
  await show('the row stays, and says since when the contact is deleted', (rows) =>
    rows.some(({ customer, deleted }) => customer === 'globex' && deleted !== null),
  )
  good(`done, in ${Math.round((Date.now() - begun.getTime()) / 1000)} s`)
} finally {
  await database.close()
  await mortise.stop()
  await Promise.all([...crms.values()].map((crm) => crm.close()))
  await rm(dataDir, { recursive: true, force: true })
}

/** Waits until the table has what is expected, and prints it. */
async function show(what: string, isExpected: (rows: Record<string, unknown>[]) => boolean): Promise<void> {
  const givenUpAt = Date.now() + givenUpMs
  for (;;) {
    const rows = await contacts()
    if (isExpected(rows)) {
      const columns = Object.keys(rows[0] ?? {})
      table(
        columns,
        rows.map((row) => columns.map((column) => String(row[column] ?? ''))),
      )
      good(what)
      return
    }
    if (Date.now() > givenUpAt) throw new Error(`not in time: ${what}\n${JSON.stringify(rows, null, 2)}`)
    await delay(100)
  }
}

async function contacts(): Promise<Record<string, unknown>[]> {
  const [found] = await database.query("select to_regclass('contacts') is not null as there")
  if (found?.['there'] !== true) return []
  return database.query(
    `select _mortise_group as customer, _mortise_id as id, email, lifecycle, score::text,
            to_char(_mortise_deleted_at, 'HH24:MI:SS') as deleted
       from contacts order by _mortise_group, _mortise_id`,
  )
}

/** What a person of the customer does in the CRM. */
async function change(groupRef: string, contact: string, request: { method: string; body?: string }): Promise<void> {
  const crm = crms.get(groupRef)
  if (!crm) throw new Error(`there is no customer ${groupRef}`)
  const headers = { 'X-Api-Key': crm.apiKey, 'Content-Type': 'application/json' }
  const answer = await fetch(`${crm.url}/contacts/${contact}`, { ...request, headers })
  if (!answer.ok) throw new Error(`${request.method} ${contact} answered ${answer.status}`)
}

/** Reads what changed since the demo began. Otherwise, the schedule of the manifest does. */
async function readAgain(groupRef: string, integrationId: string): Promise<void> {
  await call('POST', `/read/v1/projects/default/integrations/${integrationId}/objects/contacts`, {
    groupRef,
    mode: 'async',
    sinceTimestamp: begun.toISOString(),
  })
}
