import { Document, isMap, isScalar, isSeq, visit } from 'yaml'
import type { FactsFile } from './facts.ts'

/** Top-level keys that begin a paragraph of the file. */
const paragraphs = new Set([
  'baseUrl',
  'authentication',
  'postAuthInfoNeeded',
  'healthCheck',
  'undescribed',
  'defaultModule',
])

/** A provider file as a person would write it: short maps and lists on one line, a blank line between subjects. */
export function providerYaml(file: FactsFile, comment: string): string {
  const document = new Document(file)
  visit(document, {
    Collection(_, node) {
      const flat = (isMap(node) ? node.items.map(({ value }) => value) : node.items).every(
        (item) => isScalar(item) || (isSeq(item) && item.items.every(isScalar)),
      )
      const text = JSON.stringify(node.toJSON())
      if (flat && text.length <= 60 && !/https?:/.test(text)) node.flow = true
    },
    Pair(_, { key, value }) {
      if (!isScalar(key)) return
      if (key.value === 'authentication' && isSeq(value)) {
        value.flow = false
        for (const item of value.items) if (isMap(item)) item.flow = false
      }
      if (document.has(key.value) && document.get(key.value, true) === value && paragraphs.has(String(key.value))) {
        key.spaceBefore = true
      }
    },
  })
  document.commentBefore = comment
    .split('\n')
    .map((line) => ` ${line}`)
    .join('\n')
  const text = document.toString({ lineWidth: 0, singleQuote: true, flowCollectionPadding: true })
  // Maps are padded as in files written by hand, lists are not.
  return text.replaceAll(/\[ ([\w ,-]+) \]/g, '[$1]')
}
