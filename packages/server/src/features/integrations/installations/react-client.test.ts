import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type InstallationBody, type InstallationKit, startInstallationKit } from '../../../testkit/installation-kit.ts'
import { createSigner, type TestSigner } from '../../../testkit/test-consumer.ts'

/**
 * What the public React library sends, and the facts of the answers that it relies on (contract 8.2, rows 3, 4 and 14
 * to 18), with a key and with a token. The other rows stand in e2e/existing-clients/react.test.ts.
 */

let kit: InstallationKit
let signer: TestSigner
let authentication: () => Promise<Record<string, string>>
let groups = 0
let group = ''
let connectionId = ''
const dotted = 'job.appointments'
beforeAll(async () => {
  kit = await startInstallationKit()
  signer = await createSigner(kit.app)
  await kit.deploy(`specVersion: 1.0.0
integrations:
  - name: react
    provider: sampleCrm
    read:
      objects:
        - objectName: contacts
          destination: hook
          schedule: "0 * * * *"
          requiredFields: [{ fieldName: email }]
          optionalFields: [{ fieldName: score }, { mapToName: level, default: stage }]
        - { objectName: companies, destination: hook, schedule: "0 3 * * *", optionalFieldsAuto: all }
        - { objectName: ${dotted}, destination: hook, schedule: "0 3 * * *" }
    write: { objects: [{ objectName: contacts }] }
  - { name: proxyOnly, provider: sampleCrm, proxy: { enabled: true } }
`)
})
afterAll(() => kit?.stop())
beforeEach(async () => {
  group = `react-${++groups}`
  connectionId = await kit.connect(group)
})

const call = async <T>(method: string, path: string, body?: unknown) =>
  kit.app.call<T>(method, `${kit.base}${path}`, body, {
    apiKey: null,
    headers: { 'x-amp-client': 'react', 'x-amp-client-version': '2.16.1', ...(await authentication()) },
  })

interface Listed {
  id: string
  name: string
  provider: string
  latestRevision: { id: string; content: { module?: string } }
}
const integration = async (name = 'react') => {
  const { body } = await call<Listed[]>('GET', '/integrations')
  const found = body.find((one) => one.name === name)
  if (!found) throw new Error(name)
  return found
}

