import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startSampleCrm } from '@mortise-examples/sample-crm'
import { buildConsole } from '../../../scripts/build-console.mjs'
import { createCall } from './api.ts'
import { backfilled, type Customer, connect, createReceiver, deploy, install, recordsRead } from './customer.ts'
import { freePort } from './free-port.ts'
import { startMortise } from './mortise-process.ts'
import { countdown, followBar, good, say, step, table, title } from './show.ts'

/**
 * `npm run demo`: the main job as a guided tour, in under two minutes and without a network. In a terminal it then
 * stays, for a look at the console, until Ctrl-C. `--keep` also keeps its data, and stays without a terminal.
 */

const keep = process.argv.includes('--keep')
const stays = keep || (process.stdin.isTTY && process.stdout.isTTY)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const contacts = 20_000
const begun = Date.now()
const providersDir = fileURLToPath(new URL('../../sample-crm/providers', import.meta.url))
const dataDir = await mkdtemp(join(tmpdir(), 'mortise-demo-'))
const port = await freePort()
const crm = await startSampleCrm({ contacts, rateLimit: 30 })
let mortise = await startMortise({ port, dataDir, providersDir })
const call = createCall(mortise.url, mortise.apiKey)
const customers: Customer[] = []

try {
  title('Mortise: from a manifest to verified webhooks')
  step('A sample CRM, a webhook receiver and Mortise are running')
  say(`CRM      ${crm.url} (${contacts.toLocaleString('en')} contacts, at most 30 requests a second)`)
  say(`Mortise  ${mortise.url}/v1 (process ${mortise.pid}, database in ${dataDir})`)

  step('Deploy the manifest examples/manifests/sample-crm.yaml')
  const integrationId = await deploy(call)
  good(`integration ${integrationId}`)

  step('A customer connects an account and installs the integration')
  const acme = await newCustomer('acme', 'demoWebhook', integrationId)
  good('the CRM accepted the key, the test read succeeded, the backfill has started')

  step('The backfill: all existing contacts, as signed messages')
  await followBar({ label: 'read     ', total: contacts, value: () => backfilled(call, acme), timeoutMs: 60_000 })
  await followBar({
    label: 'delivered',
    total: contacts,
    value: async () => acme.receiver.counters().distinctRecords,
    timeoutMs: 30_000,
  })
  good(
    `all signatures verified with the public library standardwebhooks; responses 429 of the CRM: ${crm.counters().rateLimited}`,
  )

  step('25 contacts change in the CRM; the next scheduled read (cron * * * * *) must find them')
  await untilAfterTick()
  const changed = crm.change(25)
  const seenBefore = new Map(changed.map(({ id }) => [id, acme.receiver.timesReceived('contacts', id)]))
  const found = () =>
    changed.filter(({ id }) => acme.receiver.timesReceived('contacts', id) > (seenBefore.get(id) ?? 0)).length
  say(`the next read is at ${nextMinute().toISOString().slice(11, 19)} UTC; in the meantime:`)

  step('A second customer installs, and the process is killed in the middle of the backfill')
  const globex = await newCustomer('globex', 'demoWebhook2', integrationId)
  await followBar({
    label: 'read     ',
    total: contacts,
    enough: contacts / 3,
    value: () => backfilled(call, globex),
    timeoutMs: 30_000,
  })
  await mortise.kill()
  good(`kill -9 ${mortise.pid}: API, worker and database died in the middle of a page`)
  mortise = await startMortise({ port, dataDir, providersDir })
  good(
    `started again as process ${mortise.pid}; it resumes at the last committed page when the lease of the dead worker ends`,
  )
  await followBar({ label: 'read     ', total: contacts, value: () => backfilled(call, globex), timeoutMs: 60_000 })
  await followBar({
    label: 'delivered',
    total: contacts,
    value: async () => globex.receiver.counters().distinctRecords,
    timeoutMs: 30_000,
  })

  step('The scheduled read')
  await countdown('next read in', new Date(nextMinute().getTime() + 15_000), () => found() === changed.length)
  if (found() !== changed.length) throw new Error(`only ${found()} of ${changed.length} changes arrived`)
  good(`all ${changed.length} changed contacts arrived`)

  await report([acme, globex])
  await showConsole(acme)
  if (stays) await stayUntilInterrupted()
} finally {
  await mortise.stop()
  await Promise.all(customers.map(({ receiver }) => receiver.close()))
  await crm.close()
  if (!keep) await rm(dataDir, { recursive: true, force: true })
}

async function newCustomer(groupRef: string, destination: string, integrationId: string): Promise<Customer> {
  const receiver = await createReceiver(call, destination)
  const connectionId = await connect(call, groupRef, crm)
  const installationId = await install(call, { integrationId, groupRef, connectionId, destination })
  const customer = { groupRef, receiver, installationId, integrationId }
  customers.push(customer)
  return customer
}

/** A change right before a tick could miss it: windows leave the last two seconds to the next read. */
async function untilAfterTick(): Promise<void> {
  const left = nextMinute().getTime() - Date.now()
  if (left < 6_000) await countdown('a read is near; it starts in', new Date(Date.now() + left + 500), () => false)
}

function nextMinute(): Date {
  return new Date(Math.ceil((Date.now() + 1) / 60_000) * 60_000)
}

async function report(all: Customer[]): Promise<void> {
  const rows = await Promise.all(
    all.map(async (customer) => {
      const { records } = await recordsRead(call, customer)
      const { records: received, distinctRecords, duplicates, refused } = customer.receiver.counters()
      return [customer.groupRef, records, received, duplicates, contacts - distinctRecords, refused]
    }),
  )
  table(['customer', 'records read', 'records delivered', 'messages repeated', 'contacts lost', 'bad signatures'], rows)
  const lost = rows.reduce((sum, row) => sum + Number(row[4]), 0)
  if (lost !== 0) throw new Error(`${lost} contacts are lost`)
  good(`nothing lost, in ${Math.round((Date.now() - begun) / 1000)} s`)
}

/** Prints the link to the installation of a customer. */
async function showConsole({ integrationId, installationId }: Customer): Promise<void> {
  step('The console')
  if (stays) await buildConsole(root)
  const page = `/console/default/installations/${integrationId}/${installationId}`
  if (stays && mortise.firstOwnerUrl) say(`create your account first: ${mortise.firstOwnerUrl}`)
  good(`the installation of acme: ${mortise.url}${page}`)
  if (!stays) say('the demo ends here and deletes its data; npm run demo -- --keep leaves it running')
}

async function stayUntilInterrupted(): Promise<void> {
  const fate = keep ? `. The data stays in ${dataDir}` : ' and deletes its data'
  say(`still running: ${mortise.url}/v1 with the key in ${join(dataDir, 'api-key')}; Ctrl-C stops it${fate}`)
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
}
