import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Verification } from '../../catalogue/format/webhook-verification.ts'
import { removeSecret } from './remove-secret.ts'
import { secretText, verifyingKeys, verifyRequest } from './verify-request.ts'

const url = 'https://m.test/in?registration=1'
const seconds = 1_700_000_000
const now = seconds * 1_000

function verdict(
  verify: Verification,
  headers: Record<string, string>,
  { body = '{"a":1}', secret = 'key', at = now }: { body?: string; secret?: string; at?: number } = {},
) {
  const request = { method: 'POST', url, headers, body: Buffer.from(body) }
  return verifyRequest(verify, request, verifyingKeys(verify, secret), at)
}

const hmac = { by: 'hmac', algorithm: 'sha256', encoding: 'hex', secret: { from: 'app' } } as const
const mac = (text: string, key: string | Buffer = 'key', encoding: 'hex' | 'base64' = 'hex', algorithm = 'sha256') =>
  createHmac(algorithm, key).update(text).digest(encoding)

describe('an HMAC', () => {
  it('counts among several in a header, each after its prefix', async () => {
    const pagerDuty: Verification = { ...hmac, header: 'X-Sig', prefix: 'v1=', separator: ',' }
    const right = `v1=${mac('{"a":1}')}`
    expect(await verdict(pagerDuty, { 'x-sig': `v1=${mac('old')}, ${right}` })).toBe('genuine')
    expect(await verdict(pagerDuty, { 'x-sig': right.replace('v1', 'v0') })).toBe('forged')
    expect(await verdict(pagerDuty, { 'x-sig': `${`v1=${mac('x')},`.repeat(8)}${right}` })).toBe('forged')
    expect(await verdict(pagerDuty, { 'x-sig': ',,,' })).toBe('forged')
  })

  it('follows the time in a list', async () => {
    const recurly: Verification = {
      ...hmac,
      header: 'Recurly-Signature',
      separator: ',',
      timestamp: { header: 'Recurly-Signature', position: 1, unit: 'milliseconds', toleranceSeconds: 300 },
      signedText: '{{timestamp}}.{{body}}',
    }
    const header = `${now},${mac(`${now}.other`)},${mac(`${now}.{"a":1}`)}`
    expect(await verdict(recurly, { 'recurly-signature': header })).toBe('genuine')
    expect(await verdict(recurly, { 'recurly-signature': header }, { at: now + 301_000 })).toBe('stale')
    expect(await verdict(recurly, { 'recurly-signature': header.replace(`${now}`, `${now + 1}`) })).toBe('forged')
    for (const without of [header.slice(14), `,${header.slice(14)}`, ''])
      expect(await verdict(recurly, { 'recurly-signature': without })).toBe('forged')
  })

  it('of Standard Webhooks covers the id and the time, with the key after whsec_', async () => {
    const key = Buffer.from('0123456789abcdef01234567')
    const standard: Verification = {
      ...hmac,
      encoding: 'base64',
      header: 'webhook-signature',
      prefix: 'v1,',
      separator: ' ',
      timestamp: { header: 'webhook-timestamp', unit: 'seconds', toleranceSeconds: 300 },
      signedText: '{{header.webhook-id}}.{{timestamp}}.{{body}}',
      secret: { from: 'answer', prefix: 'whsec_', encoding: 'base64' },
    }
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': `${seconds}`,
      'webhook-signature': `v1a,AAAA v1,${mac(`msg_1.${seconds}.{"a":1}`, key, 'base64')}`,
    }
    const secret = `whsec_${key.toString('base64')}`
    expect(await verdict(standard, headers, { secret })).toBe('genuine')
    expect(await verdict(standard, headers, { secret: secret.slice(6) })).toBe('genuine')
    expect(await verdict(standard, { ...headers, 'webhook-id': 'msg_2' }, { secret })).toBe('forged')
    const { 'webhook-id': _, ...nameless } = headers
    expect(await verdict(standard, nameless, { secret })).toBe('forged')
    expect(await verdict(standard, headers, { secret, at: now - 301_000 })).toBe('stale')
  })

  it('covers the time in RFC 3339', async () => {
    const zendesk: Verification = {
      ...hmac,
      encoding: 'base64',
      header: 'X-Sig',
      timestamp: { header: 'X-Time', unit: 'rfc3339', toleranceSeconds: 300 },
      signedText: '{{timestamp}}{{body}}',
    }
    const of = (time: string, at = now) =>
      verdict(zendesk, { 'x-time': time, 'x-sig': mac(`${time}{"a":1}`, 'key', 'base64') }, { at })
    expect(await of('2023-11-14T22:13:20Z')).toBe('genuine')
    expect(await of('2023-11-14T23:13:20.123+01:00')).toBe('genuine')
    expect(await of('2023-11-14T22:13:20Z', now + 301_000)).toBe('stale')
    for (const time of ['2023', 'Nov 14 2023', '2023-13-45T99:99:99Z', '']) expect(await of(time)).toBe('forged')
  })

  it('covers the body and the URL', async () => {
    const trello: Verification = { ...hmac, algorithm: 'sha1', header: 'X-Sig', signedText: '{{body}}{{url}}' }
    expect(await verdict(trello, { 'x-sig': mac(`{"a":1}${url}`, 'key', 'hex', 'sha1') })).toBe('genuine')
    expect(await verdict(trello, { 'x-sig': mac('{"a":1}https://m.test/in', 'key', 'hex', 'sha1') })).toBe('forged')
  })

  it('covers the URL and a form, sorted, as in the example of Twilio’s documentation', async () => {
    const twilio: Verification = {
      ...hmac,
      algorithm: 'sha1',
      encoding: 'base64',
      header: 'X-Twilio-Signature',
      signedText: '{{url}}{{sortedForm}}',
    }
    const fields = { From: '+12349013030', To: '+18005551212', CallSid: 'CA1234567890ABCDE', Digits: '1234' }
    const form = new URLSearchParams({ ...fields, Caller: '+12349013030' })
    const keys = verifyingKeys(twilio, '12345')
    const of = (body: string) =>
      verifyRequest(
        twilio,
        {
          method: 'POST',
          url: 'https://mycompany.com/myapp.php?foo=1&bar=2',
          headers: { 'x-twilio-signature': '0/KCTR6DLpKmkAf8muzZqo1nDgQ=' },
          body: Buffer.from(body),
        },
        keys,
        now,
      )
    expect(await of(form.toString())).toBe('genuine')
    expect(await of(form.toString().replace('1234', '1235'))).toBe('forged')
    expect(await of('')).toBe('forged')
  })

  it('is in the body, over other parts of it', async () => {
    const lever: Verification = {
      ...hmac,
      body: 'signature',
      timestamp: { body: 'triggeredAt', unit: 'milliseconds', toleranceSeconds: 300 },
      signedText: '{{payload.token}}{{timestamp}}',
    }
    const body = (change: object) =>
      JSON.stringify({ token: 'tok', triggeredAt: now, signature: mac(`tok${now}`), ...change })
    expect(await verdict(lever, {}, { body: body({}) })).toBe('genuine')
    expect(await verdict(lever, {}, { body: body({}), at: now + 301_000 })).toBe('stale')
    for (const change of [{ token: 'other' }, { token: null }, { triggeredAt: now + 1 }, { signature: undefined }])
      expect(await verdict(lever, {}, { body: body(change) })).toBe('forged')
    for (const text of ['', 'no JSON', '[]', 'null', '5', '{"signature":{}}'])
      expect(await verdict(lever, {}, { body: text })).toBe('forged')
  })

  it('covers a body with its time', async () => {
    const linear: Verification = {
      ...hmac,
      header: 'X-Sig',
      timestamp: { body: 'at', unit: 'milliseconds', toleranceSeconds: 60 },
    }
    const of = (body: string, at = now) => verdict(linear, { 'x-sig': mac(body) }, { body, at })
    expect(await of(`{"at":${now}}`)).toBe('genuine')
    expect(await of(`{"at":${now}}`, now + 61_000)).toBe('stale')
    for (const body of ['{}', '{"at":"soon"}', '{"at":-1}', '{"at":1e300}']) expect(await of(body)).toBe('forged')
  })
})

