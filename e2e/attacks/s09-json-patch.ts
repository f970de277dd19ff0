import { createRequire } from 'node:module'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import {
  applyPatch,
  type PatchOperation,
} from '../../packages/server/src/features/integrations/installations/json-patch.ts'
import { startInstallationKit } from '../../packages/server/src/testkit/installation-kit.ts'
import { expectProblem } from '../problem-answer.testkit.ts'
import { openStoredRows } from '../stored-rows.testkit.ts'
import type { Attack, Outcome } from './attack.ts'
import { Faults } from './faults.testkit.ts'
import { timed } from './processor-time.testkit.ts'

export const attack: Attack = {
  id: 'S9',
  title: 'JSON Patch follows the public suite, and a hostile patch of a config is refused and changes nothing.',
  run,
}

interface SuiteCase {
  comment?: string
  doc: unknown
  patch: PatchOperation[]
  expected?: unknown
  error?: string
}

const require = createRequire(import.meta.url)
const suite = ['tests', 'spec_tests'].flatMap((name) => require(`json-patch-test-suite/${name}.json`) as SuiteCase[])
const unsupported = ['move', 'copy', 'test']

const add = (path: string, value: unknown = true) => ({ op: 'add', path, value })
const replace = (path: string, value: unknown = true) => ({ op: 'replace', path, value })
const remove = (path: string) => ({ op: 'remove', path })
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
const polluted = { polluted: true }
const arrayInConfig = add('/selectedValueMappings', [])

/** Names that reach a prototype, each as the path of an operation of each kind. */
const prototypes = [
  '/__proto__',
  '/__proto__/polluted',
  '/constructor',
  '/constructor/prototype/polluted',
  '/prototype/polluted',
  '/selectedFields/__proto__',
  '/selectedFields/__proto__/polluted',
  '/selectedFields/constructor/prototype',
  '/selectedFields/constructor/prototype/polluted',
]

/** Patches of an object's config that are refused; a text is sent as it stands in place of the list of changes. */
const patches: Record<string, unknown[] | string> = {
  ...Object.fromEntries(
    prototypes.flatMap((path) => [
      [`add ${path}`, [add(path)]],
      [`replace ${path}`, [replace(path)]],
      [`remove ${path}`, [remove(path)]],
    ]),
  ),
  'a value with __proto__': '[{"op":"add","path":"/selectedFields","value":{"__proto__":{"polluted":true}}}]',
  'a value with __proto__, escaped':
    '[{"op":"add","path":"/selectedFields","value":{"\\u005f_proto__":{"polluted":true}}}]',
  'a value with constructor.prototype': [add('/selectedFields', { constructor: { prototype: polluted } })],
  'an operation with __proto__': '[{"op":"add","path":"/selectedFields/a","value":true,"__proto__":{"op":"remove"}}]',
  'an inherited member, replaced': [replace('/toString')],
  'an inherited member, removed': [remove('/selectedFields/hasOwnProperty')],
  'the length of an array': [arrayInConfig, replace('/selectedValueMappings/length', 9)],
  'the index 4294967290': [arrayInConfig, add('/selectedValueMappings/4294967290')],
  'the index 4294967296': [arrayInConfig, add('/selectedValueMappings/4294967296')],
  'the index 9007199254740993': [arrayInConfig, add('/selectedValueMappings/9007199254740993')],
  'a negative index': [arrayInConfig, add('/selectedValueMappings/-1')],
  'an index with a leading zero': [arrayInConfig, add('/selectedValueMappings/00')],
  'an index in another notation': [arrayInConfig, add('/selectedValueMappings/1e0')],
  'a hole in an array': [arrayInConfig, add('/selectedValueMappings/1')],
  'the end of an array, replaced': [arrayInConfig, replace('/selectedValueMappings/-')],
  'the end of an array, removed': [arrayInConfig, remove('/selectedValueMappings/-')],
  'the end of an array, gone through': [arrayInConfig, add('/selectedValueMappings/-/a')],
  'the end of what is no array': [add('/schedule/-', 'x')],
  '101 operations': times(101, () => add('/selectedFields/phone')),
  '5,000 operations': times(5_000, () => add('/selectedFields/phone')),
  'no operations': [],
  'an output of more than 1 MB': [add('/selectedFieldMappings/a', 'x'.repeat(1_048_577))],
  'an output of more than 1 MB, by many': times(90, (at) => add(`/selectedFieldMappings/f${at}`, 'x'.repeat(12_000))),
  'a bomb of copies': [
    add('/selectedFieldMappings/a', 'x'.repeat(10)),
    ...times(18, (at) => ({ op: 'copy', from: '/selectedFieldMappings', path: `/selectedFieldMappings/c${at}` })),
  ],
  'a move into itself': [{ op: 'move', from: '/selectedFields', path: '/selectedFields/a' }],
  'a test that would compare': [{ op: 'test', path: '/schedule', value: 'x' }],
  'an unknown operation': [{ op: 'constructor', path: '/schedule', value: 'x' }],
  'an operation without a kind': [{ path: '/schedule', value: 'x' }],
  'an operation that is no object': ['add', null, 1],
  'an operation without a path': [{ op: 'add', value: 'x' }],
  'a path that is no text': [{ op: 'add', path: ['schedule'], value: 'x' }],
  'a value that is missing': [{ op: 'add', path: '/schedule' }],
  'a path of 65 parts': [add('/a'.repeat(65))],
  'a path of 2,500 parts': [add('/a'.repeat(2_500))],
  'a path of 10,000 letters': [add(`/${'a'.repeat(10_000)}`)],
  'a path that leads nowhere': [add('/a/b/c')],
  'a path through a text': [add('/schedule/a')],
  'a path that does not begin': [add('schedule')],
  'a path with half an escape': [add('/selectedFields/a~')],
  'a path with an unknown escape': [add('/selectedFields/~2')],
  'a path with NUL': [add('/selectedFields/a\0b')],
  'a path with half a character': [add('/selectedFields/\ud800')],
  'a value 70 levels deep': `[{"op":"add","path":"/selectedFields/a","value":${'['.repeat(70)}${']'.repeat(70)}}]`,
  'a value 100,000 levels deep': `[{"op":"add","path":"/selectedFields/a","value":${'['.repeat(100_000)}`,
  'the whole document, replaced': [replace('', {})],
  'the whole document, removed': [remove('')],
  'the name of the object': [replace('/objectName', 'companies')],
  'the name of the object, removed': [remove('/objectName')],
  'a good operation before a bad one': [add('/selectedFields/phone'), remove('/selectedFields/nothing')],
  'fifty good operations before a bad one': [
    ...times(50, () => add('/selectedFields/phone')),
    add('/selectedFields/__proto__'),
  ],
}

