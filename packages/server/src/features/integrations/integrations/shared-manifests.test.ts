import { loadCatalogue } from '@mortise/providers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedCase, sharedManifests } from '../../../../../manifest/src/shared-manifests.testkit.ts'
import { newId } from '../../../kernel/db/index.ts'
import { type DeployRig, type IntegrationBody, type ProblemBody, startDeployRig } from '../../../testkit/deploy-rig.ts'

const shared = sharedManifests()
const cacheDir = process.env['MORTISE_CACHE_DIR'] ?? ''

/** Cases that break, beside the strict rule that they are about, one that holds always. */
const alsoBroken = new Set([
  'testdata/invalid/google-calendar-full-history',
  'testdata/invalid/provider-no-subscribe-support',
  'testdata/invalid/subscribe-nested-watch-fields',
  'derived/invalid/google-calendar-full-history',
])
/** Breaks another rule than its own: its provider does not exist. */
const otherRule: Record<string, string> = { 'testdata/invalid/provider-no-subscribe-support': 'provider-not-supported' }

let rig: DeployRig

/** Every destination that a manifest names, whatever it is named for. */
function destinationsIn(yaml: string): string[] {
  return [...yaml.matchAll(/destination:\s*["']?([^\s"',}#]+)/gi)].map((match) => match[1]!)
}

beforeAll(async () => {
  if (!shared) return
  rig = await startDeployRig({ catalogue: await loadCatalogue({ cacheDir }), readIntervalMinMs: 600_000 })
  const names = new Set(shared.cases.flatMap(({ file }) => destinationsIn(shared.read(file))))
  for (const name of names) {
    await rig.db.sql
      .insertInto('destinations')
      .values({
        project_id: rig.projectId,
        id: newId(),
        name,
        type: 'webhook',
        metadata: '{"url":"https://example.com"}',
        encrypted_secrets: '',
      })
      .execute()
  }
})
afterAll(() => rig?.stop())

const deploy = <T = IntegrationBody[]>({ file }: SharedCase, strict: boolean) =>
  rig.deploy<T>(shared!.read(file), `?strict=${strict}`)

describe.skipIf(shared === undefined)('the shared manifests deploy as their index says', () => {
  for (const example of shared?.cases ?? []) {
    const { id, valid, scored, rule, level } = example
    if (!scored) {
      it(`${id}: is answered`, async () => {
        for (const strict of [true, false]) expect([200, 422]).toContain((await deploy(example, strict)).status)
      })
    } else if (valid) {
      it(`${id}: deploys, strict or not`, async () => {
        const strict = await deploy(example, true)
        expect(strict.status, JSON.stringify(strict.body)).toBe(200)
        expect(strict.body.length).toBeGreaterThan(0)
        const lenient = await deploy(example, false)
        expect(lenient.status).toBe(200)
        // The same content: nothing new.
        expect(lenient.body).toEqual(strict.body)
        for (const integration of lenient.body)
          expect((await rig.call('GET', `/projects/default/integrations/${integration.id}`)).body).toEqual(integration)
      })
    } else {
      it(`${id}: is refused for ${rule}${level === 'strict' ? ' when strict' : ''}`, async () => {
        const before = await rig.call('GET', '/projects/default/integrations')
        const strict = await deploy<ProblemBody>(example, true)
        expect(strict.status).toBe(422)
        expect(strict.headers.get('content-type')).toContain('application/problem+json')
        expect(strict.body.issues.map(({ context }) => context['rule'])).toContain(otherRule[id] ?? rule)
        for (const { name, context } of strict.body.issues)
          expect({ name, ...context }).toMatchObject({
            name: expect.stringMatching(/^\$/),
            line: expect.any(Number),
            column: expect.any(Number),
          })
        expect((await rig.call('GET', '/projects/default/integrations')).body).toEqual(before.body)
        const lenient = await deploy<ProblemBody>(example, false)
        expect(lenient.status).toBe(level === 'strict' && !alsoBroken.has(id) ? 200 : 422)
      })
    }
  }
})
