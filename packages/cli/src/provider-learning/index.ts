import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { pluralize } from '../pluralize.ts'
import { builtInFiles } from '../provider-checking/built-in-files.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'
import { variableName } from './base-url.ts'
import { harDocument } from './har-document.ts'
import type { Secrets } from './har-secrets.ts'
import { type Json, objectOf, plainText, shorten, textOf } from './json-values.ts'
import { type LearnedFile, learnFile } from './learn-file.ts'
import { type PassingFile, passingFile } from './passing-file.ts'
import { readDocument } from './read-document.ts'

/** Sentences that the summary shows; the file has more. */
const shownMax = 40

/**
 * Learns a provider file from an OpenAPI document or a HAR recording, and writes it to stdout or to a new file. Prints
 * what was recognized, and what was not.
 *
 * @throws UsageError for a file that is neither, and for a file that exists already
 */
export async function learnProvider(
  file: string,
  { name, out, input }: { name?: string; out?: string; input?: readonly string[] },
  terminal: Terminal,
): Promise<void> {
  const { stdout, stderr, cwd, err } = terminal
  const document = await readDocument(resolve(cwd, file), file)
  const providerName = nameOf(name, out)
  const { learned, source, secrets } = learnFrom(document, file, providerName, input)
  const passing = passingFile(learned, source, await builtInFiles())
  const summary = summaryOf(learned, passing)
  if (secrets?.isIn(passing.text) === true || secrets?.isIn(summary) === true) {
    throw new UsageError(
      `A credential of ${file} would be in the provider file, as a part of a host or a name. Replace it in the recording.`,
    )
  }
  if (out === undefined) stdout.write(passing.text)
  else await writeNew(resolve(cwd, out), out, passing.text)
  stderr.write(summary)
  if (out !== undefined) stderr.write(`${err.green('written')}: ${out}\n`)
}

interface Learned {
  learned: LearnedFile
  source: string
  /** Secrets of a recording. */
  secrets?: Secrets
}

/** Learns from a document of either kind. */
export function learnFrom(document: Json, file: string, name?: string, pathInputs: readonly string[] = []): Learned {
  if (document['swagger'] !== undefined) {
    throw new UsageError(`${file} is a Swagger 2.0 document. Convert it to OpenAPI 3.`)
  }
  const source = plainText(basename(file), 100)
  if (Array.isArray(objectOf(document['log'])['entries'])) {
    const har = harDocument(document, file)
    const learned = learnFile(har.document, name ?? nameFrom(har.document), pathInputs)
    const unknown = [...har.unknown, ...learned.unknown]
    return { learned: { ...learned, unknown }, source: `the recording ${source}`, secrets: har.secrets }
  }
  if (!/^3(\.|$)/.test(String(document['openapi']))) {
    throw new UsageError(`${file} is not an OpenAPI 3 document or a HAR recording: it has no key "openapi" or "log".`)
  }
  return {
    learned: learnFile(document, name ?? nameFrom(document), pathInputs),
    source: `the OpenAPI document ${source}`,
  }
}

function nameOf(name: string | undefined, out: string | undefined): string | undefined {
  const outName = out === undefined ? undefined : /^(.+)\.ya?ml$/.exec(basename(out))?.[1]
  if (out !== undefined && outName === undefined) throw new UsageError(`${out} must end in .yaml.`)
  if (name !== undefined && outName !== undefined && name !== outName) {
    throw new UsageError(`The file of the provider ${name} must be called ${name}.yaml.`)
  }
  const chosen = name ?? outName
  if (chosen !== undefined && !/^[A-Za-z][\w-]{0,79}$/.test(chosen)) {
    throw new UsageError('A name has letters, digits, _ and -, and begins with a letter: acmeCrm.')
  }
  return chosen
}

/** A name from the title of the API. */
function nameFrom(document: Json): string {
  const title = plainText(textOf(objectOf(document['info'])['title']) ?? '', 60)
  const words = title.replace(/\b(rest|api|apis|openapi|specification|v?\d+(\.\d+)*)\b/gi, ' ').trim()
  const name = variableName(words.replace(/[^\x20-\x7e]/g, ''))
  return /^[A-Za-z]\w+$/.test(name) ? `${name.charAt(0).toLowerCase()}${name.slice(1)}` : 'learned'
}

function summaryOf(learned: LearnedFile, { objects, unknown }: PassingFile): string {
  const lists = pluralize(learned.lists, 'list')
  const head = `${pluralize(objects.length, 'object')} of ${lists}${objects.length === 0 ? '' : `: ${shorten(objects, 20)}`}\n`
  if (unknown.length === 0) return head
  const shown = unknown.slice(0, shownMax).map((sentence) => `  ${plainText(sentence, 300)}\n`)
  const more = unknown.length > shownMax ? `  and ${unknown.length - shownMax} more\n` : ''
  return `${head}Not known, or left out:\n${shown.join('')}${more}`
}

async function writeNew(path: string, name: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true }).catch(() => {
    throw new UsageError(`The folder of ${name} cannot be created.`)
  })
  try {
    await writeFile(path, text, { flag: 'wx' })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST') throw new UsageError(`${name} exists already. Remove it, or choose another name.`)
    throw new UsageError(`${name} cannot be written${code === undefined ? '' : ` (${String(code)})`}.`)
  }
}
