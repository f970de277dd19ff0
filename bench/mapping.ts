import process from 'node:process'
import { createConnector, loadCatalogue, type ProviderRecord } from '@mortise/providers'
import { isReadObject } from '../packages/providers/src/catalogue/format/provider-file.ts'
import { mapRecords } from '../packages/providers/src/interpreter/map-records.ts'
import { planOf } from '../packages/providers/src/interpreter/object-plan.ts'
import { type Benchmark, runAlone } from './benchmark.ts'
import { median, rounded } from './measure/statistics.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const records = 100
const rounds = fullOrShort(21, 7)
/** So many that a round takes longer than the clock of the processor time needs to advance, on both sides. */
const pagesPerRound = { mapped: fullOrShort(2_000, 200), whole: fullOrShort(100, 20) }
const wholeLeast = 0.5

const fields = [
  'firstname',
  'lastname',
  'email',
  'phone',
  'city',
  'state',
  'zip',
  'country',
  'company',
  'jobtitle',
  'website',
  'lifecyclestage',
  'hubspot_owner_id',
  'createdate',
  'lastmodifieddate',
  'hs_lead_status',
  'hubspotscore',
  'industry',
  'numemployees',
  'annualrevenue',
] as const

type Contact = { id: string; properties: Record<(typeof fields)[number], string | null> }

const contacts = Array.from({ length: records }, (_, at) => ({
  id: String(1000 + at),
  properties: Object.fromEntries(
    [...fields, ...fields.map((name) => `custom_${name}`)].map((name) => [name, `${name} ${at}`]),
  ),
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-02T00:00:00.000Z',
  archived: false,
}))
const page = JSON.stringify({ results: contacts })

/** What one would write who knew HubSpot and these fields only. */
function byHand(contact: Contact): ProviderRecord {
  const { id, properties: from } = contact
  return {
    id,
    fields: {
      firstname: from.firstname,
      lastname: from.lastname,
      email: from.email,
      phone: from.phone,
      city: from.city,
      state: from.state,
      zip: from.zip,
      country: from.country,
      company: from.company,
      jobtitle: from.jobtitle,
      website: from.website,
      lifecyclestage: from.lifecyclestage,
      hubspot_owner_id: from.hubspot_owner_id,
      createdate: from.createdate,
      lastmodifieddate: from.lastmodifieddate,
      hs_lead_status: from.hs_lead_status,
      hubspotscore: from.hubspotscore,
      industry: from.industry,
      numemployees: from.numemployees,
      annualrevenue: from.annualrevenue,
    },
    raw: contact,
  }
}

/**
 * HubSpot contacts, mapped by what its provider file was compiled into, and by a function written for the purpose; in
 * turns.
 */
export const mapping: Benchmark = {
  name: 'mapping',
  measures: 'pages of 100 records mapped by a compiled provider file ÷ by a function written by hand',
  goal: { least: 0.6 },
  async run(say) {
    await using folder = await temporaryFolder()
    const entry = (await loadCatalogue({ cacheDir: folder.path })).find('hubspot')
    const object = entry?.file?.sets.get('crm')?.objects.get('contacts')
    if (entry === undefined || !isReadObject(object)) throw new Error('no contacts of hubspot')
    const plan = planOf(object, 'contacts')
    const connection = { metadata: {}, credential: { scheme: 'oauth2', accessToken: 'token' } } as const
    const connector = createConnector(entry, connection, async () => ({ status: 200, headers: {}, body: page }))

    const expected = contacts.map((contact) => byHand(contact as unknown as Contact))
    if (JSON.stringify(mapRecords(plan, fields, contacts)) !== JSON.stringify(expected))
      throw new Error('not the same records')

    const ours = {
      mapped: () => mapRecords(plan, fields, contacts),
      whole: () => connector.readPage({ object: 'contacts', fields }),
    }
    const hand = {
      mapped: () => (contacts as unknown as Contact[]).map(byHand),
      whole: async () => (JSON.parse(page) as { results: Contact[] }).results.map(byHand),
    }
    const ratios = { mapped: [] as number[], whole: [] as number[] }
    const micros = { mapped: [] as number[], byHand: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      for (const part of ['mapped', 'whole'] as const) {
        const first = round % 2 === 0 ? await perPage(ours[part], pagesPerRound[part]) : undefined
        const other = await perPage(hand[part], pagesPerRound[part])
        const took = first ?? (await perPage(ours[part], pagesPerRound[part]))
        // The first rounds are for the compiler.
        if (round < 5) continue
        ratios[part].push(other / took)
        if (part === 'mapped') {
          micros.mapped.push(took)
          micros.byHand.push(other)
        }
      }
    }
    const whole = rounded(median(ratios.whole))
    const details = {
      records,
      fields: fields.length,
      microsecondsAPage: rounded(median(micros.mapped), 1),
      byHand: rounded(median(micros.byHand), 1),
      whole,
    }
    say(
      `${details.microsecondsAPage} µs a page, by hand ${details.byHand} µs; from the text of the answer ${whole} (goal ≥ ${wholeLeast})`,
    )
    return { value: median(ratios.mapped), holds: whole >= wholeLeast, details }
  },
}

/**
 * Microseconds of processor time of this thread. By the clock, the slower side is interrupted more often on a busy
 * machine, so that the ratio becomes worse than it is.
 */
async function perPage(map: () => unknown, pages: number): Promise<number> {
  const began = process.threadCpuUsage()
  for (let at = 0; at < pages; at++) await map()
  const { user, system } = process.threadCpuUsage(began)
  return (user + system) / pages
}

if (import.meta.main) process.exitCode = (await runAlone(mapping)) ? 0 : 1
