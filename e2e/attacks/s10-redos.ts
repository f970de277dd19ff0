import { checkSync } from 'recheck'
import { compilePattern } from '../../packages/providers/src/interpreter/pattern.ts'
import type { Attack } from './attack.ts'
import { sourceFiles, visitSource } from './source-tree.testkit.ts'

/**
 * Looks for regular expressions that take more than linear time: every literal in the sources of the packages, and
 * every string there that is a pattern of a schema or of `new RegExp`. Patterns of tenants run on another engine; some
 * that stop a native one run here.
 */

/** Far above what linear time takes on a busy machine, and far below what backtracking takes. */
const slowestMsMax = 5_000
const hostileCharacters = 100_000
/** A long expression takes a second here, and many on a busy machine. */
const checkMsMax = 120_000
/**
 * Expressions that no automaton can check are run on random texts: the same in every run. A text that takes long counts
 * against the expression by its steps, and not because the machine is busy.
 */
const checking = {
  timeout: checkMsMax,
  randomSeed: 1,
  attackTimeout: checkMsMax,
  incubationTimeout: checkMsMax,
}

/** Expressions that backtrack, on texts that are short wherever they come from. */
const bounded: Record<string, string> = {
  '/\\d*[^\\p{L}\\p{N}]*$/u': 'sign-in/guessable.ts reads the first 32 characters of a password.',
}
/** Expressions that are built at run time, by file. */
const built: Record<string, string> = {
  'packages/server/src/features/identity/sign-in/cli-request.ts':
    'The pattern is a constant, which is checked as a string.',
  'packages/server/src/features/integrations/integrations/source/visible-name.ts':
    'A literal, which is checked, with other flags.',
}
const hostilePatterns = ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(a*)*b', '^(a?){50}a{50}$', 'a*a*a*a*a*a*b']

interface Expression {
  source: string
  flags: string
  at: string
}

export const attack: Attack = {
  id: 'S10',
  title: 'No regular expression of the service or of a tenant takes more than linear time.',
  async run() {
    const faults: string[] = []
    const expressions = new Map<string, Expression>()
    for (const file of sourceFiles()) {
      const { expressions: inFile, isBuilt } = expressionsOf(file)
      for (const one of inFile) expressions.set(`/${one.source}/${one.flags}`, one)
      if (isBuilt && built[file] === undefined) faults.push(`${file} builds an expression at run time.`)
    }
    let vulnerable = 0
    for (const [text, { source, flags, at }] of expressions) {
      const found = checkSync(source, flags, checking)
      if (found.status === 'safe' || bounded[text] !== undefined) continue
      vulnerable++
      faults.push(
        `${at}: ${text} takes ${found.status === 'vulnerable' ? found.complexity.summary : 'an unknown'} time.`,
      )
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

function expressionsOf(file: string): { expressions: Expression[]; isBuilt: boolean } {
  const expressions: Expression[] = []
  let isBuilt = false
  visitSource(file, ({ type, value, regex, callee, arguments: [first] = [] }, line) => {
    if (regex) expressions.push({ source: regex.pattern, flags: regex.flags, at: `${file}:${line()}` })
    // Patterns of schemas: the validator compiles them with the flag u.
    else if (type === 'Literal' && typeof value === 'string' && isPattern(value))
      expressions.push({ source: value, flags: 'u', at: `${file}:${line()}` })
    else if (/^(New|Call)Expression$/.test(type) && callee?.name === 'RegExp')
      isBuilt ||= typeof first?.value !== 'string'
  })
  return { expressions, isBuilt }
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
