import { readFile, stat } from 'node:fs/promises'
import { parse, YAMLParseError } from 'yaml'
import { UsageError } from '../usage-error.ts'
import { isJson, type Json } from './json-values.ts'

/** Largest document, in bytes: the largest public OpenAPI documents have about 15 MB. */
const bytesMax = 32 * 1024 * 1024
/** YAML takes far longer to parse than JSON. */
const yamlBytesMax = 12 * 1024 * 1024

/**
 * Reads an OpenAPI document or a HAR recording.
 *
 * @param name the file as the person wrote it, for errors
 * @throws UsageError for a file that is missing, too large, or neither JSON nor YAML with an object
 */
export async function readDocument(path: string, name: string): Promise<Json> {
  const there = await stat(path).catch((error: unknown) => {
    throw isMissing(error) ? new UsageError(`There is no file ${name}.`) : unreadable(name, error)
  })
  if (!there.isFile()) throw new UsageError(`${name} is not a file.`)
  if (there.size > bytesMax) {
    throw new UsageError(`${name} is larger than ${bytesMax / 1024 / 1024} MB. Remove parts that you do not need.`)
  }
  const bytes = await readFile(path, 'utf8').catch((error: unknown) => {
    throw unreadable(name, error)
  })
  const text = bytes.replace(/^\ufeff/, '')
  const document = /^\s*[{[]/.test(text) ? parseJson(text, name) : parseYaml(text, name)
  if (!isJson(document)) throw new UsageError(`${name} is not an OpenAPI document or a HAR recording.`)
  return document
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // YAML may begin with a brace, too.
    if (text.length < 1024 * 1024) return parseYaml(text, name)
    throw new UsageError(`${name} is not valid JSON: ${messageOf(error, text)}`)
  }
}

function parseYaml(text: string, name: string): unknown {
  if (text.length > yamlBytesMax) {
    throw new UsageError(`${name} is larger than a YAML document may be (12 MB). Convert it to JSON.`)
  }
  try {
    return parse(text, { maxAliasCount: 100, logLevel: 'error', uniqueKeys: false })
  } catch (error) {
    throw new UsageError(`${name} is neither valid JSON nor valid YAML: ${messageOf(error, text)}`)
  }
}

/** Says where the fault is, and never what is there: a recording has secrets. */
function messageOf(error: unknown, text: string): string {
  if (error instanceof RangeError) return 'it has too many levels.'
  if (error instanceof YAMLParseError) {
    const [start] = error.linePos ?? []
    return `${error.code.toLowerCase().replaceAll('_', ' ')}${start === undefined ? '' : at(start.line, start.col)}.`
  }
  if (error instanceof ReferenceError) return 'it has too many aliases, or one without an anchor.'
  const position = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]
  if (position === undefined) return 'it cannot be parsed, or ends too early.'
  const before = text.slice(0, Number(position)).split('\n')
  return `it is wrong${at(before.length, (before.at(-1) ?? '').length + 1)}.`
}

function at(line: number, column: number): string {
  return ` at line ${line}, column ${column}`
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

function unreadable(name: string, error: unknown): UsageError {
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
  return new UsageError(`${name} cannot be read${code}.`)
}
