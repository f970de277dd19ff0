import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { Enum } from './index.ts'
import { partValidator } from './validate.ts'

const color = Enum(['red', 'green'])
const validate = partValidator(
  'body',
  Type.Object({
    items: Type.Array(Type.Object({ color, size: Type.Union([Type.Integer(), Type.String({ maxLength: 1 })]) })),
  }),
)

test('each of thousands of faults is listed once, without what follows from it', () => {
  const items = Array.from({ length: 2_000 }, (_, n) => ({ color: n % 2 ? 1 : 'blue', size: n % 3 ? 'long' : null }))
  const issues = validate({ items })
  expect(issues).toHaveLength(4_000)
  expect(issues.slice(0, 4).map(({ name, detail }) => [name, detail])).toEqual([
    ['items[0].color', 'items[0].color must be one of red, green.'],
    ['items[0].size', 'items[0].size must be an integer or a string.'],
    ['items[1].color', 'items[1].color must be a string.'],
    ['items[1].size', 'items[1].size must have at most 1 character.'],
  ])
})