describe('a secret', () => {
  it('is the password of Basic authentication', async () => {
    const basic: Verification = { by: 'token', header: 'Authorization', user: 'mortise', secret: { from: 'generated' } }
    const of = (text: string) => verdict(basic, { authorization: `Basic ${Buffer.from(text).toString('base64')}` })
    expect(await of('mortise:key')).toBe('genuine')
    for (const text of ['mortise:kez', 'other:key', 'mortise', ':key', '']) expect(await of(text)).toBe('forged')
    expect(await verdict(basic, { authorization: 'Bearer key' })).toBe('forged')
    expect(await verdict(basic, {})).toBe('forged')
  })

  it('is in the body', async () => {
    const aircall: Verification = { by: 'token', body: 'token', secret: { from: 'answer' } }
    expect(await verdict(aircall, {}, { body: '{"token":"key"}' })).toBe('genuine')
    for (const body of ['{"token":"kez"}', '{"token":["key"]}', '{}', 'no JSON', '"key"'])
      expect(await verdict(aircall, {}, { body })).toBe('forged')
  })

  it('is in each item of a list', async () => {
    const graph: Verification = { by: 'token', list: 'value', body: 'state', secret: { from: 'generated' } }
    expect(await verdict(graph, {}, { body: '{"value":[{"state":"key"},{"state":"key"}]}' })).toBe('genuine')
    for (const value of ['[{"state":"key"},{"state":"kez"}]', '[{"state":"key"},null]', '[]', '{}', 'null'])
      expect(await verdict(graph, {}, { body: `{"value":${value}}` })).toBe('forged')
  })

  it('in a body is removed before anybody reads the event', () => {
    const of = (verify: Verification, payload: object) => [removeSecret(verify, payload), payload]
    const secret = { from: 'answer' } as const
    const aircall: Verification = { by: 'token', body: 'token', secret }
    expect(of(aircall, { token: 'key', data: { token: 5 } })).toEqual([true, { data: { token: 5 } }])
    const graph: Verification = { by: 'token', list: 'value', body: 'client.state', secret }
    const item = { id: 1, client: { state: 'key', other: 2 } }
    expect(of(graph, { value: [item, null, {}] })).toEqual([
      true,
      { value: [{ id: 1, client: { other: 2 } }, null, {}] },
    ])
    expect(of(graph, { value: 5 })).toEqual([true, { value: 5 }])
    expect(of({ by: 'token', header: 'X-Token', secret }, { token: 'key' })).toEqual([false, { token: 'key' }])
  })

  it('is as long as the provider allows', async () => {
    const short: Verification = { ...hmac, header: 'X-Sig', secret: { from: 'generated', characters: 16 } }
    const generated = '0123456789abcdef0123'
    expect(secretText(short, generated)).toBe('0123456789abcdef')
    const headers = { 'x-sig': mac('{"a":1}', '0123456789abcdef') }
    expect(await verdict(short, headers, { secret: generated })).toBe('genuine')
  })
})

