import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type DeliveryRig,
  startDeliveryRig,
} from '../../packages/server/src/features/messaging/delivery/testing/delivery-rig.ts'
import type { TestedKind, TestTarget } from '../../packages/server/src/features/messaging/kinds/conformance.testkit.ts'
import { pemLines } from '../../packages/server/src/features/messaging/kinds/pem-lines.ts'
import { secretNames } from '../../packages/server/src/features/messaging/kinds/secret-settings.ts'
import { excerpt, spelledIn } from '../secret-search.testkit.ts'
import { openStoredRows } from '../stored-rows.testkit.ts'
import { behindFront, requestOf } from './create-tested.testkit.ts'
import { echoOf, type Front, startFront } from './front.testkit.ts'
import { issuedToken, kindsWithSecrets } from './other-secrets.testkit.ts'

// The kind `records`, a fan-out and a destination by group have no secrets.

interface Place {
  place: string
  text: string
}

const base = '/projects/default'
const all = await kindsWithSecrets()
/** What must not be found, by the label of a kind and the name of the secret. */
const secrets = new Map<string, Map<string, string>>()
const places: Place[] = []

let rig: DeliveryRig
beforeAll(async () => {
  rig = await startDeliveryRig({ logLevel: 'trace' })
  const { app } = rig
  for (const tested of all) await exercise(tested)
  for (const path of ['/destinations', '/messages', '/dead-letters', '//metrics'])
    note(path, await app.call('GET', path.startsWith('//') ? path : `${base}${path}`))
  const rows = await openStoredRows(app.testDatabase.url)
  for (const { table, column, text } of await rows.dump()) places.push({ place: `${table}.${column}`, text })
  await rows.close()
  for (const text of app.logs) places.push({ place: 'the log', text })
}, 300_000)
afterAll(() => rig?.app.stop())

function note(path: string, { headers, body }: { headers: Headers; body: unknown }): void {
  places.push({ place: `the answer to ${path}`, text: `${JSON.stringify([...headers])} ${JSON.stringify(body)}` })
}

/** The secret settings, and each part of them that is a secret on its own. */
function secretsOf({ kind }: TestedKind, settings: object, { secret }: TestTarget): Map<string, string> {
  const found = new Map([['the secret of the server', secret]])
  for (const name of secretNames(kind)) {
    const value: unknown = Reflect.get(settings, name)
    if (typeof value !== 'string') continue
    found.set(name, value)
    const pem = value.startsWith('{') ? (JSON.parse(value) as { private_key: string }).private_key : value
    for (const [index, line] of pemLines(pem).entries()) found.set(`${name}, line ${index}`, line)
    for (const line of name === 'credentials' ? value.split('\n').filter((text) => /^(?:SU|ey)/.test(text)) : [])
      found.set(`${name}, ${line.slice(0, 2)}`, line)
  }
  return found
}

/** Credentials that were made of the secrets, and would give access for a while. */
function madeCredentials(sent: string): Map<string, string> {
  const found = new Map([['the issued token', issuedToken]])
  for (const [, token = ''] of sent.matchAll(/^authorization: bearer (\S+)/gim))
    found.set(`a bearer token ${token.slice(0, 20)}`, token.split('.').at(-1) ?? '')
  for (const [, assertion = ''] of sent.matchAll(/assertion=([^&\s]+)/g))
    found.set('an assertion', assertion.split('.').at(-1) ?? '')
  for (const [, signature = ''] of sent.matchAll(/^authorization: sharedaccesssignature \S*sig=([^&\s]+)/gim))
    found.set('a shared access signature', decodeURIComponent(signature))
  return found
}

const isHttp = (front: Front) => /^(?:POST|PUT|GET) \//.test(front.sent().toString('latin1'))

