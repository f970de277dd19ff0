import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { testTerminal } from '../testkit/test-terminal.ts'
import { printable, printData, printItem, printList } from './print.ts'

/** Text that a provider, or a person who posts to a provider, may write. */
const hostile = {
  plain: 'a text',
  colour: '\u001b[31mred',
  csi: '\u009b31m',
  direction: 'ab\u202Edc',
  isolate: '\u2066x',
  'key\u202E': 1,
  lines: 'one\n\ttwo\r\u0007',
  nul: '\u0000',
  quote: '"\\\u009b',
  long: `${'word '.repeat(40)}\u009b`,
}
const steering = /[^\P{Cc}\n\t]|\p{Bidi_Control}/u

test.each(['json', 'yaml', 'text'] as const)('as %s nothing steers the terminal, and nothing is lost', (format) => {
  const terminal = testTerminal()
  printData(terminal, format, hostile)
  const { stdout } = terminal.output()
  expect(stdout).not.toMatch(steering)
  expect(format === 'json' ? JSON.parse(stdout) : parse(stdout)).toEqual(hostile)
})

test('tables, and lines of a stream, do not steer it either', () => {
  const terminal = testTerminal()
  printList(terminal, 'text', [hostile], [['Heading', ({ csi }) => csi]])
  printItem(terminal, 'json', hostile)
  const { stdout } = terminal.output()
  expect(stdout).not.toMatch(steering)
  expect(JSON.parse(stdout.trim().split('\n').at(-1)!)).toEqual(hostile)
  expect(printable('a\u001b[0m\u202E')).toBe('a\\x1b[0m\\u202e')
})

test('what stands in two places is printed twice in yaml', () => {
  const terminal = testTerminal()
  const shared = { a: 1 }
  printData(terminal, 'yaml', { one: shared, two: shared })
  expect(terminal.output().stdout).toBe('one:\n  a: 1\ntwo:\n  a: 1\n')
})
