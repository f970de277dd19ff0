import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fileOf, referencePages } from '../../../scripts/reference-pages.ts'
import { declaredProblems } from './app.ts'
import { apiEndpoints, commonEndpoints } from './features/index.ts'
import { type OpenApiView, referenceDocument, resources, type SchemaView } from './features/platform/api-docs/index.ts'
import type { Endpoint } from './kernel/http/index.ts'

const endpoints = [...commonEndpoints, ...apiEndpoints] as Endpoint[]
const problems = declaredProblems(endpoints)
const document = referenceDocument(endpoints, 'https://mortise.example.com')
const view = JSON.parse(JSON.stringify(document)) as OpenApiView
const pages = referencePages(document, resources, problems.values())
const docs = new URL('../../../docs/', import.meta.url)
const howTo = 'node scripts/run.mjs scripts/write-reference-docs.ts writes it'

test('every resource and every problem has its page, and nothing else has one', () => {
  const files = ['resources', 'problems'].flatMap((folder) =>
    readdirSync(new URL(folder, docs)).map((file) => `${folder}/${file}`),
  )
  expect(files.toSorted()).toEqual([...pages.keys()].toSorted())
})

test.each([...pages.keys()])('%s says what the document says', (path) => {
  expect(readFileSync(new URL(path, docs), 'utf8') === pages.get(path), howTo).toBe(true)
})

test('the index of the docs leads to every page of a resource', () => {
  const index = readFileSync(new URL('README.md', docs), 'utf8')
  const linked = [...index.matchAll(/\]\(resources\/([\w-]+)\.md\)/g)].map((match) => match[1])
  expect(linked.toSorted()).toEqual(Object.keys(resources).map(fileOf).toSorted())
})

test('what resources are said to be concerned by are endpoints', () => {
  const ids = endpoints.map(({ declaration }) => declaration.id)
  for (const [name, { also = [] }] of Object.entries(resources)) {
    expect(view.components.schemas, 'a schema').toHaveProperty(name)
    expect(also.filter((id) => !ids.includes(id))).toEqual([])
  }
})

describe('the document describes', () => {
  const undescribed: string[] = []
  const visit = (schema: SchemaView, place: string) => {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (!property.$ref && !property.description) undescribed.push(`${place}.${name}`)
      visit(property, `${place}.${name}`)
    }
    for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) visit(part, place)
    if (schema.items) visit(schema.items, `${place}[]`)
    if (typeof schema.additionalProperties === 'object') visit(schema.additionalProperties, `${place}{}`)
  }

  test('every named schema: where it is declared, or in features/platform/api-docs/resources.ts', () => {
    const { schemas } = view.components
    expect(Object.keys(schemas).filter((name) => !schemas[name]?.description)).toEqual([])
  })

  test('every property and parameter: where it is declared, or in features/platform/api-docs/words.ts', () => {
    for (const [name, schema] of Object.entries(view.components.schemas)) visit(schema, name)
    for (const methods of Object.values(view.paths))
      for (const { operationId = '', parameters, requestBody, responses } of Object.values(methods)) {
        for (const { $ref, name, description } of parameters)
          if (!$ref && !description) undescribed.push(`${operationId} ${name}`)
        for (const part of [requestBody, ...Object.values(responses)])
          for (const { schema } of Object.values(part?.content ?? {})) visit(schema, operationId)
      }
    expect(undescribed).toEqual([])
  })

  test('every tag: in features/platform/api-docs/tags.ts', () => {
    expect(view.tags.filter(({ description }) => !description)).toEqual([])
  })
})
