import { request } from 'node:http'
import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleCrmProviders } from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import { craftZip } from '../packages/server/src/testkit/craft-zip.ts'
import { createTenant, type Tenant } from '../packages/server/src/testkit/tenant.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { type Answer, expectProblem, type ProblemBody } from './problem-answer.testkit.ts'
import { openStoredRows, type StoredRows } from './stored-rows.testkit.ts'

/**
 * What people send by mistake, and what they send to see what happens: each gets an answer that says what to do, and
 * changes nothing.
 */

let app: TestApp
let crm: SampleCrm
let tenant: Tenant
let rows: StoredRows
let before: string

beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api' } })
  crm = await startSampleCrm({ contacts: 3, rateLimit: 0 })
  tenant = await createTenant(app, crm, { apiKey: app.apiKey, project: 'default', name: 'crm' })
  rows = await openStoredRows(app.testDatabase.url)
  before = await rows.fingerprint()
})
afterAll(async () => {
  await rows?.close()
  await app?.stop()
  await crm?.close()
})

async function refused(method: string, path: string, body?: unknown, apiKey?: string): Promise<ProblemBody> {
  const { status, headers, body: answered } = await app.call(method, path, body, apiKey === undefined ? {} : { apiKey })
  const problem = expectProblem({ status, headers: Object.fromEntries(headers), text: JSON.stringify(answered) })
  expect(await rows.fingerprint(), 'nothing changed').toBe(before)
  return problem
}

const batch = '/projects/default/integrations:batch'
const deployed = (sourceYaml: string) => refused('PUT', batch, { sourceYaml })
const manifest = (parts: string) =>
  `specVersion: 1.0.0\nintegrations:\n  - name: new\n    provider: sampleCrm\n${parts}`
const read = (schedule: string) =>
  manifest(`    read:
      objects:
        - objectName: contacts
          destination: hook
          schedule: '${schedule}'
          requiredFields:
            - fieldName: email
`)

describe('a body of 50 MB', () => {
  it.each([
    ['PUT', batch, 'application/json'],
    ['POST', '/projects/default/destinations', 'application/json'],
  ])('%s %s is answered 413', async (method, path, type) => {
    const answer = await sendMegabytes(method, path, type, 50)
    expect(answer.status).toBe(413)
    expect(expectProblem(answer).context.code).toBe('body-too-large')
    expect(await rows.fingerprint()).toBe(before)
  })
})

describe('a body of 480,000 keys', () => {
  const keys = `{${Array.from({ length: 480_000 }, (_, n) => `"k${n}":1`).join(',')}}`

  it('to an operation that needs no credential is answered 413', async () => {
    const { status, context } = await refused('POST', '/sessions', keys)
    expect([status, context.code]).toEqual([413, 'body-too-large'])
  })

  it('to a deploy is refused before it is parsed', async () => {
    const { status, issues } = await refused('PUT', batch, keys)
    expect(status).toBe(422)
    expect(issues).toMatchObject([{ name: 'body', detail: 'An object of the body holds more than 10000 keys.' }])
  })
})

describe('a deploy', () => {
  it('of both sources or of none is told to choose', async () => {
    const both = await refused('PUT', batch, { sourceYaml: 'a', sourceZipUrl: 'https://203.0.114.5/a.zip' })
    const none = await refused('PUT', batch, {})
    for (const problem of [both, none]) {
      expect(problem.status).toBe(422)
      expect(problem.issues?.map(({ detail }) => detail).join()).toMatch(/sourceYaml.*sourceZipUrl/)
    }
  })

  it.each([
    ['the 31st of February', '0 0 31 2 *'],
    ['the 30th of February or no day', '0 0 30 2 *'],
  ])('with a cron that never fires (%s) is told where', async (_, schedule) => {
    const problem = await deployed(read(schedule))
    expect(problem.status).toBe(422)
    expect(problem.issues?.[0]?.context).toMatchObject({ rule: expect.any(String), line: 9, column: 21 })
    expect(problem.issues?.[0]?.detail).toMatch(/fire/)
  })

  it.each(['* * * * * *', '60 * * * *', 'every day', '0 0 * *', '\u0660 0 * * *'])(
    'with the schedule %j is told where',
    async (schedule) => {
      const problem = await deployed(read(schedule))
      expect(problem.status).toBe(422)
      expect(problem.issues?.[0]?.context).toMatchObject({ line: expect.any(Number), column: expect.any(Number) })
    },
  )

  it('with a watch schedule that fires too often is told how often it may', async () => {
    const problem = await deployed(
      manifest(`    watchSchema:
      destination: hook
      schedule: '*/30 * * * *'
      allObjects:
        fieldCreated:
          enabled: always
`),
    )
    expect(problem.status).toBe(422)
    expect(problem.issues?.find(({ name }) => name.includes('watchSchema'))).toMatchObject({
      context: { rule: 'watch-schema-minimum-interval', line: 7 },
    })
  })

  const laughs = ['a: &a [x,x,x,x,x,x,x,x,x]']
  for (const letter of 'bcdefghi') {
    const previous = String.fromCharCode(letter.charCodeAt(0) - 1)
    laughs.push(`${letter}: &${letter} [${Array(9).fill(`*${previous}`).join()}]`)
  }
  it.each([
    ['a billion laughs', laughs.join('\n')],
    ['brackets without end', '['.repeat(100_000)],
    ['keys that reach for prototypes', manifest('    __proto__: {polluted: true}\n')],
    ['a merge of a prototype', 'a: &a {__proto__: {polluted: true}}\nb: {<<: *a}'],
    ['a tag that would run code', 'a: !!js/function "function(){}"'],
    ['a key twice', 'specVersion: 1.0.0\nspecVersion: 1.0.0\nintegrations: []'],
    ['an empty text', ' '],
  ])('of %s is refused', async (_, yaml) => {
    const problem = await deployed(yaml)
    expect([400, 422]).toContain(problem.status)
    expect('polluted' in {}).toBe(false)
  })

  it.each([
    ['a bomb of 100 MB', () => craftZip([{ name: 'amp.yaml', content: Buffer.alloc(100_000_000) }])],
    ['sizes that lie', () => craftZip([{ name: 'amp.yaml', content: Buffer.alloc(5_000_000), size: 10 }])],
    ['a path out of the folder', () => craftZip([{ name: '../../amp.yaml', content: read('0 0 * * *') }])],
    ['no zip at all', () => Buffer.from('this is text')],
  ])('of a zip with %s is refused', async (_, zip) => {
    const upload = await app.call<{ url: string; bucket: string; path: string }>('GET', '/generate-upload-url')
    const path = new URL(upload.body.url)
    const put = await fetch(`${app.url}${path.pathname}${path.search}`, { method: 'PUT', body: new Uint8Array(zip()) })
    expect(put.status).toBe(204)
    before = await rows.fingerprint()
    const problem = await refused('PUT', batch, { sourceZipUrl: `gs://${upload.body.bucket}/${upload.body.path}` })
    expect([400, 422]).toContain(problem.status)
  })
})

