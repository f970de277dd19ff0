import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../packages/providers/src/testing/http-server.testkit.ts'
import { openMetadata } from '../../packages/server/src/features/messaging/destinations/destination-metadata.ts'
import { findDestinationByName } from '../../packages/server/src/features/messaging/destinations/store.ts'
import { kindsToTest } from '../../packages/server/src/features/messaging/kinds/conformance.testkit.ts'
import { destinationKinds, secretNames } from '../../packages/server/src/features/messaging/kinds/index.ts'
import { startTestApp, type TestApp } from '../../packages/server/src/testkit/test-app.ts'
import { requestOf } from './create-tested.testkit.ts'

/**
 * Nobody is shown the `secrets` of a destination. So nobody may choose who gets them without sending them: two real
 * servers stand for the receiver and for one of the attacker, who must never be asked anything.
 */

interface Answer {
  detail: string
  issues?: { name: string; detail: string }[]
}

const base = '/projects/default/destinations'
let app: TestApp
let own: TestServer
let evil: TestServer
let name = ''
let count = 0

beforeAll(async () => {
  own = await startServer(({ url }) => ({
    body: url.pathname === '/token' ? { access_token: 'minted', token_type: 'Bearer', expires_in: 3600 } : {},
  }))
  evil = await startServer(() => ({ body: { access_token: 'evil', token_type: 'Bearer' } }))
  app = await startTestApp()
}, 60_000)
afterAll(async () => {
  await app?.stop()
  await own?.[Symbol.asyncDispose]()
  await evil?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  name = `redirected-${++count}`
  own.seen.length = 0
  evil.seen.length = 0
})

async function create(type: string, metadata: object, secrets: object) {
  const made = await app.call('POST', base, { name, type, metadata, secrets })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
}
const patch = (updateMask: string[], destination: { metadata?: object; secrets?: object }) =>
  app.call<Answer>('PATCH', `${base}/${name}`, { updateMask, destination })
const namesOf = ({ body }: { body: Answer }) => body.issues?.map((issue) => issue.name).sort()
async function stored(): Promise<object> {
  const row = await findDestinationByName(app.db, name)
  return row ? openMetadata(app.keyring, row) : {}
}

describe.each((await kindsToTest(destinationKinds)).filter(({ kind }) => secretNames(kind).length > 0))(
  '$label',
  ({ kind, harness }) => {
    const [one, other] = ['one.example.com', 'other.example.com'].map((host) =>
      requestOf(kind, harness.settingsFor(host, 8443)),
    ) as [ReturnType<typeof requestOf>, ReturnType<typeof requestOf>]
    const changed = Object.keys(one.metadata).filter(
      (key) => JSON.stringify(Reflect.get(one.metadata, key)) !== JSON.stringify(Reflect.get(other.metadata, key)),
    )

    test.skipIf(kind.name === 'webhook' && Object.keys(one.secrets).length === 0)(
      'at another server, every secret is needed again, and nothing is stored without it',
      async () => {
        await create(kind.name, one.metadata, one.secrets)
        const before = await stored()
        const needed = Object.keys(one.secrets).map((key) => `destination.secrets.${key}`)
        for (const mask of [changed.map((key) => `metadata.${key}`), ['metadata']]) {
          const answer = await patch(mask, { metadata: other.metadata })
          expect([answer.status, namesOf(answer)]).toEqual([400, needed.sort()])
          expect(await stored()).toEqual(before)
        }
        // The same address is no change.
        expect((await patch(['metadata'], { metadata: one.metadata })).status).toBe(200)
        expect(await stored()).toEqual(before)
        const whole = await patch(['metadata', 'secrets'], other)
        expect([whole.status, whole.body.issues]).toEqual([200, undefined])
      },
    )
  },
)

describe('a webhook with OAuth', () => {
  const oauth = () => ({ url: `${own.origin}/hook`, tokenUrl: `${own.origin}/token`, clientId: 'id' })
  const clientSecret = 'never-shown-client-secret'

  test.each([
    ['tokenUrl', 'token'],
    // It would get the access token.
    ['url', 'hook'],
  ])('whose %s changes needs the client secret, and says why', async (setting, path) => {
    await create('webhook', oauth(), { clientSecret })
    const mask = [`metadata.${setting}`]
    const refused = await patch(mask, { metadata: { [setting]: `${evil.origin}/${path}` } })
    expect(refused.status).toBe(400)
    expect(refused.body.issues).toMatchObject([
      {
        name: 'destination.secrets.clientSecret',
        detail: `destination.secrets.clientSecret is needed again: destination.metadata.${setting} would send the stored value to another receiver.`,
        remedy: 'Send the value in the same request, with its path in updateMask.',
        context: { code: 'secret-needed', changed: [`destination.metadata.${setting}`] },
      },
    ])
    expect(JSON.stringify(refused.body)).not.toContain(clientSecret)
    expect((await app.call<{ delivered: boolean }>('POST', `${base}/${name}:test`)).body.delivered).toBe(true)
    expect(own.seen.length).toBeGreaterThan(0)
    expect(evil.seen).toEqual([])
    const moved = await patch([...mask, 'secrets.clientSecret'], {
      metadata: { [setting]: `${evil.origin}/${path}` },
      secrets: { clientSecret: 'of-the-other-server' },
    })
    expect(moved.status).toBe(200)
    expect(await stored()).toMatchObject({ clientSecret: 'of-the-other-server' })
  })

  test('whose token endpoint becomes its own URL needs it, although that server got a token before', async () => {
    await create('webhook', { ...oauth(), url: `${evil.origin}/hook` }, { clientSecret })
    const answer = await patch(['metadata.tokenUrl'], { metadata: { tokenUrl: `${evil.origin}/hook` } })
    expect([answer.status, namesOf(answer)]).toEqual([400, ['destination.secrets.clientSecret']])
  })

  test('whose path of the token endpoint changes, keeps it', async () => {
    await create('webhook', oauth(), { clientSecret })
    expect((await patch(['metadata.tokenUrl'], { metadata: { tokenUrl: `${own.origin}/token?v=2` } })).status).toBe(200)
    expect((await patch(['metadata.clientId'], { metadata: { clientId: 'other' } })).status).toBe(200)
  })
})