/** Has a destination accept, refuse, fail and echo messages and tests, and notes all answers of the API. */
async function exercise(tested: TestedKind): Promise<void> {
  const { kind, label, harness } = tested
  const front = await startFront()
  const target = await harness.start({ advertisedPort: front.port })
  front.leadTo(target.port)
  const settings = behindFront(target.settings, target.port, front)
  const name = `secrets-${label.replaceAll(' ', '-')}`
  const call = async <T = Record<string, unknown>>(method: string, path: string, body?: object) => {
    const answer = await rig.app.call<T>(method, `${base}${path}`, body)
    note(`${method} ${path}`, answer)
    return answer.body
  }
  const made = await call<{ id: string }>('POST', '/destinations', {
    name,
    type: kind.name,
    ...requestOf(kind, settings),
  })
  if (made.id === undefined) throw new Error(JSON.stringify(made))
  const { id } = made
  const test = async (delivered: boolean) => {
    const { error, ...answer } = await call('POST', `/destinations/${id}:test`)
    const actual = { label, delivered: answer['delivered'], error }
    expect(actual).toEqual({ label, delivered, error: delivered ? undefined : expect.any(String) })
  }
  const attempt = async (text: string, state: unknown) => {
    await rig.post(name, { text })
    await rig.deliver(id)
    const [message] = await call<{ id: string; state: string }[]>('GET', `/messages?destination=${id}`)
    expect({ label, text, ...message }).toMatchObject({ label, text, state, attempts: 1 })
    expect(await call('GET', `/messages/${message?.id}/attempts`)).toHaveLength(1)
  }
  const notDelivered = expect.stringMatching(/^(?:failed|pending)$/)
  const echo = async () => {
    front.answerWith((sent) => echoOf(sent, '500 Internal Server Error'))
    await test(false)
    await attempt('is echoed', 'pending')
    // To most services: the message is too large.
    front.answerWith((sent) => echoOf(sent, '413 Content Too Large'))
    await attempt('is echoed and refused', notDelivered)
    front.answerWith(undefined)
  }

  target.behave('echo')
  await test(false)
  target.behave('accept')
  // A service of HTTP echoes all that it is sent: first the request for a token, then the message with the token.
  if (isHttp(front)) await echo()
  await test(true)
  await attempt('arrives', 'delivered')
  if (isHttp(front)) await echo()
  const [refusal] = Object.entries(harness.failures).find(([, outcome]) => outcome === 'refused') ?? []
  if (refusal !== undefined) target.behave(refusal)
  if (refusal === undefined) await attempt('bad', notDelivered)
  else await attempt('is refused', 'failed')
  target.behave('echo')
  await attempt('fails', 'pending')
  await test(false)
  await front.down()
  await attempt('does not arrive', 'pending')
  await test(false)
  await call('GET', `/destinations/${id}`)
  await call('POST', `/destinations/${id}:disable`)
  const shown = await rig.app.call<{ secrets: { webhookSigningKey: string } }>(
    'GET',
    `${base}/destinations/${id}?includeSecrets=true`,
  )
  secrets.set(
    label,
    new Map([
      ...secretsOf(tested, settings, target),
      ...madeCredentials(front.sent().toString('latin1')),
      ['the signing key', shown.body.secrets.webhookSigningKey.replace('whsec_', '')],
    ]),
  )
  await front.stop()
  await target.stop()
}

it('the search finds what is shown', () => {
  const isSpelled = spelledIn('secrets-webhook')
  const found = places.filter(({ text }) => isSpelled(text)).map(({ place }) => place)
  expect(found).toEqual(expect.arrayContaining(['mortise.destinations.name', 'the answer to /destinations']))
})

describe.each(all)('$label', ({ label }) => {
  it('keeps its secrets out of answers, attempts, logs, tables and jobs', () => {
    const found = secrets.get(label) ?? new Map<string, string>()
    const hits = [...found].flatMap(([name, secret]) => {
      const isSpelled = spelledIn(secret)
      return places
        .filter(({ text }) => isSpelled(text))
        .map(({ place, text }) => `${name} is in ${place}: ${excerpt(text, secret)}`)
    })
    expect([...new Set(hits)].slice(0, 10)).toEqual([])
  })

  it('is tested with values that are too long to occur by chance', () => {
    for (const [name, value] of secrets.get(label) ?? []) expect(value.length, name).toBeGreaterThanOrEqual(12)
  })
})

it('each secret setting of each kind is looked for', () => {
  for (const { kind } of all) {
    const found = all.filter((one) => one.kind === kind).flatMap(({ label }) => [...(secrets.get(label)?.keys() ?? [])])
    expect(found).toEqual(expect.arrayContaining(secretNames(kind)))
  }
})
