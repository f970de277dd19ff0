import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type InstallationKit, type ProblemBody, startInstallationKit } from '../../../testkit/installation-kit.ts'
import { applyUpdateMask } from './update-mask.ts'
import { subscribeObjectIssues, writeObjectIssues } from './validate-other-objects.ts'

/** One answer tells everything that is wrong, whichever stage of the checks finds it. */

let kit: InstallationKit
let installationId = ''
beforeAll(async () => {
  kit = await startInstallationKit()
  await kit.connect('g')
  installationId = (await kit.create('g', { contacts: {} }, {}, '?skipSampling=true')).body.id
})
afterAll(() => kit?.stop())

const placesOf = ({ body }: { body: ProblemBody }) => body.issues.map(({ in: part, name }) => `${part} ${name}`)

describe('creating', () => {
  test('faults of the schema and of what fits it, of several objects', async () => {
    const answer = await kit.create<ProblemBody>('g', {
      contacts: { disabled: 'yes' },
      companies: { schedule: 'never', backfill: { defaultPeriod: {} } },
      'a.b': { selectedValueMappings: { stage: { x: 1, y: 1 } } },
    })
    expect(answer.status).toBe(400)
    expect(placesOf(answer)).toEqual([
      'body config.content.read.objects.contacts.disabled',
      'body config.content.read.objects.companies.schedule',
      'body config.content.read.objects.companies.backfill.defaultPeriod',
      'body config.content.read.objects.a.b.selectedValueMappings.stage',
    ])
  })

  test('a missing connection, and what the integration does not allow', async () => {
    const answer = await kit.create<ProblemBody>('unconnected', { contact: {}, contacts: { schedule: 'never' } })
    expect(answer.status).toBe(400)
    expect(placesOf(answer)).toEqual([
      'body groupRef',
      'body config.content.read.objects.contact',
      'body config.content.read.objects.contacts.schedule',
    ])
    const elsewhere = await kit.connect('g', { provider: 'pylon', apiKey: 'k' })
    const other = await kit.create<ProblemBody>('g', { contact: {} }, { connectionId: elsewhere })
    expect(other.status).toBe(422)
    expect(placesOf(other)).toEqual(['body connectionId', 'body config.content.read.objects.contact'])
  })

  test.each([
    ['nothing', {}],
    ['a list', []],
    ['lists for objects', { groupRef: 5, config: { content: { read: { objects: [[{ schedule: 'x' }]] } } } }],
    [
      'a text for an object',
      { config: { content: { provider: 'sampleCrm', read: { objects: { a: 'x', b: null } } } } },
    ],
  ])('any JSON is answered: %s', async (_, body) => {
    expect((await kit.app.call('POST', kit.path(), body)).status).toBe(400)
  })
})

describe('updating', () => {
  test('unknown paths beside faults of the schema', async () => {
    const answer = await kit.update<ProblemBody>(
      installationId,
      ['nope', '', 'config.content.read.objects.contacts', 'config.content.read.objects', 'config.content.read'],
      { connectionId: 5, config: { content: { read: { objects: { contacts: { schedule: 'never' } } } } } },
    )
    expect(answer.status).toBe(400)
    expect(placesOf(answer).toSorted()).toEqual([
      'body installation.config.content.read.objects.contacts.schedule',
      'body installation.connectionId',
      'body updateMask[0]',
      'body updateMask[1]',
      'body updateMask[3]',
      'body updateMask[4]',
    ])
    expect(answer.body.issues.find(({ name }) => name === 'updateMask[0]')?.remedy).toBe(
      'Use one of connectionId, config.createdBy, config.content.read.objects.{object}, ' +
        'config.content.read.objects.{object}.disabled, config.content.write.objects, ' +
        'config.content.write.objects.{object}, config.content.subscribe.objects, ' +
        'config.content.subscribe.objects.{object}, config.content.proxy.enabled.',
    )
  })

  test('another connection that does not fit, and an object that does not', async () => {
    const answer = await kit.update<ProblemBody>(installationId, ['connectionId', 'config.content.read.objects.x'], {
      connectionId: 'nope',
      config: { content: { read: { objects: { x: {} } } } },
    })
    expect(answer.status).toBe(400)
    expect(placesOf(answer)).toEqual(['body installation.connectionId', 'body config.content.read.objects.x'])
  })
})

