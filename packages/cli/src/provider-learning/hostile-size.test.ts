import { checkProviderFiles } from '@mortise/providers/check'
import { describe, expect, test } from 'vitest'
import { learnFrom } from './index.ts'
import type { Json } from './json-values.ts'
import { passingFile } from './passing-file.ts'

/** Learns from a document, and returns the faults of the file and what is not known. */
function learn(document: Json) {
  const { learned, source } = learnFrom(document, 'a.json', 'acme')
  const { text, unknown } = passingFile(learned, source, [])
  return { faults: checkProviderFiles([{ path: 'acme.yaml', text }], []), unknown }
}

function listOf(items: unknown) {
  return { get: { responses: { 200: { content: { 'application/json': { schema: { type: 'array', items } } } } } } }
}

// Without the limits, each of them takes from minutes to years, and no run ends.
describe('hostile documents take little time', () => {
  test('a response that contains itself in a hundred properties', () => {
    const node = { $ref: '#/components/schemas/Node' }
    const properties = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`p${at}`, node]))
    const paths = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [
        `/n${at}`,
        { get: { responses: { 200: { content: { 'application/json': { schema: { allOf: [node] } } } } } } },
      ]),
    )
    expect(
      learn({ openapi: '3.0.0', paths, components: { schemas: { Node: { type: 'object', properties } } } }).faults,
    ).toEqual([])
  })

  test('thousands of schemas that are composed of each other', () => {
    const at = (index: number) => ({ $ref: `#/components/schemas/S${index % 3000}` })
    const schemas = Object.fromEntries(
      Array.from({ length: 3000 }, (_, index) => [
        `S${index}`,
        {
          anyOf: Array.from({ length: 40 }, (__, part) => at(index * 7 + part * 11 + 1)),
          properties: { [`p${index}`]: at(index + 1) },
        },
      ]),
    )
    const paths = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`/l${index}`, listOf(at(index))]))
    expect(learn({ openapi: '3.1.0', paths, components: { schemas } }).faults).toEqual([])
  })

  test('ten thousand paths, of which the last are named as not read', () => {
    const paths = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`/list${at}`, listOf({ type: 'object' })]),
    )
    const { faults, unknown } = learn({ openapi: '3.0.0', paths })
    expect(faults).toEqual([])
    expect(unknown).toContain('not read: the last 5000 paths')
  })
})
