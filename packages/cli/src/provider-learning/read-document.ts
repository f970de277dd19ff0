import { readFile, stat } from 'node:fs/promises'
import { parse } from 'yaml'
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
  const there = await stat(path).catch(() => undefined)
  if (there === undefined) throw new UsageError(`There is no file ${name}.`)
  if (!there.isFile()) throw new UsageError(`${name} is not a file.`)
  if (there.size > bytesMax) {
    throw new UsageError(`${name} is larger than ${bytesMax / 1024 / 1024} MB. Remove parts that you do not need.`)
  }
  const text = (await readFile(path, 'utf8')).replace(/^\ufeff/, '')
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
    throw new UsageError(`${name} is not valid JSON: ${messageOf(error)}`)
  }
}

function parseYaml(text: string, name: string): unknown {
  if (text.length > yamlBytesMax) {
    throw new UsageError(`${name} is larger than a YAML document may be (12 MB). Convert it to JSON.`)
  }
  try {
    return parse(text, { maxAliasCount: 100, logLevel: 'error', uniqueKeys: false })
  } catch (error) {
    throw new UsageError(`${name} is neither valid JSON nor valid YAML: ${messageOf(error)}`)
  }
}

function messageOf(error: unknown): string {
  if (error instanceof RangeError) return 'it has too many levels.'
  return error instanceof Error ? (error.message.split('\n')[0] ?? '').slice(0, 200) : 'unknown error'
}
