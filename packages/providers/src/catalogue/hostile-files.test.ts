import { describe, expect, it } from 'vitest'
import { readProviderFile } from './read-provider-file.ts'

describe('a hostile file is a fault, not a hang', () => {
  const levels = Array.from({ length: 12 }, (_, n) => `l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(', ')}]`)
  const most = 500_000

  it.each([
    ['a bomb of aliases', `l0: &l0 [x, x]\n${levels.join('\n')}\n`],
    ['an alias of itself', 'a: &a [*a]'],
    ['aliases without an end', `a: &a x\nb: [${Array(10_000).fill('*a').join(', ')}]`],
    ['brackets without an end', `a: ${'['.repeat(most)}`],
    ['maps without an end', `a: ${'{a: '.repeat(most / 4)}`],
    ['lists in lists', '- '.repeat(most / 2)],
    ['keys in keys', '? '.repeat(most / 2)],
    ['levels of indentation', Array.from({ length: 900 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')],
    ['a key a hundred thousand times', 'a:\n'.repeat(most / 5)],
    ['a hundred thousand keys', Array.from({ length: most / 8 }, (_, n) => `k${n}:`).join('\n')],
    ['as many keys as may be', Array.from({ length: 39_000 }, (_, n) => `k${n}:`).join('\n')],
    ['one long list', `a: [${'b,'.repeat(most / 2)}]`],
    ['merge keys', `a: &a { b: c }\n<<: *a`],
    ['a null byte', 'name: te\0st'],
  ])('%s', (_, text) => {
    const result = readProviderFile('test.yaml', text)
    expect(result.faults?.length).toBeGreaterThan(0)
  })
})
