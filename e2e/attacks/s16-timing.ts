import { randomBytes, randomInt } from 'node:crypto'
import process from 'node:process'
import { generateApiKey, hashApiKey, isSameBytes } from '../../packages/server/src/kernel/encryption/index.ts'
import type { Attack } from './attack.ts'
import { type SyntaxNode, sourceFiles, visitSource } from './source-tree.testkit.ts'

/**
 * Asks of the time that the comparison of an API key takes whether the beginning of the key was right. A statistic of
 * times depends on the machine: the short form judges where the sources compare, and prints the statistic; the long
 * form judges it as well.
 */

const comparisons = { short: 20_000, long: 200_000 }
/** Above it, two samples differ (Goodwill et al., “A testing methodology for side-channel resistance”). */
const tMax = 4.5
const poolSize = 1_000

/** The only files that compare secrets. */
const comparing = [
  'packages/cli/src/sign-in/loopback-callback.ts',
  'packages/providers/src/interpreter/webhooks/verify-signature.ts',
  'packages/server/src/kernel/encryption/same-bytes.ts',
]
/** Files that compare by other means what has the name of a secret and is none. */
const harmless: Record<string, string> = {
  'packages/providers/src/catalogue/live-catalogue.ts': 'A checksum of files.',
  'packages/providers/src/interpreter/webhooks/verify-token.ts':
    'A hash of the body in a token whose signature is verified.',
  'packages/server/src/backup/archive-reader.ts': 'A checksum.',
  'packages/server/src/backup/measured.ts': 'A checksum.',
  'packages/server/src/features/integrations/integrations/source/zip-entries.ts': 'Names of files.',
  'packages/server/src/features/messaging/kinds/arriving-body.ts': 'How the body of a notification begins.',
  'packages/server/src/features/provider-calls/proxying/provider-path.ts': 'The character "#".',
  'packages/server/src/features/identity/sign-in/throttle.ts': 'Finds the row of a count, and decides nothing.',
  'packages/server/src/kernel/db/replace-functions.ts': 'A checksum of the text of a function.',
  'packages/server/src/kernel/http/idempotency-store.ts': 'Hashes of keys that callers choose: ids of rows.',
  'packages/server/src/kernel/http/page.ts': 'A schema, and a checksum without a key.',
}
const secretNames =
  /(secret|signature|mac|digest|fingerprint|hash|token|password|apikey|pepper|verifier|challenge|passphrase)$/i

export const attack: Attack = {
  id: 'S16',
  title: 'The time of a comparison says nothing about a secret.',
  async run({ long }) {
    const faults = inspectSources()
    const count = long ? comparisons.long : comparisons.short
    // Other work on the machine moves one run; it does not move three in the same direction.
    const runs = Array.from({ length: long ? 3 : 1 }, () => Math.abs(measureT(count)))
    const t = Math.min(...runs)
    return {
      passed: faults.length === 0 && (!long || t <= tMax),
      figures: {
        filesThatCompare: comparing.length,
        plainComparisons: faults.length,
        comparisons: count,
        t: Math.round(t * 100) / 100,
      },
      faults,
    }
  },
}

function inspectSources(): string[] {
  const faults: string[] = []
  const seen = new Set<string>()
  for (const file of sourceFiles())
    visitSource(file, (node, line, text) => {
      if (node.type === 'Identifier' && node.name === 'timingSafeEqual') {
        seen.add(file)
        if (!comparing.includes(file)) faults.push(`${file}:${line()} compares by itself; isSameBytes does that.`)
      }
      if (!comparesSecret(node)) return
      seen.add(file)
      if (harmless[file] === undefined)
        faults.push(`${file}:${line()} takes a time that depends on a secret: ${text()}`)
    })
  const unused = [...comparing, ...Object.keys(harmless)].filter((file) => !seen.has(file))
  faults.push(...unused.map((file) => `${file} is listed and compares nothing.`))
  return faults
}

/**
 * Whether two values are compared of which one is called a secret; one that is compared with a constant is not guessed.
 */
function comparesSecret(node: SyntaxNode): boolean {
  if (node.type === 'CallExpression')
    return node.callee?.type === 'MemberExpression' && /^(equals|compare)$/.test(node.callee.property?.name ?? '')
  if (node.type !== 'BinaryExpression' || !/^[!=]==?$/.test(node.operator ?? '')) return false
  const sides = [node.left, node.right]
  const isConstant = (side: SyntaxNode | undefined) =>
    /^(Literal|UnaryExpression)$/.test(side?.type ?? '') || nameOf(side) === 'undefined'
  return !sides.some(isConstant) && sides.some((side) => secretNames.test(nameOf(side)))
}

function nameOf(node: SyntaxNode | undefined): string {
  if (node?.type === 'Identifier') return node.name ?? ''
  if (node?.type === 'MemberExpression') return node.property?.name ?? ''
  if (node?.type === 'CallExpression') return nameOf(node.callee)
  return node?.expression === undefined ? '' : nameOf(node.expression)
}

/** Returns Welch's t of the times that keys with the right beginning take, against keys with nothing right. */
function measureT(count: number): number {
  const pepper = randomBytes(32)
  const key = generateApiKey()
  const stored = hashApiKey(pepper, key)
  // Made in turn: two groups that lie apart in memory take different times, whatever they hold.
  const pools: [string[], string[]] = [[], []]
  for (let made = 0; made < poolSize; made++) {
    pools[0].push(flat(`${key.slice(0, -6)}${generateApiKey().slice(-6)}`))
    pools[1].push(flat(generateApiKey()))
  }
  const times: [number[], number[]] = [[], []]
  for (let done = -poolSize; done < count; done++) {
    const group = randomInt(2) as 0 | 1
    const candidate = pools[group][randomInt(poolSize)] ?? ''
    const began = process.hrtime.bigint()
    const isSame = isSameBytes(hashApiKey(pepper, candidate), stored)
    const ns = Number(process.hrtime.bigint() - began)
    if (isSame) throw new Error('a made-up key is the right one')
    if (done >= 0) times[group].push(ns)
  }
  // Interrupts and collections of garbage make the longest ones.
  const limit = [...times[0], ...times[1]].toSorted((one, other) => one - other)[Math.floor(count * 0.9)] ?? 0
  return welch(...(times.map((group) => group.filter((ns) => ns <= limit)) as [number[], number[]]))
}

/** One piece in memory, as a key that came in a request. */
function flat(text: string): string {
  return Buffer.from(text).toString()
}

function welch(one: number[], other: number[]): number {
  const [a, b] = [momentsOf(one), momentsOf(other)]
  return (a.mean - b.mean) / Math.sqrt(a.variance / a.count + b.variance / b.count)
}

function momentsOf(values: number[]): { count: number; mean: number; variance: number } {
  const count = values.length
  const mean = values.reduce((sum, value) => sum + value, 0) / count
  return { count, mean, variance: values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1) }
}
