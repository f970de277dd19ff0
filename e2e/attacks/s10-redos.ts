import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { checkSync } from 'recheck'
import { parseAst } from 'vitest/node'
import { compilePattern } from '../../packages/providers/src/interpreter/pattern.ts'
import type { Attack } from './attack.ts'

/**
 * Looks for regular expressions that take more than linear time: every literal in the sources of the packages, and every string there
 * that is a pattern of a schema or of `new RegExp`. Patterns of tenants run on another engine; some that stop a native one run here.
 */

const root = fileURLToPath(new URL('../../', import.meta.url))
const slowestMsMax = 250
const hostileCharacters = 100_000

/** Expressions that backtrack, on texts that are short wherever they come from. */
const bounded: Record<string, string> = {
  '/\\d*[^\\p{L}\\p{N}]*$/u': 'sign-in/guessable.ts reads the first 32 characters of a password.',
}
/** Expressions that are built at run time, by file. */
const built: Record<string, string> = {
  'packages/server/src/features/sign-in/cli-request.ts': 'The pattern is a constant, which is checked as a string.',
  'packages/server/src/features/integrations/source/visible-name.ts': 'A literal, which is checked, with other flags.',
}
const hostilePatterns = ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(a*)*b', '^(a?){50}a{50}$', 'a*a*a*a*a*a*b']

interface Expression {
  source: string
  flags: string
  at: string
}

export const attack: Attack = {
  id: 'S10',
  title: 'no regular expression of the service or of a tenant takes more than linear time',
  async run() {
    const faults: string[] = []
    const files = globSync('packages/*/src/**/*.ts', { cwd: root })
      .filter((file) => !/\.(test|testkit)\.ts$|\/testkit\//.test(file))
      .toSorted()
    const expressions = new Map<string, Expression>()
    for (const file of files) {
      const found = expressionsOf(file)
      for (const one of found.expressions) expressions.set(`/${one.source}/${one.flags}`, one)
      if (found.built && built[file] === undefined) faults.push(`${file} builds an expression at run time.`)
    }
    let vulnerable = 0
    for (const [text, { source, flags, at }] of expressions) {
      const { status, complexity } = checkSync(source, flags)
      if (status === 'safe' || bounded[text] !== undefined) continue
      vulnerable++
      faults.push(`${at}: ${text} is ${status} (${complexity?.summary ?? 'not decided'}).`)
    }
    const unused = Object.keys(bounded).filter((text) => !expressions.has(text))
    faults.push(...unused.map((text) => `${text} is excepted and stands nowhere.`))
    const slowestMs = Math.max(...hostilePatterns.map(timeOf))
    return {
      passed: vulnerable === 0 && slowestMs <= slowestMsMax && expressions.size > 200,
      figures: {
        patterns: expressions.size,
        exceptions: Object.keys(bounded).length,
        vulnerable,
        tenantPatterns: hostilePatterns.length,
        slowestMs: Math.round(slowestMs),
      },
      faults,
    }
  },
}

/** The native engine would need years for any of these. The best of three runs: others use the machine, too. */
function timeOf(pattern: string): number {
  const compiled = compilePattern(pattern)
  const text = `${'a'.repeat(hostileCharacters)}!`
  const runs = [0, 1, 2].map(() => {
    const began = performance.now()
    compiled.test(text)
    return performance.now() - began
  })
  return Math.min(...runs)
}

interface Node {
  type: string
  start: number
  end: number
  value?: unknown
  regex?: { pattern: string; flags: string }
  callee?: { name?: string }
  arguments?: Node[]
}

function expressionsOf(file: string): { expressions: Expression[]; built: boolean } {
  const source = readFileSync(root + file, 'utf8')
  const expressions: Expression[] = []
  let isBuilt = false
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const node = value as Node
    const add = (pattern: string, flags: string) => {
      const line = source.slice(0, node.start).split('\n').length
      expressions.push({ source: pattern, flags, at: `${file}:${line}` })
    }
    if (node.type === 'Literal' && node.regex) add(node.regex.pattern, node.regex.flags)
    // Patterns of schemas: the validator compiles them with the flag u.
    else if (node.type === 'Literal' && typeof node.value === 'string' && isPattern(node.value)) add(node.value, 'u')
    else if (/^(New|Call)Expression$/.test(node.type) && node.callee?.name === 'RegExp')
      isBuilt ||= typeof node.arguments?.[0]?.value !== 'string'
    for (const child of Object.values(value)) visit(child)
  }
  visit(parseAst(source, { lang: 'ts' }, file).body)
  return { expressions, built: isBuilt }
}

function isPattern(text: string): boolean {
  if (!/^\^./.test(text)) return false
  try {
    new RegExp(text, 'u')
    return true
  } catch {
    return false
  }
}
