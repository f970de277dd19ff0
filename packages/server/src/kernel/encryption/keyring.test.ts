import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EncryptionKeyError, type EncryptionKeyProblem, parseEncryptionKey } from './encryption-key.ts'
import { generateEncryptionKeyFile, readEncryptionKeyFile } from './encryption-key-file.ts'
import { createKeyring } from './keyring.ts'

const fixed = Buffer.from('8f3a1c5e7b9d02468ace13579bdf0246f1e2d3c4b5a697887766554433221100', 'hex')

function problemOf(attempt: () => unknown): { problem: EncryptionKeyProblem; message: string } {
  try {
    attempt()
  } catch (error) {
    if (error instanceof EncryptionKeyError) return { problem: error.problem, message: error.message }
    throw error
  }
  throw new Error('it succeeded')
}

describe('a key as text', () => {
  test.each([
    fixed.toString('hex'),
    fixed.toString('hex').toUpperCase(),
    fixed.toString('base64'),
    fixed.toString('base64').replace('=', ''),
    fixed.toString('base64url'),
    ` ${fixed.toString('base64')}\n`,
  ])('%j is read', (text) => {
    expect(parseEncryptionKey(text).equals(fixed)).toBe(true)
  })
  test.each<[string, EncryptionKeyProblem]>([
    ['', 'missing'],
    ['  \n', 'missing'],
    ['not a key!', 'malformed'],
    [fixed.toString('base64').replace('=', '=x'), 'malformed'],
    [fixed.toString('hex').slice(1), 'malformed'],
    [fixed.subarray(1).toString('base64'), 'malformed'],
    [Buffer.concat([fixed, fixed]).toString('base64'), 'malformed'],
    ['0'.repeat(64), 'weak'],
    ['ff'.repeat(32), 'weak'],
    ['deadbeef'.repeat(8), 'weak'],
    [Buffer.from(Array.from({ length: 32 }, (_, at) => at)).toString('base64'), 'weak'],
    [Buffer.from(Array.from({ length: 32 }, (_, at) => (255 - 3 * at) & 255)).toString('base64'), 'weak'],
    [Buffer.from('correct horse battery staple 123').toString('base64'), 'weak'],
  ])('%j is refused as %s, with what to do and without the key', (text, problem) => {
    const refused = problemOf(() => parseEncryptionKey(text))
    expect(refused.problem).toBe(problem)
    expect(refused.message).toMatch(/^MORTISE_ENCRYPTION_KEY .*openssl rand -base64 32/)
    if (text.trim() !== '') expect(refused.message).not.toContain(text)
  })
  test('1,000 random keys are all taken', () => {
    for (let count = 0; count < 1_000; count++) {
      const key = randomBytes(32)
      expect(parseEncryptionKey(key.toString('base64')).equals(key)).toBe(true)
    }
  })
})

describe('a key in a file', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-encrypt-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('a generated one is for its owner alone, is read back, and leaves nothing beside it', () => {
    const path = join(folder, 'generated')
    const key = generateEncryptionKeyFile(path)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readEncryptionKeyFile(path).equals(key)).toBe(true)
    expect(readdirSync(folder).filter((name) => name.startsWith('generated'))).toEqual(['generated'])
  })
  test('an existing file is never replaced', () => {
    const path = join(folder, 'kept')
    writeFileSync(path, 'something')
    expect(problemOf(() => generateEncryptionKeyFile(path)).problem).toBe('exists')
    expect(readFileSync(path, 'utf8')).toBe('something')
    const dangling = join(folder, 'dangling')
    symlinkSync(join(folder, 'elsewhere'), dangling)
    expect(problemOf(() => generateEncryptionKeyFile(dangling)).problem).toBe('exists')
  })
  test('a folder that is not there is said to be so', () => {
    expect(problemOf(() => generateEncryptionKeyFile(join(folder, 'no', 'key'))).message).toContain('ENOENT')
  })
  test.each([0o640, 0o604, 0o666, 0o601])('mode %i is refused, with the command that repairs it', (mode) => {
    const path = join(folder, `mode-${mode}`)
    writeFileSync(path, fixed.toString('base64'))
    chmodSync(path, mode)
    const refused = problemOf(() => readEncryptionKeyFile(path))
    expect([refused.problem, refused.message]).toEqual(['mode', expect.stringContaining(`chmod 600 ${path}`)])
  })
  test('what is missing, no file, too large or weak is refused', () => {
    expect(problemOf(() => readEncryptionKeyFile(join(folder, 'absent'))).problem).toBe('missing')
    expect(problemOf(() => readEncryptionKeyFile(folder)).problem).toBe('unreadable')
    for (const [content, problem] of [
      ['x'.repeat(5_000), 'malformed'],
      ['00'.repeat(32), 'weak'],
      ['', 'missing'],
    ] as const) {
      const path = join(folder, `bad-${problem}`)
      writeFileSync(path, content, { mode: 0o600 })
      expect(problemOf(() => readEncryptionKeyFile(path)).problem).toBe(problem)
    }
  })
})

describe('the ring', () => {
  const retained = Buffer.from(fixed).reverse()

  test('ids and derived keys are part of the stored format and never change', () => {
    const ring = createKeyring({ active: fixed })
    expect([ring.activeId, ring.derive('api-key-pepper').toString('hex')]).toMatchInlineSnapshot(`
      [
        "36adf9dc",
        "4dc75aa6ac1e8fe0bab309c612a30cc8328901c46e5aac17d7de366ecd3d7205",
      ]
    `)
  })
  test('each purpose has a key of its own, and none is the root key', () => {
    const ring = createKeyring({ active: fixed })
    const keys = (['envelope', 'api-key-pepper', 'signed-url', 'idempotency'] as const).map((purpose) =>
      ring.derive(purpose),
    )
    expect(new Set([fixed, ...keys].map((key) => key.toString('hex'))).size).toBe(5)
    expect(keys.map((key) => key.length)).toEqual([32, 32, 32, 32])
  })
  test('a retained key opens and is tried second, and is not active', () => {
    const ring = createKeyring({ active: fixed, retained })
    const before = createKeyring({ active: retained })
    expect(ring.ids).toEqual([createKeyring({ active: fixed }).activeId, before.activeId])
    expect(ring.deriveAll('signed-url')).toEqual([ring.derive('signed-url'), before.derive('signed-url')])
    expect(ring.kek(before.activeId)).toEqual(before.derive('envelope'))
    expect(ring.kek('00000000')).toBeUndefined()
  })
  test('a weak key makes no ring', () => {
    expect(problemOf(() => createKeyring({ active: Buffer.alloc(32) })).problem).toBe('weak')
    expect(problemOf(() => createKeyring({ active: fixed, retained: Buffer.alloc(31) })).problem).toBe('malformed')
  })
})