describe('patching', () => {
  const patch = (body: unknown, object = 'contacts') => kit.patch<ProblemBody>(object, body)

  test('the object, the group and every operation, one issue each', async () => {
    const changes = [
      { op: 'move', from: '/a', path: '/b' },
      { op: 'add', path: 'schedule', value: 'x' },
      { op: 'add', path: '/disabled' },
      { op: 'replace', path: '/__proto__/x', value: 1 },
      { op: 'remove', path: '/schedule~2' },
      { op: 'add', path: '/disabled', value: true },
    ]
    const answer = await patch({ action: 'read', changes }, 'contact')
    expect(answer.status).toBe(400)
    expect(placesOf(answer)).toEqual([
      'body groupRef',
      'path objectName',
      'body changes[0].op',
      'body changes[1].path',
      'body changes[2].value',
      'body changes[3].path',
      'body changes[4].path',
    ])
  })

  test('the same beside faults of the schema', async () => {
    const changes = [{ op: 'move', path: '/b' }, null, { op: 5, path: '/a' }, { op: 'add', path: 'x', value: 1 }]
    const answer = await patch({ action: 'erase', changes })
    expect(answer.status).toBe(400)
    expect(placesOf(answer).toSorted()).toEqual([
      'body action',
      'body changes[0].op',
      'body changes[1]',
      'body changes[2].op',
      'body changes[3].path',
      'body groupRef',
    ])
    expect(placesOf(await patch({ action: 'read', changes: [] }))).toEqual(['body changes', 'body groupRef'])
    expect((await patch(null)).status).toBe(400)
    expect((await patch([])).status).toBe(400)
  })

  test('hostile pointers reach nothing', async () => {
    const pointers = [
      '/__proto__',
      '/constructor/prototype/x',
      `/selectedFields/${'a/'.repeat(70)}`,
      '/selectedFields/~',
      '/selectedFields/~2',
      ' /schedule',
      '//schedule',
      '/schedule/length',
    ]
    for (const path of pointers) {
      const changes = [{ op: 'add', path, value: true }]
      const { status, body } = await patch({ installationId, action: 'read', changes })
      expect(status, path).toBe(400)
      expect(body.issues[0]?.name, path).toMatch(/^changes\[0\]/)
    }
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })
})

