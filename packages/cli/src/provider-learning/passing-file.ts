import { type CatalogueFault, checkProviderFiles, type FileToCheck, fileBytesMax } from '@mortise/providers/check'
import { Document, isMap, isScalar } from 'yaml'
import { entered } from './base-url.ts'
import { type Json, listOf, objectOf, plainText, shorten } from './json-values.ts'
import type { LearnedFile } from './learn-file.ts'

/** Rounds of checking and leaving out; each removes at least one part. */
const roundsMax = 40
/** Sentences at the top of the file. */
const sentencesMax = 300

/** A provider file that passes its check. */
export interface PassingFile {
  text: string
  objects: string[]
  unknown: string[]
}

/**
 * Writes a learned file as YAML that passes the check of provider files. What would not pass is left out, with a
 * sentence in `unknown`.
 *
 * @param source says what the file was learned from
 * @param builtIn the files of the release: one of the same name completes the file
 */
export function passingFile(learned: LearnedFile, source: string, builtIn: readonly FileToCheck[]): PassingFile {
  let { file } = learned
  const unknown = [...learned.unknown]
  const path = `${String(file['name'])}.yaml`
  const beneath = builtIn.some((each) => each.path === path) ? builtIn : []
  if (beneath.length > 0) {
    unknown.push(`${path} is also a built-in provider, which completes this file: choose another name with --name`)
  }
  for (let round = 0; round < roundsMax; round++) {
    const text = textOfFile(file, source, unknown, learned.notes)
    if (Buffer.byteLength(text) > fileBytesMax) {
      file = smaller(file, unknown)
      continue
    }
    const faults = checkProviderFiles([{ path, text }], beneath)
    if (faults.length === 0) return passed(text, file, unknown, learned.notes)
    for (const fault of faults) file = without(file, fault, unknown)
  }
  unknown.push('the file is empty: what was learned did not pass the check')
  const { objects: _, healthCheck: __, docsUrl: ___, ...rest } = file
  const { baseUrl, inputs } = entered('', [])
  file = { ...rest, baseUrl, inputs, authentication: [{ scheme: 'none' }] }
  return { text: textOfFile(file, source, unknown.slice(-sentencesMax), new Map()), objects: [], unknown }
}

/** Returns the file with what is not known about the objects that are in it. */
function passed(text: string, file: Json, unknown: string[], notes: ReadonlyMap<string, string[]>): PassingFile {
  const objects = Object.keys(objectOf(file['objects']))
  const bySentence = new Map<string, string[]>()
  for (const name of objects)
    for (const note of notes.get(name) ?? []) bySentence.set(note, [...(bySentence.get(note) ?? []), name])
  const grouped = [...bySentence].map(([note, names]) => `${shorten(names)}: ${note}`)
  return { text, objects, unknown: [...unknown, ...grouped] }
}

/** Writes YAML, with what is not known at the top and at each object. */
function textOfFile(
  file: Json,
  source: string,
  unknown: readonly string[],
  notes: ReadonlyMap<string, string[]>,
): string {
  const shown = unknown.slice(0, sentencesMax)
  const head = [
    `A first provider file, from ${source}. Test it: mortise provider test`,
    ...(notes.size > 0 ? ['Comments at the objects say what is not known about them.'] : []),
    ...(shown.length === 0 ? [] : ['Not known, or left out:']),
    ...shown.map((sentence) => `- ${sentence}`),
    ...(unknown.length > shown.length ? [`- and ${unknown.length - shown.length} more`] : []),
  ]
  const document = new Document(file, { aliasDuplicateObjects: false })
  const objects = document.get('objects')
  for (const { key } of isMap(objects) ? objects.items : []) {
    const about = isScalar(key) ? (notes.get(String(key.value)) ?? []) : []
    if (isScalar(key) && about.length > 0)
      key.commentBefore = about.map((sentence) => ` ${plainText(sentence, 300)}`).join('\n')
  }
  const comments = head.map((line) => `# ${plainText(line, 300)}\n`).join('')
  return `${comments}\n${document.toString({ lineWidth: 140, singleQuote: true })}`
}

