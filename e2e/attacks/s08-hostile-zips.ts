import fc from 'fast-check'
import { expect } from 'vitest'
import { manifestInZip } from '../../packages/server/src/features/integrations/integrations/source/manifest-in-zip.ts'
import { SourceRefused } from '../../packages/server/src/features/integrations/integrations/source/source-refused.ts'
import { craftZip, type ZipPart } from '../../packages/server/src/testkit/craft-zip.ts'
import { type ProblemBody, startDeployRig } from '../../packages/server/src/testkit/deploy-rig.ts'
import type { Attack, Outcome } from './attack.ts'
import { Faults } from './faults.testkit.ts'
import { timedWithin } from './processor-time.testkit.ts'

export const attack: Attack = {
  id: 'S8',
  title: 'Hostile archives are refused within 500 ms each, and a damaged one never gives another manifest.',
  run,
}

const yaml = 'specVersion: 1.0.0\n'
const manifest: ZipPart = { name: 'mortise.yaml', content: yaml }

/** What a zip does, the rule that refuses it, and the zip. */
const cases: [string, string, () => Buffer][] = [
  ...['../amp.yaml', 'a/../../amp.yaml', '/amp.yaml', 'C:/amp.yaml', '..\\amp.yaml'].map(
    (name): [string, string, () => Buffer] => [
      `reaches outside: ${name}`,
      'zip-format',
      () => craftZip([manifest, { name, content: yaml }]),
    ],
  ),
  ...['\n', '\u001b', '\u009b', '\u202e', '\u200b', '\u{e0041}'].map((character): [string, string, () => Buffer] => [
    `has ${JSON.stringify(character)} in a name`,
    'zip-name',
    () => craftZip([manifest, { name: `a${character}b` }]),
  ]),
  ['announces 65,000 entries and has none', 'zip-entries', () => craftZip([], { entryCount: 65_000 })],

  ['holds a symlink', 'zip-type', () => craftZip([{ name: 'mortise.yaml', content: '/etc/passwd', mode: 0o120777 }])],
  ['names a file twice', 'zip-name', () => craftZip([manifest, manifest])],
  [
    'names a file twice in different case',
    'zip-name',
    () => craftZip([manifest, { name: 'MORTISE.yaml', content: yaml }]),
  ],
  [
    'names a file twice in different normal forms',
    'zip-name',
    () => craftZip([manifest, { name: 'é' }, { name: 'e\u0301' }]),
  ],
  ['expands a hundredfold', 'zip-bomb', () => craftZip([{ name: 'mortise.yaml', content: Buffer.alloc(1_900_000) }])],
  ['expands to 100 MB', 'zip-bomb', () => craftZip([manifest, { name: 'bomb', size: 100_000_000, content: 'x' }])],
  [
    'expands to more than 20 MB, none of it much',
    'zip-bomb',
    () =>
      craftZip(Array.from({ length: 30 }, (_, at) => ({ name: `${at}`, size: 1_000_000, raw: Buffer.alloc(11_000) }))),
  ],
  [
    'has 1,001 entries',
    'zip-entries',
    () => craftZip(Array.from({ length: 1_001 }, (_, at) => ({ name: `${at}`, method: 0 }))),
  ],
  [
    'has 65,000 entries',
    'zip-entries',
    () => craftZip(Array.from({ length: 65_000 }, (_, at) => ({ name: `${at}`, method: 0 }))),
  ],
  [
    'has 500 entries over the same bytes',
    'zip-mismatch',
    () =>
      craftZip(Array.from({ length: 500 }, (_, at) => ({ name: `${at}`, content: yaml, ...(at > 0 && { at: 0 }) }))),
  ],
  [
    'has an entry inside another one',
    'zip-overlap',
    () => {
      const inner = craftZip([manifest])
      const outer = { name: 'a', method: 0, content: inner }
      return craftZip([outer, { ...manifest, at: 30 + outer.name.length }])
    },
  ],
  [
    'holds the manifest only in a zip of its own',
    'zip-manifest',
    () => craftZip([{ name: 'amp.zip', content: craftZip([manifest]) }]),
  ],
  [
    'is larger inside than it tells',
    'zip-format',
    () => craftZip([{ ...manifest, content: yaml.repeat(40), size: 19 }]),
  ],
  ['is smaller inside than it tells', 'zip-format', () => craftZip([{ ...manifest, size: 200 }])],
  ['has a wrong checksum', 'zip-checksum', () => craftZip([{ ...manifest, crc: 1 }])],
  ['is encrypted', 'zip-encrypted', () => craftZip([{ ...manifest, flags: 0x0801 }])],
  ['is cut off', 'zip-format', () => craftZip([manifest]).subarray(0, -30)],
  ['begins with a program', 'zip-format', () => Buffer.concat([Buffer.from('#!/bin/sh\n'), craftZip([manifest])])],
  ['is no zip', 'zip-format', () => Buffer.from('specVersion: 1.0.0\n'.repeat(10))],
  ['is nothing', 'source-upload', () => Buffer.alloc(0)],
  ['names an entry in two ways', 'zip-mismatch', () => craftZip([{ ...manifest, localName: 'mortise.yxml' }])],
  ['has a name of 60 KB', 'zip-name', () => craftZip([manifest, { name: 'a'.repeat(60_000) }])],
  ['is 5,000 folders deep', 'zip-name', () => craftZip([manifest, { name: `${'a/'.repeat(5_000)}b` }])],
  ['is 100 folders deep', 'zip-name', () => craftZip([manifest, { name: `${'a/'.repeat(100)}b` }])],
  ['has no entries', 'zip-manifest', () => craftZip([])],
  ['is larger than 10 MB', 'zip-size', () => Buffer.concat([craftZip([manifest]), Buffer.alloc(10 * 1024 * 1024)])],
  [
    'is compressed in an uncommon way',
    'zip-format',
    () => craftZip([{ ...manifest, method: 14, raw: Buffer.from(yaml) }]),
  ],
  ['holds two manifests', 'zip-manifest', () => craftZip([manifest, { name: 'amp.yaml', content: yaml }])],
  [
    'has the manifest in one of two folders',
    'zip-manifest',
    () => craftZip([{ name: 'a/amp.yaml', content: yaml }, { name: 'b/x' }]),
  ],
  ['has the manifest two folders deep', 'zip-manifest', () => craftZip([{ name: 'a/b/amp.yaml', content: yaml }])],
  [
    'holds a manifest that is not UTF-8',
    'manifest-encoding',
    () => craftZip([{ ...manifest, content: Buffer.from([0xff, 0xfe, 0x41]) }]),
  ],
  [
    'holds a manifest of more than 2 MB',
    'yaml-size',
    () => craftZip([{ ...manifest, method: 0, content: 'a'.repeat(2 * 1024 * 1024 + 1) }]),
  ],
  ['tells of more entries than it has', 'zip-format', () => craftZip([manifest], { entryCount: 5 })],
]

