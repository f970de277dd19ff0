import { text } from 'node:stream/consumers'
import { printable } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'
import type { Field } from './credential-fields.ts'

/** Where values come from, other than questions. */
export interface ValueOptions {
  /** `name=value` of the command line. */
  set: string[]
  secretsStdin: boolean
}

/**
 * Returns a value for each field: from the command line, from standard input, from a question, or the default. If
 * nobody can answer, the error names all missing values together.
 *
 * @throws UsageError
 */
export async function collectValues(
  fields: Field[],
  { set, secretsStdin }: ValueOptions,
  terminal: Terminal,
): Promise<Record<string, string>> {
  // Names come from a provider: `constructor` is one that nobody gave.
  const values: Record<string, string> = Object.assign(Object.create(null), Object.fromEntries(set.map(assignment)))
  if (secretsStdin) Object.assign(values, fromStdin(await text(terminal.stdin), fields, values))
  const unknown = Object.keys(values).filter((name) => !fields.some((field) => field.name === name))
  if (unknown.length > 0) {
    const known = fields.map(({ name }) => name).join(', ') || 'none'
    throw new UsageError(`This provider has no input ${unknown.join(', ')}. Its inputs: ${known}.`)
  }
  const missing: Field[] = []
  for (const field of fields) {
    if (values[field.name] !== undefined) continue
    if (terminal.interactive) values[field.name] = await ask(field, terminal)
    else if (field.initial !== undefined) values[field.name] = field.initial
    else if (!field.optional) missing.push(field)
  }
  if (missing.length > 0) throw new UsageError(missingText(missing))
  return { ...values }
}

function assignment(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError(`“${text}” is not a value. Write --set name=value.`)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** A JSON object by name; or the text itself, where one secret alone is missing. */
function fromStdin(given: string, fields: Field[], values: Record<string, string>): Record<string, string> {
  const content = given.replace(/\r?\n$/, '')
  const missing = fields.filter(({ name, secret }) => secret && values[name] === undefined)
  const object = objectOf(content)
  if (object) return object
  const [only, ...others] = missing
  if (only && others.length === 0) return { [only.name]: content }
  throw new UsageError(
    missing.length === 0
      ? '--secrets-stdin: no secret is missing.'
      : `--secrets-stdin: pass a JSON object of strings with ${missing.map(({ name }) => name).join(', ')}.`,
  )
}

function objectOf(content: string): Record<string, string> | undefined {
  if (!content.trimStart().startsWith('{')) return undefined
  try {
    const entries = Object.entries(JSON.parse(content) as object)
    return entries.every(([, value]) => typeof value === 'string') ? Object.fromEntries(entries) : undefined
  } catch {
    return undefined
  }
}

async function ask({ label, prompt, secret, initial, optional }: Field, { ask }: Terminal): Promise<string> {
  const question = printable([label, prompt].filter(Boolean).join(': '))
  if (secret) return await ask.password(question)
  const validate = (answer: string) => (answer === '' && !optional ? 'Enter a value.' : undefined)
  return await ask.text(question, { validate, ...(initial !== undefined && { initial }) })
}

function missingText(missing: Field[]): string {
  const options = missing.map(({ name, secret }) =>
    secret ? `${name} (by --secrets-stdin)` : `${name} (by --set ${name}=…)`,
  )
  return `This is not a terminal, and these values are missing: ${options.join(', ')}.`
}
