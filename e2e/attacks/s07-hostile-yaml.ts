import fc from 'fast-check'
import { expect } from 'vitest'
import { hostileYaml } from '../../packages/manifest/src/source/hostile-yaml.testkit.ts'
import { type ProblemBody, startDeployRig } from '../../packages/server/src/testkit/deploy-rig.ts'
import type { Attack, Outcome } from './attack.ts'
import { Faults } from './faults.testkit.ts'
import { timed, timedWithin } from './processor-time.testkit.ts'

export const attack: Attack = {
  id: 'S7',
  title: 'Hostile YAML is refused with line and column, within 250 ms and 64 MB each.',
  run,
}

const heapMb = 64
const good = 'specVersion: 1.0.0\nintegrations:\n  - { name: good, provider: hubspot, proxy: { enabled: true } }\n'

/** Deploys texts over HTTP that would cost a naive reader its time, its memory, its stack or its prototypes. */
async function run({ long }: { long: boolean }): Promise<Outcome> {
  const faults = new Faults()
  // More room while other tests use the machine.
  const limitMs = long ? 250 : 2_000
  const rig = await startDeployRig({ heapMb })
  const fragments = [
    '\n',
    '\n  ',
    '- ',
    ': ',
    '[',
    ']',
    '{',
    '}',
    '&a ',
    '*a',
    '? ',
    '|',
    '"',
    '#',
    '!!t ',
    '<<',
    'a',
    '---\n',
    '\t',
  ]
  try {
    // The thread that reads manifests starts with the first one.
    const first = await rig.deploy(good)
    if (first.status !== 200) faults.add(`A good text is answered ${first.status}.`)
    let slowestMs = 0
    let refused = 0
    for (const [name, [text, rule]] of Object.entries(hostileYaml)) {
      const { result, ms } = await timedWithin(limitMs, () => rig.deploy<ProblemBody>(text))
      slowestMs = Math.max(slowestMs, ms)
      if (ms > limitMs) faults.add(`${name}: takes ${Math.round(ms)} ms.`)
      await faults.check(name, () => {
        expect(result.status).toBe(422)
        expect(result.headers.get('content-type')).toMatch(/^application\/problem\+json/)
        expect(result.body.issues.length).toBeLessThanOrEqual(100)
        refused++
        // No input may hold NUL: it is refused before anything reads the text.
        if (text.includes('\0')) return
        const found = result.body.issues.find(({ context }) => context['rule'] === rule)
        expect(found, JSON.stringify(result.body.issues.slice(0, 3))).toBeDefined()
        expect(found?.context['line']).toBeGreaterThan(0)
        expect(found?.context['column']).toBeGreaterThan(0)
      })
    }
    const randomTexts = long ? 5_000 : 100
    const seed = Number(process.env['MORTISE_FUZZ_SEED'] ?? 20_260_101)
    const texts = fc.array(fc.oneof(fc.constantFrom(...fragments), fc.string({ maxLength: 8 })), { maxLength: 200 })
    for (const parts of fc.sample(texts, { numRuns: randomTexts, seed })) {
      const { result, ms } = await timed(() => rig.deploy<ProblemBody>(parts.join('')))
      // What the collector does between hundreds of small texts is none of theirs.
      if (ms > limitMs * 4) faults.add(`A random text takes ${Math.round(ms)} ms.`)
      if (result.status !== 422 && result.status !== 400) faults.add(`A random text is answered ${result.status}.`)
    }
    if (rig.changes.length !== 1) faults.add('A refused text was deployed.')
    if ('polluted' in {}) faults.add('Object.prototype was changed.')
    const cases = Object.keys(hostileYaml).length
    const figures = { cases, refused, randomTexts, slowestMs: Math.round(slowestMs), heapMb }
    return { passed: refused === cases && faults.list.length === 0, figures, faults: faults.list }
  } finally {
    await rig.stop()
  }
}
