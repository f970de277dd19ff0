import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  emptyMaps,
  type InstallationKit,
  type ProblemBody,
  startInstallationKit,
} from '../../../testkit/installation-kit.ts'
import { type EffectiveReadObject, effectiveReadObjects } from './effective.ts'
import { findInstallation } from './store.ts'

/** Every field of a config: what is stored of it, what it makes of the manifest, and what becomes of the reads. */

let kit: InstallationKit
let groups = 0
beforeAll(async () => {
  kit = await startInstallationKit()
})
afterAll(() => kit?.stop())

/** `contacts` of the kit's manifest, with nothing chosen. */
const inherited: EffectiveReadObject = {
  objectName: 'contacts',
  mapToName: 'people',
  schedule: '0 * * * *',
  destination: 'hook',
  disabled: false,
  fields: ['email'],
  mappings: [{ from: 'phone', to: 'telephone' }],
  valueMappings: {},
  backfill: { defaultPeriod: { days: 3 } },
  deletions: false,
  delivery: { mode: 'auto' },
  enabledAlways: false,
}

interface Effect {
  /** What differs from `inherited`. */
  effective: Partial<EffectiveReadObject>
  /** What becomes of the read state. */
  state?: { schedule?: string; paused?: string | null }
  /** From how many days back the backfill reads; null for everything, undefined for none. */
  backfillDays?: number | null | undefined
}
const stays = { schedule: '0 * * * *', paused: null }

const table: [field: string, value: unknown, Effect][] = [
  ['schedule', '30 4 * * *', { effective: { schedule: '30 4 * * *' }, state: { schedule: '30 4 * * *' } }],
  ['disabled', true, { effective: { disabled: true }, state: { paused: 'config' }, backfillDays: undefined }],
  ['disabled', false, { effective: {} }],
  ['destination', 'elsewhere', { effective: { destination: 'elsewhere' } }],
  ['selectedFields', { score: true, plan: false }, { effective: { fields: ['email', 'score'] } }],
  ['selectedFields', { "$['company']['city']": true }, { effective: { fields: ['email', "$['company']['city']"] } }],
  [
    'selectedFieldMappings',
    { stage: 'plan' },
    { effective: { mappings: [...inherited.mappings, { from: 'plan', to: 'stage' }] } },
  ],
  ['selectedFieldMappings', { stage: '' }, { effective: {} }],
  [
    'selectedValueMappings',
    { stage: { hot: 'lead', paying: 'customer' } },
    { effective: { valueMappings: { stage: { hot: 'lead', paying: 'customer' } } } },
  ],
  ['dynamicMappingsInput', [{ mapToName: 'level', prompt: 'Which?' }, { fieldName: 'stage' }], { effective: {} }],
  ['selectedFieldsAuto', 'all', { effective: { fields: 'all' } }],
  [
    'backfill',
    { defaultPeriod: { days: 9 } },
    { effective: { backfill: { defaultPeriod: { days: 9 } } }, backfillDays: 9 },
  ],
  [
    'backfill',
    { defaultPeriod: { days: 0 } },
    { effective: { backfill: { defaultPeriod: { days: 0 } } }, backfillDays: undefined },
  ],
  [
    'backfill',
    { defaultPeriod: { fullHistory: true } },
    { effective: { backfill: { defaultPeriod: { fullHistory: true } } }, backfillDays: null },
  ],
  ['fieldFilters', [], { effective: {} }],
  ['deletions', { enabled: 'always' }, { effective: { deletions: true } }],
  ['deletions', { enabled: 'never' }, { effective: {} }],
  ['aKeyOfLater', { any: ['thing'] }, { effective: {} }],
]

async function effectOf(id: string, objectName = 'contacts') {
  const record = await findInstallation(kit.app.db, id)
  const { rows: states } = await sql<{
    schedule: string
    paused: string | null
    next_run_at: Date
    high_water_mark: Date
  }>`
    select schedule, paused, next_run_at, high_water_mark from read_states where installation_id = ${id} and object_name = ${objectName}`.execute(
    kit.app.db.sql,
  )
  const { rows: runs } = await sql<{ days: number | null }>`
    select round(extract(epoch from until - since) / 86400)::int as days from read_runs
    where installation_id = ${id} and kind = 'backfill' and object_name = ${objectName}`.execute(kit.app.db.sql)
  return { effective: record && effectiveReadObjects(record).get(objectName), state: states[0], runs }
}

