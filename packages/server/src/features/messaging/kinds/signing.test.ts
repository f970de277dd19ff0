import fc from 'fast-check'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, it } from 'vitest'
import { newSigningSecret, signatureHeaders, signingKey } from './signing.ts'

const verifiers = { standardwebhooks: StandardWebhook, svix: SvixWebhook }

describe('a signature', () => {
  it('is that of the published example', () => {
    const headers = signatureHeaders(
      [signingKey('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')],
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      new Date(1_614_265_330_000),
      Buffer.from('{"test": 2432232314}'),
    )
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      'svix-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'svix-timestamp': '1614265330',
      'svix-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  describe.each(Object.entries(verifiers))('for %s', (_, Verifier) => {
    const secret = newSigningSecret()
    const keys = [signingKey(secret)]
    const sign = (body: string, now = new Date()) => signatureHeaders(keys, 'id', now, Buffer.from(body))
    const verify = (body: string, headers: Record<string, string>, by = secret) => {
      new Verifier(by).verify(body, headers)
      return true
    }

    it('verifies whatever the body is', () => {
      fc.assert(
        fc.property(fc.json(), (body) => {
          expect(verify(body, sign(body))).toBe(true)
        }),
        { numRuns: 2_000 },
      )
      const large = JSON.stringify('€'.repeat(100_000))
      expect(verify(large, sign(large))).toBe(true)
    })

    it('does not verify another body, another secret, another time', () => {
      expect(() => verify('{"a":2}', sign('{"a":1}'))).toThrow()
      expect(() => verify('{"a":1}', sign('{"a":1}'), newSigningSecret())).toThrow()
      for (const seconds of [-301, 301])
        expect(() => verify('{}', sign('{}', new Date(Date.now() + seconds * 1_000)))).toThrow()
    })

    it('is accepted under each of several secrets', () => {
      const other = newSigningSecret()
      const headers = signatureHeaders([signingKey(other), ...keys], 'id', new Date(), Buffer.from('{}'))
      expect(verify('{}', headers)).toBe(true)
      expect(verify('{}', headers, other)).toBe(true)
    })
  })
})

it('makes secrets of 32 random bytes', () => {
  expect(signingKey(newSigningSecret()).symmetricKeySize).toBe(32)
  expect(newSigningSecret()).not.toBe(newSigningSecret())
})