/** Makes a file smaller that is larger than a provider file may be: by choices, then by fields, then by objects. */
function smaller(file: Json, unknown: string[]): Json {
  const objects = Object.entries(objectOf(file['objects']))
  const withChoices = objects.filter(([, object]) => JSON.stringify(object).includes('"values":['))
  if (withChoices.length > 0) {
    unknown.unshift('the choices of fields are left out: the file would be too large')
    return { ...file, objects: Object.fromEntries(objects.map(([name, object]) => [name, withoutChoices(object)])) }
  }
  const withFields = objects.filter(([, object]) => objectOf(object)['fields'] !== undefined)
  if (withFields.length > 0) {
    const half = withFields
      .toSorted(([, a], [, b]) => JSON.stringify(b).length - JSON.stringify(a).length)
      .slice(0, Math.ceil(withFields.length / 4))
    unknown.unshift(`the fields of ${half.length} objects are left out: the file would be too large`)
    const names = new Set(half.map(([name]) => name))
    return {
      ...file,
      objects: Object.fromEntries(
        objects.map(([name, object]) => [name, names.has(name) ? { ...objectOf(object), fields: undefined } : object]),
      ),
    }
  }
  if (objects.length > 0) {
    const kept = objects.slice(0, Math.floor(objects.length / 2))
    unknown.unshift(`${objects.length - kept.length} objects are left out: the file would be too large`)
    return { ...file, objects: Object.fromEntries(kept) }
  }
  unknown.splice(sentencesMax / 3)
  const { inputs: _, docsUrl: __, ...rest } = file
  const { baseUrl, inputs } = entered('', [])
  return { ...rest, baseUrl, inputs, authentication: listOf(file['authentication']).slice(0, 1) }
}

function withoutChoices(object: unknown): Json {
  const fields = listOf(objectOf(object)['fields']).map((source) => ({
    ...objectOf(source),
    fields: Object.fromEntries(
      Object.entries(objectOf(objectOf(source)['fields'])).map(([name, field]) => {
        if (typeof field === 'string') return [name, field]
        const { values: _, ...rest } = objectOf(field)
        return [name, rest]
      }),
    ),
  }))
  return { ...objectOf(object), ...(fields.length > 0 && { fields }) }
}

/** Leaves out the part of a file that a fault is in. */
function without(file: Json, { path, message }: CatalogueFault, unknown: string[]): Json {
  const [top = '', name = '', part = '', below = ''] = path.split('.')
  const say = (what: string) => unknown.push(`${what} is left out: ${path} ${plainText(message, 120)}`)
  if (top === 'objects') {
    const objects = { ...objectOf(file['objects']) }
    const object = objects[name]
    if (object === undefined) {
      say('every object')
      return { ...file, objects: undefined }
    }
    const changed = withoutPart(objectOf(object), part, below)
    say(changed === undefined ? name : `${name}: ${part === 'write' ? `write.${below}` : part}`)
    if (changed === undefined) delete objects[name]
    else objects[name] = changed
    return { ...file, objects: Object.keys(objects).length === 0 ? undefined : objects }
  }
  if (top === 'authentication') {
    const methods = listOf(file['authentication'])
    const kept = methods.filter((_, index) => String(index) !== name)
    if (kept.length < methods.length) say(`authentication method ${Number(name) + 1}`)
    return { ...file, authentication: kept.length === 0 || name === '' ? [{ scheme: 'none' }] : kept }
  }
  if (['baseUrl', 'inputs', '', 'name'].includes(top)) {
    const { baseUrl, inputs } = entered('', [])
    unknown.push(`the base URL did not pass the check, so customers enter it: ${plainText(message, 120)}`)
    return { ...file, baseUrl, inputs }
  }
  say(top)
  const { [top]: _, ...rest } = file
  return rest
}

function withoutPart(object: Json, part: string, below: string): Json | undefined {
  if (part === 'write' && below !== '' && object['write'] !== undefined) {
    const { [below]: _, ...write } = objectOf(object['write'])
    const { write: __, ...rest } = object
    return Object.keys(write).length === 0 ? rest : { ...rest, write }
  }
  if (part === '' || part === 'read' || object[part] === undefined) return undefined
  const { [part]: _, ...rest } = object
  return rest
}
