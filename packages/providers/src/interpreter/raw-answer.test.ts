import { expect, it } from 'vitest'
import { rawAnswer } from './raw-answer.ts'

const secret = 'a-secret-of-some-length'

it('is the body as it came, without the credential', () => {
  expect(rawAnswer('', [secret])).toBeUndefined()
  expect(rawAnswer(`{"key":\n"${secret}"}`, [secret])).toBe('{"key":\n"[secret]"}')
})

it('is cut, and no part of a secret stands at the cut', () => {
  for (let at = 15_970; at < 16_030; at++) {
    const cut = rawAnswer(`${secret.repeat(300)}${'x'.repeat(at - 300 * secret.length)}${secret}${'y'.repeat(9_000)}`, [
      secret,
    ])
    expect(cut?.length).toBeLessThanOrEqual(8_000)
    expect(cut).not.toContain(secret.slice(0, 4))
  }
})
