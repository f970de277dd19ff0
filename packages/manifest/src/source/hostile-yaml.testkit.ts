function chain(steps: number, link: (before: string) => string): string {
  const lines = ['a0: &a0 {x: 1}']
  for (let i = 1; i <= steps; i++) lines.push(`a${i}: &a${i} ${link(`*a${i - 1}`)}`)
  return lines.join('\n')
}

const indented = (levels: number, key: string) =>
  Array.from({ length: levels }, (_, level) => `${' '.repeat(level)}${key}`).join('\n')

/** Texts that would cost a naive reader its time, its stack or its prototypes; the rule that refuses each. */
export const hostileYaml: Record<string, [text: string, rule: string]> = {
  'a billion laughs': [chain(11, (before) => `[${Array(9).fill(before).join(', ')}]`), 'yaml-alias'],
  'a long text, 50,000 times': [`a: &a ${'x'.repeat(1000)}\nb: [${Array(50_000).fill('*a').join(',')}]`, 'yaml-alias'],
  '10,000 brackets': [`${'['.repeat(10_000)}${']'.repeat(10_000)}`, 'yaml-depth'],
  '100,000 open brackets': ['['.repeat(100_000), 'yaml-depth'],
  'brackets and braces': ['[{'.repeat(5000), 'yaml-depth'],
  'mappings in each other': [indented(1400, 'k:'), 'yaml-depth'],
  'mappings with block text between them': [
    indented(300, 't: |\nk:').replace(/( *)t: \|\nk:/g, '$1t: |\n$1 x\n$1k:'),
    'yaml-depth',
  ],
  'lists in each other': [`${'- '.repeat(5000)}x`, 'yaml-depth'],
  'keys in keys': [`${'? '.repeat(20_000)}a`, 'yaml-depth'],
  '65 levels': [`a: ${'['.repeat(64)}${']'.repeat(64)}`, 'yaml-depth'],
  '65 levels by way of an alias': [
    `a: &a ${'['.repeat(40)}${']'.repeat(40)}\nb: ${'['.repeat(40)}*a${']'.repeat(40)}`,
    'yaml-depth',
  ],
  'a prototype': ['__proto__: {polluted: 1}', 'yaml-forbidden-key'],
  'a prototype, merged': ['a: &p {polluted: 1}\n<<: *p', 'yaml-merge-key'],
  'a constructor': ['integrations:\n  - constructor: 1', 'yaml-forbidden-key'],
  'merges of merges': [chain(21, (before) => `{<<: [${before}, ${before}]}`), 'yaml-merge-key'],
  'an alias of itself': ['a: &a [*a]', 'yaml-alias'],
  'an alias of nothing': ['a: *b', 'yaml-alias'],
  'duplicate keys': ['name: 1\nname: 2', 'yaml-duplicate-key'],
  '15,000 duplicate keys': ['a: 1\n'.repeat(15_000), 'yaml-duplicate-key'],
  'a function': ['a: !!js/function "function () {}"', 'yaml-syntax'],
  'a tag of its own': ['a: !python/object x', 'yaml-syntax'],
  '100,000 directives': ['%a b\n'.repeat(100_000), 'yaml-syntax'],
  '100,000 documents': ['---\na\n'.repeat(100_000), 'yaml-syntax'],
  'a number of 100,000 digits': [`specVersion: ${'9'.repeat(100_000)}`, 'wrong-type'],
  'a long date': [`specVersion: 2001-12-14t21:59:43.1${'0'.repeat(10_000)}-05:00`, 'spec-version'],
  'a comment of 5 MB': [`#${'x'.repeat(5_000_000)}`, 'yaml-size'],
  'two million small things': ['- a\n'.repeat(500_000), 'yaml-size'],
  '100,000 anchors': [Array.from({ length: 100_000 }, (_, i) => `- &a${i} x`).join('\n'), 'yaml-alias'],
  'a NUL': ['a: \0', 'yaml-character'],
  'a NUL, escaped': ['specVersion: "\\0"', 'yaml-character'],
  'half a character': ['specVersion: "\\uD800"', 'yaml-character'],
  'a bare control sign of the lexer': ['a: \x02\x1f', 'yaml-character'],
  'a list as key': ['? [a, b]\n: 1', 'yaml-syntax'],
  'an indentation of ten digits': ['a: |9999999999\n  x', 'yaml-syntax'],
  'a tab as indentation': ['a:\n\tb: 1', 'yaml-syntax'],
  'no end of a quote': ['a: "x', 'yaml-syntax'],
}