describe('installing with a field of a read object', () => {
  test.each(table)('%s: %j', async (field, value, { effective, state, ...backfill }) => {
    const group = `fields-${++groups}`
    await kit.connect(group)
    const answer = await kit.create(group, { contacts: { [field]: value } }, {}, '?skipSampling=true')
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    expect(answer.body.config.content.read?.objects['contacts']).toEqual({
      ...emptyMaps,
      objectName: 'contacts',
      [field]: value,
    })
    const effect = await effectOf(answer.body.id)
    expect(effect.effective).toEqual({ ...inherited, ...effective })
    expect(effect.state).toMatchObject({ ...stays, ...state })
    const days = 'backfillDays' in backfill ? backfill.backfillDays : 3
    expect(effect.runs).toEqual(days === undefined ? [] : [{ days }])
  })

  test.each([
    ['fieldFilters', [{ fieldName: 'stage', operator: 'eq', value: 'lead' }]],
    ['backfill', { defaultPeriod: { days: 1 }, fieldFilters: [{ fieldName: 'vip', operator: 'eq', value: true }] }],
  ])('%s needs a provider that can filter: 422', async (field, value) => {
    const group = `fields-${++groups}`
    await kit.connect(group)
    const answer = await kit.create<ProblemBody>(group, { contacts: { [field]: value } }, {}, '?skipSampling=true')
    expect(answer).toMatchObject({
      status: 422,
      body: { issues: [{ detail: expect.stringContaining('not supported') }] },
    })
  })
})

describe('deletions', () => {
  const install = async (objects: Record<string, object>) => {
    const group = `fields-${++groups}`
    await kit.connect(group)
    return await kit.create<ProblemBody>(group, objects, {}, '?skipSampling=true')
  }

  test('need an object whose deleted records the provider reports: 422', async () => {
    const answer = await install({ companies: { selectedFieldsAuto: 'all', deletions: { enabled: 'always' } } })
    expect(answer).toMatchObject({
      status: 422,
      body: {
        issues: [
          {
            name: 'config.content.read.objects.companies.deletions.enabled',
            detail: expect.stringContaining('does not report deleted records of companies') as string,
          },
        ],
      },
    })
    expect((await install({ companies: { selectedFieldsAuto: 'all', deletions: { enabled: 'never' } } })).status).toBe(
      201,
    )
  })

  test.each(['*/30 * * * *', 'nightly', '0 0 31 2 *'])('have no schedule such as %s: 422', async (schedule) => {
    const answer = await install({ companies: { selectedFieldsAuto: 'all', deletions: { schedule } } })
    expect([answer.status, answer.body.issues.map(({ name }) => name)]).toEqual([
      422,
      ['config.content.read.objects.companies.deletions.schedule'],
    ])
  })

  test.each([true, {}, { enabled: true }, { enabled: 'maybe' }, { schedule: 3 }])(
    '%j is refused: 400',
    async (deletions) => {
      const answer = await install({ contacts: { deletions } })
      expect([answer.status, answer.body.issues[0]?.name]).toEqual([
        400,
        expect.stringContaining('contacts.deletions') as string,
      ])
    },
  )
})

describe('changing a field of an installation', () => {
  test('a schedule counts from now, an absent one goes back to the manifest’s, and a backfill is made once', async () => {
    const group = `fields-${++groups}`
    await kit.connect(group)
    const { id } = (await kit.create(group, { contacts: {} }, {}, '?skipSampling=true')).body
    const mask = ['config.content.read.objects.contacts']
    const change = async (object: object) => {
      const update = { config: { content: { read: { objects: { contacts: object } } } } }
      expect((await kit.update(id, mask, update, '?skipSampling=true')).status).toBe(200)
      return await effectOf(id)
    }
    const before = await effectOf(id)
    const moved = await change({ schedule: '0 0 1 1 *', backfill: { defaultPeriod: { days: 99 } } })
    expect(moved.state?.schedule).toBe('0 0 1 1 *')
    expect(moved.state?.next_run_at.getTime()).toBeGreaterThan(before.state?.next_run_at.getTime() ?? 0)
    expect(moved.runs).toEqual([{ days: 3 }])
    const back = await change({ selectedFields: { score: true } })
    expect(back.state).toMatchObject(stays)
    expect(back.effective).toEqual({ ...inherited, fields: ['email', 'score'] })
    expect((await change({ disabled: true })).state?.paused).toBe('config')
    expect((await change({})).state?.paused).toBeNull()
  })

  test.each([
    ['write', { selectedFieldSettings: { score: { default: { integerValue: 1 }, writeOnUpdate: 'ifEmpty' } } }],
    ['write', { deletionSettings: { enabled: true } }],
    ['write', { selectedValueDefaults: { score: { value: 1, applyOnUpdate: 'never' }, stage: 'lead' } }],
    ['subscribe', { createEvent: { enabled: 'never' } }],
    ['subscribe', { updateEvent: { enabled: 'always', watchFieldsAuto: 'all', requiredWatchFields: ['score'] } }],
    ['subscribe', { deleteEvent: { enabled: 'always' } }],
    ['subscribe', { otherEvents: ['contact.merged'] }],
    ['subscribe', { destination: 'elsewhere' }],
    ['subscribe', { inheritFieldsAndMappings: false }],
  ] as const)('%s %j is kept for the release that performs it, and changes no read', async (action, object) => {
    const group = `fields-${++groups}`
    await kit.connect(group)
    const { id } = (await kit.create(group, { contacts: {} }, {}, '?skipSampling=true')).body
    const before = await effectOf(id)
    const changes = Object.entries(object).map(([key, value]) => ({ op: 'add', path: `/${key}`, value }))
    const answer = await kit.patch('contacts', { installationId: id, action, changes })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    expect(answer.body.config.content[action]?.objects['contacts']).toEqual({ objectName: 'contacts', ...object })
    expect(await effectOf(id)).toEqual(before)
  })

  test('spellings of before are taken, and kept as they are spelled today', async () => {
    const group = `fields-${++groups}`
    await kit.connect(group)
    const { id } = (await kit.create(group, { contacts: {} }, {}, '?skipSampling=true')).body
    const add = (path: string, value: unknown) => ({ op: 'add', path, value })
    const answer = await kit.patch('contacts', {
      installationId: id,
      action: 'subscribe',
      changes: [add('/inheritFieldsAndMapping', false)],
    })
    expect(answer.body.config.content.subscribe?.objects['contacts']).toMatchObject({ inheritFieldsAndMappings: false })
    const quota = add('/salesforceQuotaOptimization', { enabled: true })
    const refused = await kit.patch<ProblemBody>('contacts', {
      installationId: id,
      action: 'subscribe',
      changes: [quota],
    })
    expect(refused).toMatchObject({ status: 400, body: { issues: [{ detail: expect.stringContaining('sampleCrm') }] } })
  })
})