describe('headers of a webhook', () => {
  const headers = { Authorization: 'Bearer 7fGh29sKq', 'X-Team': 'growth' }
  const url = 'https://203.0.114.5/hook'

  test('stay with an update of the URL alone, as existing clients send it', async () => {
    await create('webhook', { url, headers }, {})
    const moved = 'https://203.0.114.6/hook'
    expect((await patch(['metadata.url'], { metadata: { url: moved } })).status).toBe(200)
    expect(await stored()).toEqual({ url: moved, headers })
  })

  test.each(['https://203.0.114.6/hook', 'https://203.0.114.5/of-another-customer'])(
    'that an update to %s repeats masked are needed whole, each by its name',
    async (moved) => {
      await create('webhook', { url, headers }, {})
      const masked = { Authorization: '***', 'X-Team': '***', 'X-New': 'new' }
      const answer = await patch(['metadata'], { metadata: { url: moved, headers: masked } })
      const names = ['destination.metadata.headers.Authorization', 'destination.metadata.headers.X-Team']
      expect([answer.status, namesOf(answer)]).toEqual([400, names])
      const both = await patch(['metadata.url', 'metadata.headers'], { metadata: { url: moved, headers: masked } })
      expect([both.status, namesOf(both)]).toEqual([400, names])
      expect(await stored()).toEqual({ url, headers })
      expect((await patch(['metadata'], { metadata: { url: moved, headers } })).status).toBe(200)
    },
  )

  test('are kept with another setting at the same address', async () => {
    await create('webhook', { url, headers }, {})
    expect((await patch(['metadata'], { metadata: { url: `${url}?v=2`, headers: { 'X-Team': '***' } } })).status).toBe(
      200,
    )
    expect(await stored()).toEqual({ url: `${url}?v=2`, headers: { 'X-Team': 'growth' } })
  })
})

test('of a list of brokers, one more needs the password, and one less does not', async () => {
  const secrets = { username: 'ada', password: 'never-shown' }
  const brokers = 'kafka-1.example.com:9093,kafka-2.example.com:9093'
  await create('kafka', { brokers, topic: 'crm' }, secrets)
  const more = await patch(['metadata.brokers'], { metadata: { brokers: `${brokers},kafka.evil.example:9093` } })
  const needed = ['destination.secrets.password', 'destination.secrets.username']
  expect([more.status, namesOf(more)]).toEqual([400, needed])
  const less = { brokers: 'KAFKA-2.example.com:9093' }
  expect((await patch(['metadata.brokers'], { metadata: less })).status).toBe(200)
  const one = await patch(['metadata.brokers', 'secrets.password'], { metadata: { brokers }, secrets })
  expect([one.status, namesOf(one)]).toEqual([400, ['destination.secrets.username']])
})

test('a region of a cloud is the same receiver, and an endpoint is another', async () => {
  const secrets = { awsKeyId: 'AKIA0123456789ABCDEF', awsSecretKey: 'never/shown/0123456789' }
  await create('kinesis', { streamName: 'crm', region: 'eu-central-1' }, secrets)
  expect((await patch(['metadata.region'], { metadata: { region: 'eu-west-1' } })).status).toBe(200)
  const answer = await patch(['metadata.endpointUrl'], { metadata: { endpointUrl: evil.origin } })
  expect([answer.status, namesOf(answer)]).toEqual([
    400,
    ['destination.secrets.awsKeyId', 'destination.secrets.awsSecretKey'],
  ])
})

test('whom TLS trusts is part of the receiver: another authority needs the URL with the password', async () => {
  const url = 'postgresql://ada:never-shown@db.example.com:5432/app'
  await create('postgres', { url }, {})
  const caCertificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
  const answer = await patch(['metadata.caCertificate'], { metadata: { caCertificate } })
  expect([answer.status, namesOf(answer)]).toEqual([400, ['destination.metadata.url']])
  const both = ['metadata.caCertificate', 'metadata.url']
  expect((await patch(both, { metadata: { caCertificate, url } })).status).toBe(200)
  // The public authorities are no new receiver.
  expect((await patch(['metadata.caCertificate'], { metadata: { caCertificate: null } })).status).toBe(200)
})