describe('a signature with a private key', () => {
  const ed = generateKeyPairSync('ed25519')
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const der = (key: KeyObject) => key.export({ type: 'spki', format: 'der' }).toString('base64')
  const of = (algorithm: 'ed25519' | 'ecdsaSha256' | 'rsaSha256'): Verification => ({
    by: 'publicKey',
    algorithm,
    encoding: 'base64',
    header: 'X-Sig',
    timestamp: { header: 'X-Time', unit: 'seconds', toleranceSeconds: 300 },
    signedText: '{{timestamp}}{{body}}',
    key: { from: 'app', name: 'key' },
  })
  const signed = (digest: string | null, key: KeyObject, text = `${seconds}{"a":1}`) => ({
    'x-time': `${seconds}`,
    'x-sig': sign(digest, Buffer.from(text), key).toString('base64'),
  })

  it.each([
    ['ed25519', null, ed],
    ['ecdsaSha256', 'sha256', ec],
    ['rsaSha256', 'sha256', rsa],
  ] as const)('is verified with %s, and nothing that differs', async (algorithm, digest, { privateKey, publicKey }) => {
    const verify = of(algorithm)
    const headers = signed(digest, privateKey)
    const secret = der(publicKey)
    expect(await verdict(verify, headers, { secret })).toBe('genuine')
    expect(await verdict(verify, headers, { secret, at: now + 301_000 })).toBe('stale')
    expect(await verdict(verify, headers, { secret, body: '{"a":2}' })).toBe('forged')
    expect(await verdict(verify, { ...headers, 'x-time': `${seconds + 1}` }, { secret })).toBe('forged')
    const others = [ed, ec, rsa].filter((pair) => pair.publicKey !== publicKey)
    for (const other of others) {
      expect(await verdict(verify, headers, { secret: der(other.publicKey) })).toBe('forged')
      const isRsaOrEc = other !== ed
      expect(await verdict(verify, signed(isRsaOrEc ? 'sha256' : null, other.privateKey), { secret })).toBe('forged')
    }
    for (const text of ['', '!', 'AAAA', 'A'.repeat(3_000)])
      expect(await verdict(verify, { ...headers, 'x-sig': text }, { secret })).toBe('forged')
    for (const text of ['', 'no key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()])
      expect(await verdict(verify, headers, { secret: text })).toBe('forged')
  })

  it('is verified as in the tests of SendGrid’s libraries', async () => {
    const publicKey =
      'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g=='
    const headers = {
      'x-time': '1600112502',
      'x-sig': 'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=',
    }
    const event = {
      email: 'hello@world.com',
      event: 'dropped',
      reason: 'Bounced Address',
      sg_event_id: 'ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA',
      sg_message_id: 'LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0',
      'smtp-id': '<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>',
      timestamp: 1_600_112_492,
    }
    const body = `${JSON.stringify([event])}\r\n`
    const at = 1_600_112_502_000
    expect(await verdict(of('ecdsaSha256'), headers, { secret: publicKey, body, at })).toBe('genuine')
    expect(await verdict(of('ecdsaSha256'), headers, { secret: publicKey, body: body.trim(), at })).toBe('forged')
  })

  it('is verified with the bytes of a key in hexadecimal digits', async () => {
    const raw = Buffer.from(der(ed.publicKey), 'base64').subarray(12).toString('hex')
    expect(await verdict(of('ed25519'), signed(null, ed.privateKey), { secret: raw })).toBe('genuine')
  })
})
