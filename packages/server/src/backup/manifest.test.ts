import { expect, test } from 'vitest'
import { formatVersion, mortiseVersion, parseManifest } from './manifest.ts'

const common = {
  mortise: mortiseVersion,
  createTime: '2026-11-22T10:00:00Z',
  migrations: ['0001-foundations'],
  days: [],
  tables: [],
  jobs: { rows: 0, bytes: 0, sha256: '0'.repeat(64) },
}
const parsed = (manifest: object) => parseManifest(Buffer.from(JSON.stringify(manifest)))

test('a manifest of format 1 is read with its fields under their present names', () => {
  expect(parsed({ ...common, format: 1, sealKeyIds: ['b6b69bd6'], sealKey: true })).toEqual({
    ...common,
    format: 1,
    encryptionKeyIds: ['b6b69bd6'],
    encryptionKey: true,
  })
})

test('a newer format and a manifest with missing fields are refused', () => {
  expect(() => parsed({ ...common, format: formatVersion + 1 })).toThrow(/Restore it with the release that made it/)
  expect(() => parsed({ ...common, format: formatVersion })).toThrow(/does not add up/)
})
