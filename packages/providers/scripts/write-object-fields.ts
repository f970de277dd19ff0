/**
 * Writes the fields of objects into provider files, from object facts (see THIRD-PARTY-NOTICES.md for their origin).
 *
 *     node --conditions=mortise-source scripts/write-object-fields.ts [--check] <folder of object facts>
 *     [<provider>...]
 *
 * Every object of a file that the facts know, and that does not say what fields it has, gets them in front of the
 * sources that it names. All else in the file stays as it was written by hand, so that it can be run again at any time;
 * without names it goes through all providers whose objects come from facts. `--check` writes nothing, and fails where
 * there would be something to write, or where a field of the facts was lost. Objects that the facts know and the file
 * does not have are told: how one is read is written by hand.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { isMap, isSeq, parseDocument, type YAMLMap } from 'yaml'
import { readProviderFile } from '../src/catalogue/read-provider-file.ts'
import { type FactField, factFiles, factGaps, type ObjectFacts, readObjectFacts } from './object-facts.ts'

const args = process.argv.slice(2)
const isCheck = args.includes('--check')
const [folder, ...names] = args.filter((arg) => arg !== '--check')
if (folder === undefined) {
  throw new Error(
    'Usage: node --conditions=mortise-source scripts/write-object-fields.ts [--check] <folder> [<provider>...]',
  )
}

for (const name of names.length > 0 ? names : Object.keys(factFiles)) {
  const facts = readObjectFacts(folder, name)
  if (facts === undefined) throw new Error(`There are no facts of ${name} in ${folder}.`)
  const path = fileURLToPath(new URL(`../providers/${name}.yaml`, import.meta.url))
  const text = await readFile(path, 'utf8')
  const result = readProviderFile(path, text)
  if (result.faults !== undefined)
    throw new Error(`${name}.yaml has faults: ${result.faults.map(({ message }) => message).join(' ')}`)
  const gaps = factGaps(result.file, facts)
  if (!isCheck && gaps.undescribed.length > 0) await writeFile(path, withFields(text, facts, new Set(gaps.undescribed)))
  const told = [
    ...(gaps.undescribed.length > 0
      ? [`${isCheck ? 'without fields' : 'fields written'}: ${gaps.undescribed.join(', ')}`]
      : []),
    ...(gaps.fields.length > 0 ? [`fields lost: ${gaps.fields.join(', ')}`] : []),
    ...(gaps.objects.length > 0 ? [`not in the file: ${gaps.objects.join(', ')}`] : []),
  ]
  console.log(`${name}.yaml: ${told.join('; ') || 'as the facts know it'}.`)
  if (isCheck && gaps.undescribed.length + gaps.fields.length > 0) process.exitCode = 1
}

/** The file with the fields of these objects. */
function withFields(text: string, { modules }: ObjectFacts, wanted: ReadonlySet<string>): string {
  const document = parseDocument(text)
  for (const [module, { objects }] of Object.entries(modules)) {
    const own = document.get('modules')
    const ids = isMap(own) ? own.items.map(({ key }) => String(key)) : []
    const place = ids.length === 0 ? ['objects'] : ['modules', ids.length === 1 ? ids[0] : module, 'objects']
    const declared = document.getIn(place)
    if (!isMap(declared)) continue
    for (const [object, { displayName, fields }] of Object.entries(objects)) {
      const node = declared.get(object)
      if (!isMap(node) || !wanted.has(object)) continue
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
    }
  }
  // A field is one line. Maps are padded as in files written by hand, lists are not.
  const written = document.toString({ lineWidth: 0, singleQuote: true, flowCollectionPadding: true })
  return written.replace(/\[ (?=\S)|(?<=\S) \]/g, (bracket) => bracket.trim())
}

function fieldsOf(fields: Record<string, FactField>): Record<string, unknown> {
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
        valueType: valueType === 'integer' ? 'int' : valueType,
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
