import { describe, expect, it } from 'vitest'
import { fillTemplate, parseTemplate } from './template.ts'

const filled = (text: string, value: Record<string, unknown>) => {
  const template = parseTemplate(text)
  return typeof template === 'string' ? { refused: template } : fillTemplate(template, value)
}

describe('a template', () => {
  it.each([
    ["join('_', [data.groupRef, data.objectName])", 'acme_contacts'],
    ['data.result[0].id', '7'],
    ['data.missing || data.groupRef', 'acme'],
    ['not_null(data.missing, data.objectName)', 'contacts'],
    ['metadata."event-id"', 'e1'],
    ["join('/', ['all', to_string(data.count)])", 'all/2'],
    ['data.count', '2'],
  ])('%s makes a text', (text, made) => {
    const data = { groupRef: 'acme', objectName: 'contacts', count: 2, result: [{ id: '7' }] }
    expect(filled(text, { data, metadata: { 'event-id': 'e1' } })).toBe(made)
  })

  it.each(['data.missing', 'data', "join('_', [data.missing])", "join('', [''])"])('%s makes none', (text) => {
    expect(filled(text, { data: { groupRef: 'acme' } })).toBeUndefined()
  })

  it.each([
    ['data.', 'not a JMESPath'],
    ['', 'not a JMESPath'],
    ['[@,@]|[@,@]', 'a pipe'],
    ['[data,data]', 'a list'],
    ['data[*].id', 'a projection'],
    ['data[]', 'a projection'],
    ['data[?id]', 'a filter'],
    ['data[0:2]', 'a projection'],
    ['{a: data}', 'an object'],
    ['max(data)', 'the function max'],
    ["join('', [[data, data]])", 'a list'],
    ['let $x = data in $x', 'this kind'],
    [`"${'x'.repeat(1_000)}"`, '1000 characters'],
  ])('%s is refused', (text, reason) => {
    expect(filled(text, {})).toEqual({ refused: expect.stringContaining(reason) })
  })
})
