import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { commentProse, markdownProse, sentences, sourceProse, wordCount } from './prose.mjs'

/**
 * Finds words and sentences that are hard to read in the prose that people read: guides, help, messages, pages,
 * problems and logs. `words.json` lists the words, the files whose comments are checked too, and the files that are not
 * rewritten yet.
 *
 *   node scripts/check-words.mjs [ROOT]    check a tree; the default is this repository
 *   node scripts/check-words.mjs --prune   remove the files from `notYet` that pass
 *   node scripts/check-words.mjs FILE…     check these files, also those of `notYet`
 */
const sentenceWordsMax = 40

const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const isTree = named.length === 0 || (named.length === 1 && !/\.\w+$/.test(named[0]))
const root = path.resolve((isTree ? named[0] : undefined) ?? path.join(import.meta.dirname, '..'))
const listFile = path.join(root, 'scripts/words.json')
const list = JSON.parse(readFileSync(listFile, 'utf8'))
const words = list.words.map((word) => ({ ...word, pattern: new RegExp(`\\b(?:${word.find})\\b`, 'gi') }))

const files = globSync(list.files, { cwd: root, exclude: ['**/node_modules/**', ...list.skip] }).toSorted()
const withComments = new Set(
  globSync(list.comments ?? [], { cwd: root, exclude: ['**/node_modules/**', ...list.skip] }),
)
const findings = new Map(files.map((file) => [file, findingsIn(file)]))

if (process.argv.includes('--prune')) {
  list.notYet = list.notYet.filter((file) => (findings.get(file) ?? []).length > 0)
  writeFileSync(listFile, `${JSON.stringify(list, null, 2)}\n`)
}
const lines = isTree
  ? [
      ...files.filter((file) => !list.notYet.includes(file)).flatMap((file) => findings.get(file)),
      ...list.notYet.flatMap(faultOfNotYet),
      ...words.flatMap(faultsOfExceptions),
    ]
  : named.flatMap((file) => findings.get(path.relative(root, path.resolve(file))) ?? [`${file} is not checked.`])
for (const line of lines) console.error(line)
if (lines.length > 0) {
  console.error(`${lines.length} findings. scripts/words.json says what each pattern finds and what it leaves.`)
  process.exitCode = 1
}

function findingsIn(file) {
  const text = readFileSync(path.join(root, file), 'utf8')
  const prose = file.endsWith('.md')
    ? markdownProse(text)
    : [...sourceProse(text), ...(withComments.has(file) ? commentProse(text) : [])]
  return prose.flatMap((paragraph) =>
    sentences(paragraph.text).flatMap((sentence) => {
      const at = `${file}:${paragraph.line}`
      const count = wordCount(sentence)
      return [
        ...(count > sentenceWordsMax ? [`${at}: a sentence of ${count} words → split it | ${sentence}`] : []),
        ...words
          .filter(({ except = {} }) => !(file in except))
          .flatMap(({ pattern, write }) =>
            (sentence.match(pattern) ?? []).map((found) => `${at}: “${found}” → ${write} | ${sentence}`),
          ),
      ]
    }),
  )
}

function faultOfNotYet(file) {
  if (!findings.has(file)) return [`scripts/words.json: notYet names ${file}, which is not checked or not there.`]
  if (findings.get(file).length > 0) return []
  return [`scripts/words.json: ${file} passes; remove it from notYet (node scripts/check-words.mjs --prune).`]
}

function faultsOfExceptions({ find, except = {} }) {
  return Object.keys(except)
    .filter((file) => !findings.has(file))
    .map((file) => `scripts/words.json: “${find}” is excepted in ${file}, which is not checked or not there.`)
}