describe('an update mask', () => {
  const content = { provider: 'p', read: { objects: { a: { schedule: 's' }, 'a.disabled': {} } } }
  const masked = (mask: string[], update: object) => applyUpdateMask(content, mask, update)
  const objects = (read: object) => ({ config: { content: { read: { objects: read } } } })

  test('an object whose name ends like a leaf is that object, where the body has it', () => {
    const path = ['config.content.read.objects.a.disabled']
    expect(masked(path, objects({ 'a.disabled': { schedule: 'x' } }))).toMatchObject({
      update: { content: { read: { objects: { 'a.disabled': { schedule: 'x' }, a: { schedule: 's' } } } } },
    })
    expect(masked(path, objects({ a: { disabled: true } }))).toMatchObject({
      update: { content: { read: { objects: { a: { schedule: 's', disabled: true } } } } },
    })
  })

  test('a path that begins another: they are applied in their order', () => {
    const both = ['config.content.read.objects.a', 'config.content.read.objects.a.disabled']
    const update = objects({ a: { disabled: true } })
    expect(masked(both, update)).toEqual({
      update: { content: { provider: 'p', read: { objects: { a: { disabled: true }, 'a.disabled': {} } } } },
    })
    const whole = ['config.content.write.objects', 'config.content.write.objects.b']
    expect(masked(whole, { config: { content: { write: { objects: { b: { x: 1 }, c: {} } } } } })).toMatchObject({
      update: { content: { write: { objects: { b: { x: 1 }, c: {} } } } },
    })
  })

  test.each([
    ['config.content.read.objects.a\\.b', 'a.b'],
    ['config.content.read.objects.a\\:b', 'a:b'],
    ['config.content.read.objects.a\\/b\\\\c', 'a/b\\c'],
    ['config.content.read.objects.a.b', 'a.b'],
    ['config.content.read.objects.a\\b', 'a\\b'],
  ])('%s names the object %s', (path, name) => {
    expect(masked([path], objects({ [name]: { schedule: 'x' } }))).toMatchObject({
      update: { content: { read: { objects: { [name]: { schedule: 'x' } } } } },
    })
  })

  test.each([
    'config',
    'config.content',
    'config.content.provider',
    'config.content.read',
    'config.content.read.objects',
    'config.content.read.objects.',
    'config.content.write',
    'config.content.proxy',
    'config.revisionId',
    'connectionId.x',
    'CONNECTIONID',
    'constructor',
  ])('%s is no path', (path) => {
    expect(masked([path], { connectionId: 'c', ...objects({ a: {} }) })).toMatchObject({
      issues: [{ name: 'updateMask[0]', remedy: expect.stringContaining('config.content.proxy.enabled') }],
    })
  })

  test('no value of a prototype counts as sent', () => {
    expect(masked(['config.content.read.objects.toString'], objects({}))).toHaveProperty('issues')
    expect(masked(['config.content.read.objects.toString.disabled'], objects({}))).toHaveProperty('issues')
  })
})

describe('objects that are written and subscribed', () => {
  test('a default is one value', () => {
    const settings = (value: object) => writeObjectIssues({ selectedFieldSettings: { a: { default: value } } })
    expect(settings({ stringValue: '' })).toEqual([])
    expect(settings({})).toMatchObject([{ path: ['selectedFieldSettings', 'a', 'default'] }])
    expect(settings({ stringValue: 'x', integerValue: 1 })).toHaveLength(1)
    expect(writeObjectIssues({ selectedFieldSettings: { a: { writeOnCreate: 'never' } } })).toEqual([])
  })

  test.each([
    'lead',
    '',
    7,
    false,
    { value: 'lead' },
    { value: 0, applyOnUpdate: 'never' },
    { value: true, applyOnUpdate: 'always' },
  ])('the deprecated default %j is accepted', (setting) => {
    expect(writeObjectIssues({ selectedValueDefaults: { a: setting } })).toEqual([])
  })

  test.each([
    null,
    [1],
    {},
    { value: null },
    { value: {} },
    { value: 1, applyOnUpdate: 'sometimes' },
    { value: 1, applyOnUpdate: null },
  ])('the deprecated default %j, which no write could use, is refused', (setting) => {
    expect(writeObjectIssues({ selectedValueDefaults: { a: setting, b: 1 } })).toMatchObject([
      { path: ['selectedValueDefaults', 'a'], value: setting },
    ])
  })

  test('options of a provider are taken from no other', () => {
    const quota = { providerOptions: { quotaOptimization: { enabled: true } } }
    expect(subscribeObjectIssues('hubspot', quota)).toMatchObject([{ path: ['providerOptions'] }])
    expect(subscribeObjectIssues('salesforce', quota)).toMatchObject([
      { path: ['providerOptions', 'quotaOptimization'] },
    ])
    const watched = { ...quota, updateEvent: { requiredWatchFields: ['a'] } }
    expect(subscribeObjectIssues('salesforce', watched)).toEqual([])
    expect(
      subscribeObjectIssues('salesforce', {
        ...quota,
        updateEvent: { requiredWatchFields: ['a'], watchFieldsAuto: 'all' as const },
      }),
    ).toHaveLength(1)
  })
})
