import { checkProviderFiles } from '@mortise/providers/check'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crm } from './crm.testkit.ts'
import { learnFrom } from './index.ts'
import type { Json } from './json-values.ts'
import { passingFile } from './passing-file.ts'

/** Learns from a document, and returns the faults of the file and what is not known. */
function learn(document: Json) {
  const { learned, source } = learnFrom(document, 'a.json', 'acme')
  const { text, unknown } = passingFile(learned, source, [])
  return { faults: checkProviderFiles([{ path: 'acme.yaml', text }], []), text, unknown, learned }
}

function listOf(items: unknown) {
  return { get: { responses: { 200: { content: { 'application/json': { schema: { type: 'array', items } } } } } } }
}

describe('what a document does not say is in the list of unknown parts', () => {
  test('paths that are not valid, responses without a description, and other documents', () => {
    const { unknown } = learn({
      openapi: '3.0.0',
      paths: { 'no slash': {}, '/a': { get: {} }, '/b': listOf({ $ref: 'other.yaml#/x' }) },
    })
    expect(unknown).toEqual(
      expect.arrayContaining([
        'not read: paths that are not valid: no slash',
        'the JSON response is not described, so no list was looked for: /a',
        'references were not followed; bundle the document: other.yaml#/x',
      ]),
    )
    expect(learn({ openapi: '3.0.0' }).unknown).toContain('the document has no paths')
  })

  test('marks that reverse the direction of a line are in no output', () => {
    const { text, unknown } = learn({ openapi: '3.0.0', info: { title: 'A\u202eB' }, paths: { 'x\u2066y': {} } })
    expect(text + unknown.join('')).not.toMatch(/[\u202e\u2066]/)
  })
})

describe('schemas are read as JSON Schema means them', () => {
  const fieldsOf = (document: Json) => learn(document).text
  test('a reference with more keys, and a property that several parts describe', () => {
    const text = fieldsOf({
      openapi: '3.1.0',
      components: { schemas: { Base: { properties: { id: { type: 'string' }, owner: {} } } } },
      paths: {
        '/a': listOf({ $ref: '#/components/schemas/Base', properties: { size: { type: 'integer' } } }),
        '/b': listOf({
          allOf: [{ $ref: '#/components/schemas/Base' }, { properties: { owner: { type: 'boolean' } } }],
        }),
      },
    })
    expect(text).toContain('size: int')
    expect(text).toContain('owner: boolean')
  })

  test('an example shows the names where there is no schema, and none of its values', () => {
    const example = { results: [{ id: 'tok_live4711abcdefgh', born: '1815-12-10' }], next_cursor: 'x' }
    const text = fieldsOf({
      openapi: '3.0.0',
      paths: {
        '/people': {
          get: {
            parameters: [{ in: 'query', name: 'cursor', schema: { type: 'string' } }],
            responses: { 200: { content: { 'application/json': { examples: { one: { value: example } } } } } },
          },
        },
      },
    })
    expect(text).toContain('records: results')
    expect(text).toContain('next: next_cursor')
    expect(text).toContain('born: date')
    expect(text).not.toMatch(/4711|1815/)
  })
})

/** A copy of a document in which the parts that `change` picks are others. */
function changed(node: unknown, change: (path: number, node: unknown) => unknown, path = 7): unknown {
  const own = change(path, node)
  if (own !== node || typeof node !== 'object' || node === null) return own
  if (Array.isArray(node)) return node.map((item, at) => changed(item, change, (path * 31 + at + 1) % 1_000_003))
  return Object.fromEntries(
    Object.entries(node).map(([key, value], at) => [key, changed(value, change, (path * 37 + at + 5) % 1_000_003)]),
  )
}

const oddValues = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(
    null,
    '',
    '{{x}}',
    '{id}',
    -1,
    1e308,
    [],
    {},
    [[]],
    '__proto__',
    'a\n# b',
    '\u202e',
    { $ref: '#' },
    { $ref: '#/components/schemas/Contact' },
    { $ref: 'https://evil.example/x' },
    { type: 'array', items: { $ref: '#/paths/~1contacts' } },
    'http://',
    'https://{x}.example.com/{y}',
  ),
)

test('the file passes its check, whatever part of a document is another value', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), oddValues), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 61, max: 200 }),
      (odd, every) => {
        const document = changed(crm, (path, node) => {
          if (path < 10_000) return node
          const found = odd.find(([at]) => path % every === at)
          return found === undefined ? node : found[1]
        })
        const isDocument = typeof document === 'object' && document !== null && !Array.isArray(document)
        const { faults } = learn({ ...(isDocument ? document : {}), openapi: '3.0.0' })
        expect(faults).toEqual([])
      },
    ),
    { numRuns: 150 },
  )
})