describe('a key', () => {
  it('that is wrong is told what to send', async () => {
    const problem = await refused('GET', '/projects/default/destinations', undefined, 'mortise_live_nonsense')
    expect(problem).toMatchObject({
      status: 401,
      context: { code: 'unauthenticated' },
      remedy: expect.stringMatching(/key/i),
    })
  })

  it.each([
    'mortise_',
    "mortise_live_' or 1=1; --",
    `mortise_live_${'x'.repeat(8_000)}`,
    'mortise_live_\u00e9\u00ff',
    '__proto__',
    'mortise_live_aaaa, mortise_live_bbbb',
  ])('like %j is no key', async (key) => {
    expect((await refused('GET', '/projects/default/destinations', undefined, key)).status).toBe(401)
  })
})

describe('a patch', () => {
  const patch = (...changes: object[]) =>
    refused('PATCH', `/projects/default/integrations/crm/objects/contacts/config-content`, {
      installationId: tenant.ids.installationId,
      action: 'read',
      changes,
    })

  it('that removes what is not there is refused whole, and told which operation it was', async () => {
    const problem = await patch(
      { op: 'add', path: '/disabled', value: true },
      { op: 'remove', path: '/selectedFields/nothing' },
    )
    expect(problem.status).toBe(400)
    expect(problem.issues).toMatchObject([{ in: 'body', name: 'changes[1].path', value: '/selectedFields/nothing' }])
  })

  it.each([
    '/__proto__/polluted',
    '/constructor/prototype/polluted',
    '/selectedFields/__proto__',
    '/selectedFields/constructor',
  ])('of %s reaches no prototype', async (path) => {
    expect((await patch({ op: 'add', path, value: true })).status).toBe(400)
    expect('polluted' in {}).toBe(false)
  })

  it.each(['no slash', '/selectedFields/-1~2', '/~', '//', '/selectedFieldsX/0'])(
    'of the pointer %j is refused',
    async (path) => {
      expect((await patch({ op: 'remove', path })).status).toBe(400)
    },
  )
})

describe('names that are taken from prototypes', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s names nothing', async (name) => {
    const paths = [
      `/projects/${name}`,
      `/projects/default/integrations/${name}`,
      `/projects/default/destinations/${name}`,
      `/projects/default/connections/${name}`,
      `/projects/default/operations/${name}`,
      `/projects/default/integrations/crm/installations/${name}`,
      `/projects/default/integrations/crm/installations/${tenant.ids.installationId}/objects/${name}/backfill-progress`,
      `//problems/${name}`,
    ]
    for (const path of paths) expect([path, (await refused('GET', path)).status]).toEqual([path, 404])
    const trigger = await refused('POST', `//read/v1/projects/default/integrations/crm/objects/${name}`, {
      groupRef: tenant.ids.groupRef,
      mode: 'async',
    })
    expect(trigger.status).toBe(400)
    const connect = await refused('POST', '/projects/default/connections:generate', {
      groupRef: 'g',
      consumerRef: 'c',
      provider: name,
      apiKey: 'k',
    })
    expect(connect.issues?.[0]?.name).toBe('provider')
  })
})

/** Sends so many megabytes, as a client that does not listen until it has sent all. */
function sendMegabytes(method: string, path: string, type: string, megabytes: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sending = request(
      `${app.url}/v1${path}`,
      { method, headers: { 'x-api-key': app.apiKey, 'content-type': type, 'content-length': megabytes * 1_000_000 } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          })
        })
      },
    )
    sending.on('error', reject)
    const chunk = Buffer.alloc(1_000_000, 'x')
    for (let sent = 0; sent < megabytes; sent++) sending.write(chunk)
    sending.end()
  })
}