/** Uploads and deploys each archive, then damages a good one at random. */
async function run({ long }: { long: boolean }): Promise<Outcome> {
  const faults = new Faults()
  // Twice as long beside other tests.
  const limitMs = long ? 500 : 1_000
  const rig = await startDeployRig()
  let slowestMs = 0
  let refused = 0
  try {
    for (const [name, rule, make] of cases) {
      const zip = make()
      const { body: upload } = await rig.call<{ url: string; bucket: string; path: string }>(
        'GET',
        '/generate-upload-url',
      )
      const put = await fetch(upload.url, { method: 'PUT', body: new Uint8Array(zip) })
      await put.body?.cancel()
      if (rule === 'zip-size') {
        await faults.check(name, () => expect(put.status).toBe(413))
        refused++
        continue
      }
      const sourceZipUrl = `gs://${upload.bucket}/${upload.path}`
      const { result, ms } = await timedWithin(limitMs, () =>
        rig.call<ProblemBody>('PUT', '/projects/default/integrations:batch', { sourceZipUrl }),
      )
      slowestMs = Math.max(slowestMs, ms)
      if (ms > limitMs) faults.add(`${name}: takes ${Math.round(ms)} ms.`)
      await faults.check(name, () => {
        expect(result.status, JSON.stringify(result.body)).toBe(422)
        expect(result.headers.get('content-type')).toMatch(/^application\/problem\+json/)
        const [issue] = result.body.issues
        expect(issue?.context['rule'], issue?.detail).toBe(rule)
        expect(issue?.remedy).toBeTruthy()
        expect(issue?.detail.length).toBeLessThan(600)
        refused++
      })
    }
    if (rig.changes.length > 0) faults.add('A refused archive was deployed.')
  } finally {
    await rig.stop()
  }
  const damagedZips = await damage(long ? 50_000 : 500, faults)
  const figures = { cases: cases.length, refused, damagedZips, slowestMs: Math.round(slowestMs) }
  return { passed: refused === cases.length && faults.list.length === 0, figures, faults: faults.list }
}

/** Changes one to four bytes of a good archive: it is read as before, or refused with a reason. */
async function damage(count: number, faults: Faults): Promise<number> {
  const whole = craftZip([manifest, { name: 'b/c.txt', content: 'hello' }])
  const change = fc.record({ at: fc.nat(whole.length - 1), to: fc.nat(255) })
  const seed = Number(process.env['MORTISE_FUZZ_SEED'] ?? 20_260_101)
  for (const changes of fc.sample(fc.array(change, { minLength: 1, maxLength: 4 }), { numRuns: count, seed })) {
    const damaged = Buffer.from(whole)
    for (const { at, to } of changes) damaged[at] = to
    const answer = await manifestInZip(damaged).catch((error: unknown) => error)
    if (answer !== yaml && !(answer instanceof SourceRefused))
      faults.add(`${JSON.stringify(changes)}: ${String(answer).slice(0, 200)}`)
  }
  return count
}
