import { validateManifest } from '@mortise/manifest'
import { afterEach, describe, expect, it } from 'vitest'
import { type ProblemBody, provider, startDeployRig } from '../../../testkit/deploy-rig.ts'
import { createManifestValidator, type ManifestValidatorOptions } from './index.ts'
import type { ManifestValidator } from './manifest-validator.ts'
import { ManifestTooCostly } from './problems.ts'

const options = { destinations: ['hook'], strict: true, readIntervalMinMs: 60_000 }
const good = `specVersion: 1.0.0
integrations:
  - { name: a, provider: hubspot, read: { objects: [{ objectName: contacts, destination: hook, schedule: "*/30 * * * *" }] } }
`
/** Allowed in size and shape, and far more work than a millisecond. */
const costly = `${good}${Array.from({ length: 6_000 }, (_, at) => `k${at}: [a, b, c]`).join('\n')}`

let validator: ManifestValidator | undefined
afterEach(() => validator?.close())
const start = (limits: Partial<ManifestValidatorOptions> = {}) => {
  validator = createManifestValidator({
    catalogue: { list: () => [provider('hubspot')] },
    timeLimitMs: 20_000,
    ...limits,
  })
  return validator
}

it('a manifest that takes too long is a 422 that says so, over HTTP too', async () => {
  const rig = await startDeployRig({ timeLimitMs: 1 })
  const { status, body } = await rig.deploy<ProblemBody>(costly)
  await rig.stop()
  expect(status).toBe(422)
  expect(body).toMatchObject({
    context: { code: 'manifest-too-costly' },
    issues: [{ in: 'body', context: { rule: 'manifest-cost' } }],
  })
})

describe('validating in a thread', () => {
  it('answers as validating here does, with the catalogue and its suggestions', async () => {
    const validate = start()
    const entries = new Map([['hubspot', provider('hubspot')]])
    const here = {
      ...options,
      destinations: new Set(['hook']),
      catalogue: { find: (name: string) => entries.get(name), suggest: () => 'hubspot' },
    }
    for (const source of [good, good.replace('hubspot', 'hubspott'), good.replace('hook', 'nowhere'), ': [', ''])
      expect(await validate(source, options)).toEqual(validateManifest(source, here))
  })

  it('answers each of many callers with their own result', async () => {
    const validate = start()
    const sources = Array.from({ length: 20 }, (_, at) => good.replace('name: a', `name: n${at}`))
    const results = await Promise.all(sources.map((source) => validate(source, options)))
    expect(results.map(({ manifest }) => manifest?.integrations[0]?.name)).toEqual(sources.map((_, at) => `n${at}`))
  })

  it('gives up on a manifest that takes too long, and serves the next one', async () => {
    const validate = start({ timeLimitMs: 1 })
    await expect(validate(costly, options)).rejects.toBeInstanceOf(ManifestTooCostly)
    validator = undefined
    await validate.close()
    const patient = start()
    await expect(patient(costly, options)).resolves.toMatchObject({ valid: true })
  })

  it('survives a manifest that takes too much memory', async () => {
    const validate = start({ heapMb: 12 })
    await expect(validate(costly, options)).rejects.toBeInstanceOf(ManifestTooCostly)
    await expect(validate(good, options)).resolves.toMatchObject({ valid: true })
  })

  it('takes a manifest as large as one may be within its memory', async () => {
    const validate = start()
    let source = 'specVersion: 1.0.0\nintegrations:\n'
    for (let at = 0; at < 2_000; at++) {
      if (at % 20 === 0) source += `  - name: n${at}\n    provider: hubspot\n    read:\n      objects:\n`
      source += `        - { objectName: o${at}, destination: hook, schedule: "*/30 * * * *", requiredFields: [{ fieldName: a }, { fieldName: b }] }\n`
    }
    for (const _ of [1, 2, 3]) expect((await validate(source, options)).manifest?.integrations).toHaveLength(100)
  })
})
