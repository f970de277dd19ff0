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
    [
      `join('${'-'.repeat(20)}', [${Array(12).fill('data.groupRef').join()}])`,
      Array(12).fill('acme').join('-'.repeat(20)),
    ],
  ])('%s makes a text', (text, made) => {
    const data = { groupRef: 'acme', objectName: 'contacts', count: 2, result: [{ id: '7' }] }
    expect(filled(text, { data, metadata: { 'event-id': 'e1' } })).toBe(made)
  })

  it.each(['data.missing', 'data', 'constructor', "join('_', [data.missing])", "join('', [''])"])(
    '%s makes none',
    (text) => {
      expect(filled(text, { data: { groupRef: 'acme' } })).toBeUndefined()
    },
  )

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
    ['join(data.glue, data.list)', 'a separator from the message'],
    [`join('${'-'.repeat(200)}', data.list)`, 'more than 64 values'],
    [`join('', [${Array(65).fill('a').join()}])`, 'more than 64 values'],
    [`join('', [${Array(65).fill('a').join()}]) || data`, 'more than 64 values'],
    [`data.join('', [${Array(65).fill('a').join()}])`, 'more than 64 values'],
    [`join('', [${Array(9).fill('a').join()}]).join('', [${Array(9).fill('b').join()}])`, 'more than 64 values'],
    ['to_string([to_string([data])])', 'to_string within to_string'],
    ["join('', [to_string(data)]).to_string(data)", 'to_string within to_string'],
    ['let $x = data in $x', 'this kind'],
    [`"${'x'.repeat(1_000)}"`, '1000 characters'],
  ])('%s is refused', (text, reason) => {
    expect(filled(text, {})).toEqual({ refused: expect.stringContaining(reason) })
  })
})