describe('lifecycles', () => {
  const yaml = (objects: string) => `specVersion: 1.0.0
integrations:
  - name: living
    provider: sampleCrm
    read:
      objects:
        - { objectName: contacts, destination: hook, schedule: "0 * * * *", requiredFields: [{ fieldName: email }] }
${objects}`
  const companies = (more = '') =>
    `        - { objectName: companies, destination: hook, schedule: "0 3 * * *"${more} }\n`
  const installLiving = async () => {
    const groupRef = `living-${++groups}`
    await kit.connect(groupRef)
    const config = { content: { provider: 'sampleCrm', read: { objects: { contacts: {}, companies: {} } } } }
    const answer = await kit.app.call<{ id: string }>('POST', `${kit.path('living')}?skipSampling=true`, {
      groupRef,
      config,
    })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body.id
  }
  /** What the job that follows a deploy does, for one installation. */
  const followed = async (id: string) => {
    await kit.app.db.transaction((tx) =>
      kit.app.app.services.hooks.installationChanged(tx, { installationId: id, kind: 'updated' }),
    )
    return (await effectOf(id, 'companies')).state
  }

  test('a deploy that leaves an object out keeps its reads; a destructive one pauses them; a return resumes them', async () => {
    await kit.deploy(yaml(companies()))
    const id = await installLiving()
    await kit.deploy(yaml(''))
    expect(await followed(id)).toMatchObject({ schedule: '0 3 * * *', paused: null })
    expect((await effectOf(id, 'companies')).effective).toMatchObject({ schedule: '0 3 * * *', destination: 'hook' })
    await kit.deploy(yaml(companies()))
    const mark = sql`update read_states set high_water_mark = '2020-02-02T00:00:00Z' where installation_id = ${id}`
    await mark.execute(kit.app.db.sql)
    await kit.deploy(yaml(''), '?destructive=true')
    expect((await effectOf(id, 'companies')).state?.paused).toBe('removed')
    expect(await followed(id)).toMatchObject({ paused: 'removed' })
    await kit.deploy(yaml(companies()))
    expect(await followed(id)).toMatchObject({
      schedule: '0 3 * * *',
      paused: null,
      high_water_mark: new Date('2020-02-02'),
    })
  })

  test.each([
    ['the same manifest', yaml('')],
    ['another change', yaml('').replace('0 * * * *', '30 * * * *')],
  ])('a destructive deploy of %s pauses what an earlier deploy left out and kept', async (_, later) => {
    await kit.deploy(yaml(companies()))
    const id = await installLiving()
    await kit.deploy(yaml(''))
    expect(await followed(id)).toMatchObject({ paused: null })
    const { system } = kit.app.testDatabase.database
    await sql`delete from mortise_jobs.job where name = 'reading.resync'`.execute(system)
    await kit.deploy(later, '?destructive=true')
    expect((await effectOf(id, 'companies')).state?.paused).toBe('removed')
    expect((await effectOf(id, 'contacts')).state?.paused).toBe(null)
    const { rows } = await sql`select state::text from mortise_jobs.job where name = 'reading.resync'`.execute(system)
    expect(rows).toHaveLength(1)
  })

  test('an object that is always read is read for those who installed before, and goes when it is no longer', async () => {
    const groupRef = `living-${++groups}`
    await kit.deploy(yaml(''))
    await kit.connect(groupRef)
    const config = { content: { provider: 'sampleCrm', read: { objects: { contacts: {} } } } }
    const { id } = (
      await kit.app.call<{ id: string }>('POST', `${kit.path('living')}?skipSampling=true`, { groupRef, config })
    ).body
    expect(await followed(id)).toBeUndefined()
    await kit.deploy(yaml(companies(', enabled: always')))
    expect(await followed(id)).toMatchObject({ schedule: '0 3 * * *', paused: null })
    await kit.deploy(yaml(companies()))
    expect(await followed(id)).toBeUndefined()
  })
})