async function run({ long }: { long: boolean }): Promise<Outcome> {
  const faults = new Faults()
  const before = Object.getOwnPropertyNames(Object.prototype).toSorted()
  let followed = 0
  for (const one of suite) {
    const fault = faultOfCase(one)
    if (fault === undefined) followed++
    else faults.add(`${one.comment ?? JSON.stringify(one.patch)}: ${fault}`)
  }

  const kit = await startInstallationKit()
  const rows = await openStoredRows(kit.app.testDatabase.url)
  let refused = 0
  let slowestMs = 0
  try {
    const groupRef = 'attacked'
    await kit.connect(groupRef)
    const { body: installation } = await kit.create(groupRef, { contacts: { selectedFields: { score: true } } })
    const url = `${kit.app.url}/v1${kit.base}/integrations/crm/objects/contacts/config-content`
    const headers = { 'content-type': 'application/json', 'x-api-key': kit.app.apiKey }
    const stored = await rows.fingerprint()
    for (let round = long ? 20 : 1; round > 0; round--)
      for (const [name, changes] of Object.entries(patches)) {
        const list = typeof changes === 'string' ? changes : JSON.stringify(changes)
        const body = `{"groupRef":"${groupRef}","action":"read","changes":${list}}`
        const { result, ms } = await timed(async () => {
          const answer = await fetch(url, { method: 'PATCH', headers, body })
          return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() }
        })
        slowestMs = Math.max(slowestMs, ms)
        await faults.check(name, async () => {
          expect([400, 413, 422], result.text.slice(0, 300)).toContain(result.status)
          expectProblem(result, [kit.app.apiKey])
          expect(await rows.fingerprint(), 'a refused patch changed a row').toBe(stored)
          refused++
        })
      }
    const { body: after } = await kit.get(installation.id)
    if (!isDeepStrictEqual(after.config, installation.config)) faults.add('The config is not what it was.')
    const good = await kit.patch('contacts', { groupRef, action: 'read', changes: [add('/selectedFields/phone')] })
    if (good.status !== 200) faults.add(`A good patch is answered ${good.status}.`)
  } finally {
    await rows.close()
    await kit.stop()
  }
  const changed = Object.getOwnPropertyNames(Object.prototype).toSorted().join() !== before.join() || 'polluted' in {}
  if (changed) faults.add('Object.prototype was changed.')
  const hostilePatches = Object.keys(patches).length * (long ? 20 : 1)
  const figures = {
    suiteCases: suite.length,
    suiteFollowed: followed,
    hostilePatches,
    refused,
    prototypeChanges: changed ? 1 : 0,
    slowestMs: Math.round(slowestMs),
  }
  return { passed: refused === hostilePatches && followed === suite.length, figures, faults: faults.list }
}

/** What is wrong with the answer to a case of the suite. A patch that moves, copies or tests is refused as a whole. */
function faultOfCase({ doc, patch, expected, error }: SuiteCase): string | undefined {
  const before = structuredClone(doc)
  const result = applyPatch(doc, patch)
  if (!isDeepStrictEqual(doc, before)) return 'changes the document that it was given'
  const isRefused = error !== undefined || patch.some(({ op }) => unsupported.includes(op))
  if (isRefused) return 'faults' in result ? undefined : 'is not refused'
  return isDeepStrictEqual(result, { document: expected ?? doc }) ? undefined : `gives ${JSON.stringify(result)}`
}
