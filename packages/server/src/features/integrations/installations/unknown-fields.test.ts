import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'

let app: TestApp
let folder: string
let groups = 0

const read = 'read: { path: /things, records: data, id: key }'
const fields = 'fields: [{ source: static, fields: { Title: string, Owner: other, "Due Date": date } }]'
const file = `name: wiki
baseUrl: '{{url}}'
inputs: [{ name: url, kind: url }]
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
objects:
  pages: { ${read}, ${fields} }
  sampled: { ${read} }
  described: { ${read}, fields: [{ source: static, fields: { Title: string } }, { source: live, path: /fields, name: name }] }
  custom: { read: { path: /things, records: data, flatten: [custom] }, ${fields} }
`
const object = (name: string) => `
        - { objectName: ${name}, destination: hook, optionalFieldsAuto: all, optionalFields: [{ fieldName: builders }] }`
const manifest = `
specVersion: 1.0.0
integrations:
  - name: wiki
    provider: wiki
    read:
      objects:${['pages', 'sampled', 'described', 'custom'].map(object).join('')}
`

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mortise-wiki-'))
  await writeFile(join(folder, 'wiki.yaml'), file)
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: folder, MORTISE_ROLES: 'api' } })
  const { status } = await app.call('PUT', '/projects/default/integrations:batch', { sourceYaml: manifest })
  expect(status).toBe(200)
})
afterAll(async () => {
  await app?.stop()
  await rm(folder, { recursive: true, force: true })
})

interface Answer {
  id: string
  issues?: { name: string; detail: string; remedy: string }[]
}

async function install(objects: object) {
  const groupRef = `group-${++groups}`
  const providerMetadata = { url: 'http://127.0.0.1:9999' }
  const account = { groupRef, consumerRef: 'ada', provider: 'wiki', apiKey: 'key', providerMetadata }
  const connected = await app.call('POST', '/projects/default/connections:generate', account)
  expect(connected.status, JSON.stringify(connected.body)).toBe(201)
  const content = { provider: 'wiki', read: { objects } }
  const path = '/projects/default/integrations/wiki/installations?skipSampling=true'
  return app.call<Answer>('POST', path, { groupRef, config: { content } })
}

describe('a field that the object does not have is refused, with the nearest name', () => {
  it('where it is chosen, and where it is mapped', async () => {
    const { status, body } = await install({
      pages: {
        selectedFields: { Titles: true, Title: true, Ownr: false },
        selectedFieldMappings: { owner: "$['Ovner']['name']" },
        selectedValueMappings: { nothingLikeIt: { a: 'b' } },
      },
    })
    expect(status).toBe(422)
    expect(body.issues?.map(({ name, remedy }) => `${name}: ${remedy}`)).toEqual([
      'config.content.read.objects.pages.selectedFields.Titles: Did you mean "Title"?',
      'config.content.read.objects.pages.selectedFieldMappings.owner: Did you mean "Owner"?',
      'config.content.read.objects.pages.selectedValueMappings.nothingLikeIt: Use one of its fields: Title, Owner, Due Date, key.',
    ])
  })

  it('also by a patch, and what was there before stays as it is', async () => {
    const { body } = await install({ pages: { selectedFields: { Title: true } } })
    const change = (field: string) =>
      app.call<Answer>('PATCH', '/projects/default/integrations/wiki/objects/pages/config-content', {
        installationId: body.id,
        action: 'read',
        changes: [{ op: 'add', path: `/selectedFields/${field}`, value: true }],
      })
    expect((await change('Owners')).body.issues).toMatchObject([{ remedy: 'Did you mean "Owner"?' }])
    expect((await change('Owner')).status).toBe(200)
  })
})

describe('a field is accepted', () => {
  it('in any case, by a nested name, as the id, and where the manifest names it', async () => {
    const selectedFields = { title: true, "$['Owner']['name']": true, key: true, builders: true }
    const { status, body } = await install({ pages: { selectedFields } })
    expect(status, JSON.stringify(body)).toBe(201)
  })

  it.each(['sampled', 'described', 'custom'])('that nobody knows, where not all fields are known: %s', async (name) => {
    const { status, body } = await install({ [name]: { selectedFields: { anything: true } } })
    expect(status, JSON.stringify(body)).toBe(201)
  })
})
