import { createServer } from 'node:https'
import {
  type KindHarness,
  kindsToTest,
  type TestedKind,
  type TestTarget,
} from '../../packages/server/src/features/messaging/kinds/conformance.testkit.ts'
import {
  startHttpTarget,
  type TargetAnswer,
  type TargetRequest,
} from '../../packages/server/src/features/messaging/kinds/http-target.testkit.ts'
import { destinationKinds } from '../../packages/server/src/features/messaging/kinds/index.ts'
import { startFakeRegistry } from '../../packages/server/src/features/messaging/kinds/kafka/avro/fake-registry.testkit.ts'
import { startFakeKafka } from '../../packages/server/src/features/messaging/kinds/kafka/fake-kafka.testkit.ts'
import { startFakeNats } from '../../packages/server/src/features/messaging/kinds/nats/fake-nats.testkit.ts'
import { listenAsTarget } from '../../packages/server/src/features/messaging/kinds/tcp-target.testkit.ts'
import { testCertificate } from '../../packages/server/src/kernel/net/test-certificate.ts'

import { echoOf, startFront } from './front.testkit.ts'

/** A token of the fake authorization server. */
export const issuedToken = 'issued-token-6Vd9Kx3Rq7Zb'

const clientSecret = 'client/secret-8Jw+Nf=tQ?x&y~5hMz'
const token = 'n4Ts-token-3Gd8Yv2Lr7Xc'
const jwt = 'eyJ0eXAiOiJKV1QifQ.eyJzdWIiOiJuNFRzLXVzZXIifQ.c2lnbmF0dXJlLW9mLW40VHMtand0LTlLcQ'
const registry = { username: 'registry-user-5Bn1Wc8Tp', password: 'registry/pass-7Qz+Wm=rT?x&y' }

/** Gives a token for the client secret, and takes messages that come with the token. */
function authorized({ path, headers, body }: TargetRequest): TargetAnswer {
  const isBad = body.includes('"bad"')
  if (path !== '/token') return { status: !isBad && headers['authorization'] === `Bearer ${issuedToken}` ? 204 : 401 }
  const isClient = new URLSearchParams(body.toString()).get('client_secret') === clientSecret
  return {
    status: isClient ? 200 : 401,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ access_token: isClient ? issuedToken : '', token_type: 'bearer', expires_in: 3_600 }),
  }
}

function startNats(login: { token: string } | { jwt: string }, secrets: { token: string } | { credentials: string }) {
  return async () => {
    const fake = await startFakeNats({ ...login, prefix: 'mortise.crm' })
    const settings = { serverUrl: `nats://127.0.0.1:${fake.port}`, subject: 'mortise.crm', ...secrets }
    return { ...fake, settings: { ...settings, subjectTemplate: "'all'" }, secret: Object.values(login)[0] ?? '' }
  }
}

const seed = 'SUACILULX5COZ5U72YJO5EX3KMOMTDFMIJW3E3Q4PBS7OIOMD7SJQWDXDA'
const credentials = `-----BEGIN NATS USER JWT-----\n${jwt}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`

/** A receiver that asks for the certificate of its client. */
async function startWithCertificate(): Promise<TestTarget> {
  let behavior = 'accept'
  const certificates = { ...testCertificate, ca: testCertificate.cert, requestCert: true }
  const server = createServer(certificates, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const isBad = behavior !== 'accept' || Buffer.concat(chunks).includes('"bad"')
    response.writeHead(isBad ? 500 : 204).end(isBad ? `You sent ${testCertificate.key}` : undefined)
  })
  const listening = await listenAsTarget(server)
  return {
    ...listening,
    settings: {
      ...{ url: `https://127.0.0.1:${listening.port}/hook`, caCertificate: testCertificate.cert },
      ...{ clientCertificate: testCertificate.cert, clientKey: testCertificate.key },
    },
    secret: testCertificate.key.split('\n')[2] ?? '',
    received: () => [],
    behave: (what) => {
      behavior = what
    },
  }
}

/** Servers for the secret settings that exclude those of the usual harness. */
const starts: Record<string, [kind: string, start: KindHarness['start']]> = {
  'webhook with OAuth': [
    'webhook',
    () =>
      startHttpTarget({
        settings: (port) => ({
          ...{ url: `http://127.0.0.1:${port}/hook`, tokenUrl: `http://127.0.0.1:${port}/token` },
          ...{ clientId: 'mortise', clientSecret, clientAuthentication: 'body' },
        }),
        secret: clientSecret,
        answer: authorized,
      }),
  ],
  'webhook with a certificate': ['webhook', startWithCertificate],
  'nats with a token': ['nats', startNats({ token }, { token })],
  'nats with credentials': ['nats', startNats({ jwt }, { credentials })],
  'kafka with a registry': [
    'kafka',
    async ({ advertisedPort: port = 0 } = {}) => {
      const [username, password] = ['k4Fka-user-Tz96', 'k4Fka-pa$sw0rd']
      const broker = await startFakeKafka({
        ...{ topic: 'messages', username, password },
        advertised: { host: '127.0.0.1', port },
      })
      const schemas = await startFakeRegistry(registry)
      const front = await startFront()
      front.leadTo(Number(new URL(schemas.url).port))
      return {
        ...broker,
        settings: {
          ...{ brokers: `127.0.0.1:${broker.port}`, topic: 'messages', tls: false, username, password },
          ...{ format: 'avro', schemaRegistryUrl: `http://127.0.0.1:${front.port}/`, subjectNameStrategy: 'record' },
          ...{ registryUsername: registry.username, registryPassword: registry.password },
        },
        secret: registry.password,
        behave(what) {
          // The registry is asked first, and once.
          broker.behave(what)
          front.answerWith(what === 'echo' ? (sent) => echoOf(sent, '500 Internal Server Error') : undefined)
        },
        async stop() {
          await front.stop()
          await broker.stop()
          await schemas.stop()
        },
      }
    },
  ],
}

/** Every kind that has secrets, with each of its secret settings. */
export async function kindsWithSecrets(): Promise<TestedKind[]> {
  const usual = (await kindsToTest(destinationKinds)).filter(({ harness }) => !harness.isInternal)
  const others = Object.entries(starts).flatMap(([label, [name, start]]) =>
    usual.filter((one) => one.label === name).map((one) => ({ ...one, label, harness: { ...one.harness, start } })),
  )
  return [...usual, ...others]
}
