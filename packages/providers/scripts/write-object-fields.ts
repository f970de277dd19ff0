/**
 * Writes the fields of objects into a provider file, from object facts (see THIRD-PARTY-NOTICES.md for their origin).
 *
 *     node --conditions=mortise-source scripts/write-object-fields.ts <folder of object facts> <provider>...
 *
 * Every object of the file that the facts know, and that names no static fields, gets them in front of the sources that it names. All
 * else in the file stays as it was written by hand.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isMap, isSeq, parseDocument, type YAMLMap } from 'yaml'

interface RawField {
  displayName: string
  valueType?: string
  providerType?: string
  readOnly?: boolean
  values?: { value: string; label?: string }[]
}

interface ObjectFacts {
  modules: Record<string, { objects: Record<string, { displayName?: string; fields: Record<string, RawField> }> }>
}

const [folder, ...names] = process.argv.slice(2)
if (folder === undefined || names.length === 0) {
  throw new Error('Usage: node --conditions=mortise-source scripts/write-object-fields.ts <folder> <provider>...')
}

for (const name of names) {
  const facts = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as ObjectFacts
  const file = new URL(`../providers/${name}.yaml`, import.meta.url)
  const document = parseDocument(await readFile(file, 'utf8'))
  let written = 0
  for (const [module, { objects }] of Object.entries(facts.modules)) {
    const inModule = document.getIn(['modules', module, 'objects'])
    const declared = isMap(inModule) ? inModule : document.get('objects')
    if (!isMap(declared)) continue
    for (const [object, { displayName, fields }] of Object.entries(objects)) {
      const node = declared.get(object)
      if (!isMap(node) || hasStatic(node)) continue
      if (displayName !== undefined && !node.has('displayName')) {
        node.items.unshift(document.createPair('displayName', displayName))
      }
      const source = document.createNode({ source: 'static', fields: fieldsOf(fields) })
      for (const pair of (source.get('fields') as YAMLMap).items) if (isMap(pair.value)) pair.value.flow = true
      const sources = node.get('fields')
      if (isSeq(sources)) sources.items.unshift(source)
      else node.set('fields', document.createNode([source]))
      if (isSeq(sources)) sources.flow = false
      node.flow = false
      written++
    }
  }
  // A field is one line. Maps are padded as in files written by hand, lists are not.
  const text = document.toString({ lineWidth: 0, singleQuote: true, flowCollectionPadding: true })
  await writeFile(
    file,
    text.replace(/\[ (?=\S)|(?<=\S) \]/g, (bracket) => bracket.trim()),
  )
  console.log(`${name}.yaml: fields of ${written} objects written.`)
}

function hasStatic(object: YAMLMap): boolean {
  const sources = object.get('fields')
  return isSeq(sources) && sources.items.some((source) => isMap(source) && source.get('source') === 'static')
}

function fieldsOf(fields: Record<string, RawField>): Record<string, unknown> {
  // Names are told apart without regard to case: of twins, the first stays.
  const names = new Set<string>()
  const sorted = Object.entries(fields)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .filter(([name]) => !names.has(name.toLowerCase()) && names.add(name.toLowerCase()))
  return Object.fromEntries(
    sorted.map(([name, { displayName, valueType = 'other', providerType, readOnly, values }]) => [
      name,
      {
        ...(displayName !== name && { displayName }),
        valueType,
        ...(providerType !== undefined && { providerType }),
        ...(readOnly === true && { readOnly }),
        ...(values && {
          values: values.map(({ value, label }) => ({
            value,
            ...(label !== undefined && label !== value && { displayValue: label }),
          })),
        }),
      },
    ]),
  )
}
