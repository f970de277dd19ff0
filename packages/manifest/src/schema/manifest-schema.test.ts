import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { type JsonSchema, manifestSchema, validateManifest } from '../index.ts'
import { sharedManifests } from '../shared-manifests.testkit.ts'

const check = new Ajv({ allErrors: true, strict: true, strictTypes: false }).compile(manifestSchema)
const shared = sharedManifests()

/** A manifest in which every key of the schema has a value. */
const whole = exampleOf(manifestSchema) as Record<string, unknown>

describe('the schema of manifests', () => {
  test.runIf(shared)('accepts every valid shared manifest', () => {
    const refused = shared!.cases
      .filter(({ valid, scored }) => valid && scored)
      .map(({ file }) => ({ file, ok: check(parse(shared!.read(file))), errors: check.errors }))
      .filter(({ ok }) => !ok)
    expect(refused).toEqual([])
  })

  test.each([
    ['specVersion', undefined],
    ['integrations', []],
    ['integrations.0.name', ''],
    ['integrations.0.name', 'a/b'],
    ['integrations.0.provider', undefined],
    ['integrations.0.read.objects.0.destination', undefined],
    ['integrations.0.read.objects.0.schedule', ''],
    ['integrations.0.read.objects.0.delivery.pageSize', 10],
    ['integrations.0.read.objects.0.delivery.mode', 'later'],
    ['integrations.0.read.objects.0.backfill.defaultPeriod.days', -1],
    ['integrations.0.read.objects.0.requiredFields', [{ prompt: 'Which?' }]],
    ['integrations.0.subscribe.objects.0.destination', undefined],
    ['integrations.0.watchSchema.allObjects', undefined],
    ['integrations.0.agent', {}],
    ['integrations.0.agent.objects', []],
    ['integrations.0.agent.providerTools', []],
    ['integrations.0.agent.providerTools.0.digest', 'md5:1'],
    ['integrations.0.agent.objects.0.actions', []],
    ['integrations.0.agent.objects.0.actions', ['read']],
    ['integrations.0.agent.objects.0.hiddenFields', []],
    ['integrations.0.agent.objects.0.filters.0.value', undefined],
    ['integrations.0.agent.objects.0.confirm.create', 'maybe'],
    ['integrations.0.agent.limits.callsPerMinute', 0],
    ['integrations.0.agent.tools', []],
    ['integrations.0.agent.tools.0.name', 'merge companies'],
    ['integrations.0.agent.tools.0.description', undefined],
    ['integrations.0.agent.tools.0.request', undefined],
    ['integrations.0.agent.tools.0.request.path', 'contacts'],
    ['integrations.0.agent.tools.0.request.method', 'TRACE'],
    ['integrations.0.agent.tools.0.confirm', 'maybe'],
    ['integrations.0.agent.tools.0.result.hiddenFields', []],
  ])('refuses a manifest whose %s is %j', (path, value) => {
    expect(check(whole), JSON.stringify(check.errors)).toBe(true)
    const changed = structuredClone(whole)
    const keys = path.split('.')
    const last = keys.pop()!
    const parent = keys.reduce<Record<string, unknown>>((at, key) => at[key] as Record<string, unknown>, changed)
    if (value === undefined) delete parent[last]
    else parent[last] = value
    expect(check(changed)).toBe(false)
  })

  test('knows the keys that validation knows, at every place', () => {
    const probed = structuredClone(whole)
    const places: { path: string; keys: string[] }[] = []
    plant(probed, manifestSchema, '', places)
    const { findings } = validateManifest(stringify(probed), {
      catalogue: { find: () => undefined },
      readIntervalMinMs: 60_000,
    })
    const unknown = findings.filter(({ rule }) => rule === 'unknown-key' || rule === 'agent-unknown-key')
    expect(unknown).toHaveLength(places.length)
    for (const { suggestion = '' } of unknown)
      expect(places.map(({ keys }) => keys)).toContainEqual(
        suggestion
          .replace(/^.*: |\.$/g, '')
          .split(', ')
          .sort(),
      )
  })

  test('describes every key', () => {
    expect(undescribed(manifestSchema, 'manifest')).toEqual([])
  })
})

function exampleOf(schema: JsonSchema): unknown {
  if (schema.anyOf) return exampleOf(schema.anyOf[0]!)
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties)
        .filter(([key]) => key !== 'fullHistory')
        .map(([key, value]) => [key, exampleOf(value)]),
    )
  if (schema.type === 'array') return [exampleOf(schema.items!)]
  if (schema.enum) return schema.enum[0]
  if (schema.type === 'boolean') return true
  if (schema.type === 'integer') return schema.minimum
  return schema.examples?.[0] ?? 'text'
}

/** Puts a key that nobody knows into every mapping, and notes which keys the schema knows there. */
function plant(value: unknown, schema: JsonSchema, path: string, places: { path: string; keys: string[] }[]): void {
  if (Array.isArray(value)) {
    plant(value[0], schema.items!, `${path}[]`, places)
    return
  }
  const variants = schema.anyOf ?? [schema]
  if (!schema.anyOf && !schema.properties) return
  const map = value as Record<string, unknown>
  const keys = [...new Set(variants.flatMap((variant) => Object.keys(variant.properties ?? {})))]
  for (const key of Object.keys(map)) plant(map[key], variants[0]!.properties![key]!, `${path}.${key}`, places)
  map['zzzzzzzz'] = 'unknown'
  places.push({ path, keys: keys.sort() })
}

function undescribed(schema: JsonSchema, path: string): string[] {
  return [
    ...(schema.description ? [] : [path]),
    ...Object.entries(schema.properties ?? {}).flatMap(([key, value]) => undescribed(value, `${path}.${key}`)),
    ...(schema.items ? undescribed(schema.items, `${path}[]`) : []),
    ...(schema.anyOf ?? []).flatMap((value, index) => undescribed(value, `${path}|${index}`)),
  ]
}