/** A read object as the library saves it. */
const saved = (objectName: string, change: object = {}) => ({
  objectName,
  selectedFields: { score: true },
  selectedFieldMappings: { level: 'stage' },
  dynamicMappingsInput: [{ fieldName: 'stage', mapToName: 'level', mappedValues: [] }],
  selectedValueMappings: {},
  ...change,
})
const body = (content: object) => ({
  groupRef: group,
  connectionId,
  config: { content: { provider: 'sampleCrm', ...content } },
})
const install = async (content: object = { read: { objects: { contacts: saved('contacts') } } }, name = 'react') => {
  const { id } = await integration(name)
  const answer = await call<InstallationBody>('POST', `/integrations/${id}/installations`, body(content))
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const update = async (installation: InstallationBody, updateMask: string[], content: object) =>
  call<InstallationBody>('PATCH', `/integrations/${installation.integrationId}/installations/${installation.id}`, {
    updateMask,
    installation: { config: { content } },
  })

/** Every path by which a resource is answered that the library reads. */
async function expectReadable(installation: InstallationBody) {
  const { body: list } = await call<InstallationBody[]>(
    'GET',
    `/integrations/${installation.integrationId}/installations?groupRef=${group}`,
  )
  const { body: one } = await call<InstallationBody>(
    'GET',
    `/integrations/${installation.integrationId}/installations/${installation.id}`,
  )
  for (const answer of [installation, list[0], one]) {
    const content = answer?.config.content
    for (const action of ['read', 'subscribe'] as const)
      if (content && action in content) expect(content[action]?.objects).toEqual(expect.any(Object))
    expect(answer).toMatchObject({ id: installation.id, group: { groupRef: group }, connection: { id: connectionId } })
    expect(JSON.stringify(answer)).not.toMatch(/Time":""/)
  }
}

describe.each(['an API key', 'a consumer token'] as const)('with %s', (credential) => {
  beforeAll(() => {
    authentication = async () =>
      credential === 'an API key' ? { 'x-api-key': kit.app.frontendKey } : signer.headers(group, 'ada')
  })

  describe('looking', () => {
    test('rows 3 and 4: integrations by name, installations of the group as a list', async () => {
      const found = await integration()
      expect(found).toMatchObject({ provider: 'sampleCrm', latestRevision: { id: expect.any(String), content: {} } })
      const path = `/integrations/${found.id}/installations?groupRef=${group}`
      expect((await call('GET', path)).body).toEqual([])
      const { id } = await install()
      expect((await call<{ id: string }[]>('GET', path)).body.map((one) => one.id)).toEqual([id])
    })

    test('row 14: the revision hydrated for the connection', async () => {
      const { id, latestRevision } = await integration()
      const path = `/integrations/${id}/revisions/${latestRevision.id}:hydrate`
      const answer = await call<{
        content: { read: { objects: { optionalFields?: { fieldName?: string }[]; allFields?: object[] }[] } }
      }>('GET', `${path}?connectionId=${connectionId}`)
      expect(answer.status).toBe(200)
      const [contacts, companies, appointments] = answer.body.content.read.objects
      // A mapping is recognised by having no field name; the user maps from `allFields`.
      expect(contacts?.optionalFields?.map(({ fieldName }) => fieldName)).toEqual(['score', undefined])
      expect(contacts?.allFields).toContainEqual({ fieldName: 'stage', displayName: 'Stage' })
      expect(companies?.optionalFields?.length).toBeGreaterThan(3)
      expect(appointments).toMatchObject({ objectName: dotted, displayName: 'Job Appointments', allFields: [] })
      kit.app.clock.advance(60_000)
      kit.crm.failNext(9, 401)
      const failed = await call<{ detail: string; causes?: unknown }>('GET', `${path}?connectionId=${connectionId}`)
      kit.crm.failNext(0, 401)
      expect(failed.status).toBe(422)
      expect(failed.body.detail).toMatch(/.+/)
      if (failed.body.causes !== undefined) expect(failed.body.causes).toEqual(expect.any(Array))
    })
  })

  describe('saving', () => {
    test('row 15: the first save', async () => {
      const installation = await install({ read: { objects: { contacts: saved('contacts') } } })
      expect(installation.config.content.read?.objects['contacts']).toEqual(saved('contacts'))
      expect(installation.config.createdBy).toMatch(credential === 'an API key' ? /^builder:/ : /^consumer:ada$/)
      await expectReadable(installation)
    })

    test('row 15: the wizard, and an integration with nothing to choose', async () => {
      const wizard = await install({
        read: {
          objects: { contacts: { objectName: 'contacts', disabled: false, selectedFieldMappings: { level: 'stage' } } },
        },
      })
      await expectReadable(wizard)
      const proxied = await call<InstallationBody>(
        'POST',
        `/integrations/${(await integration('proxyOnly')).id}/installations`,
        body({ proxy: { enabled: true } }),
      )
      expect(proxied).toMatchObject({ status: 201, body: { config: { content: { proxy: { enabled: true } } } } })
    })

    test('row 15: an install without any object sends empty ones', async () => {
      const installation = await install({ read: { objects: {} }, write: { objects: {} } })
      expect(installation.config.content).toMatchObject({ read: { objects: {} }, write: { objects: {} } })
      await expectReadable(installation)
    })

    test('row 16: later saves name each read object and all write objects', async () => {
      const installation = await install()
      const answer = await update(
        installation,
        [
          'config.content.read.objects.contacts',
          'config.content.read.objects.companies',
          'config.content.write.objects',
        ],
        {
          read: {
            objects: {
              contacts: saved('contacts', { selectedFields: { score: false, phone: true } }),
              companies: saved('companies', { selectedFields: { name: true }, selectedFieldMappings: {} }),
            },
          },
          write: { objects: {} },
        },
      )
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      expect(answer.body.config.content).toMatchObject({
        read: { objects: { contacts: { selectedFields: { score: false, phone: true } }, companies: {} } },
        write: { objects: {} },
      })
      await expectReadable(answer.body)
    })

    test('row 16: absence means inherit, so a save does not unset what the manifest says', async () => {
      const installation = await install()
      const answer = await update(installation, ['config.content.read.objects.contacts'], {
        read: { objects: { contacts: saved('contacts') } },
      })
      expect(answer.status).toBe(200)
      const rows = await kit.app.db.sql
        .selectFrom('read_states')
        .select(['object_name', 'schedule', 'paused'])
        .where('project_id', '=', kit.app.projectId)
        .where('installation_id', '=', installation.id)
        .execute()
      expect(rows).toEqual([{ object_name: 'contacts', schedule: '0 * * * *', paused: null }])
    })

    test('row 17: reading stops and goes on, object names unescaped', async () => {
      const installation = await install({
        read: { objects: { contacts: saved('contacts'), [dotted]: { objectName: dotted, disabled: true } } },
      })
      for (const [name, disabled] of [
        ['contacts', true],
        ['contacts', false],
        [dotted, true],
      ] as const) {
        const answer = await update(installation, [`config.content.read.objects.${name}.disabled`], {
          read: { objects: { [name]: { disabled } } },
        })
        expect(answer.status, JSON.stringify(answer.body)).toBe(200)
        expect(answer.body.config.content.read?.objects[name]).toMatchObject({ objectName: name, disabled })
        expect(answer.body.config.content.read?.objects['contacts']).toMatchObject({ selectedFields: { score: true } })
      }
      const whole = await update(installation, [`config.content.read.objects.${dotted}`], {
        read: { objects: { [dotted]: { objectName: dotted, disabled: true, selectedFields: {} } } },
      })
      expect(whole.status).toBe(200)
    })

    test('what is refused has a detail, and lists where lists are expected', async () => {
      const { id } = await integration()
      const answer = await call<{ detail: string; issues: object[] }>(
        'POST',
        `/integrations/${id}/installations`,
        body({ read: { objects: { contacts: saved('contacts', { selectedFields: { nope: true }, schedule: 'x' }) } } }),
      )
      expect(answer).toMatchObject({ status: 422, body: { detail: expect.any(String), issues: [{}] } })
    })
  })

  test('row 18: uninstalling', async () => {
    const { id, integrationId } = await install()
    expect((await call('DELETE', `/integrations/${integrationId}/installations/${id}`)).status).toBe(204)
    expect((await call('GET', `/integrations/${integrationId}/installations?groupRef=${group}`)).body).toEqual([])
    expect((await call('GET', `/connections?provider=sampleCrm&groupRef=${group}`)).body).toEqual([])
  })
})

test('what is stored without objects by any other way is never answered without them', async () => {
  const installation = await install({ read: {}, subscribe: {} })
  expect(installation.config.content).toMatchObject({ read: { objects: {} }, subscribe: { objects: {} } })
  await expectReadable(installation)
  const patched = await kit.app.call<InstallationBody>(
    'PATCH',
    `${kit.base}/integrations/react/objects/companies/config-content`,
    {
      installationId: installation.id,
      action: 'read',
      changes: [{ op: 'add', path: '/selectedFields/name', value: true }],
    },
  )
  expect(patched.status, JSON.stringify(patched.body)).toBe(200)
  await expectReadable(patched.body)
})
